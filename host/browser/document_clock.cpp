#include "host/browser/document_clock.h"

#include <algorithm>
#include <cmath>

#include "host/browser/evaluate.h"
#include "host/browser/json_fields.h"

namespace qa {
namespace {

/// The page is asked for no longer stretch: it must be free to answer other questions, and to be stopped.
constexpr int kStretchMs = 200;
/// A frame of a heavy game may take seconds.
constexpr int kAnswerMs = 30'000;
constexpr int kCoverageMs = 5'000;
/// A document that says that it is left is left by then, or it stays: a download, an answer without content.
constexpr double kLongestLeaveMs = 3'000;
constexpr int kLeavePollMs = 5;
constexpr std::chrono::milliseconds kWatchMs{250};
/// What it was told of both it has heard long before.
constexpr double kLongestStallMs = 30'000;
/// A page that waits by reading the clock moves it on; no further than this in one call.
constexpr double kMostDriftMs = 3600.0 * 1000;
constexpr std::size_t kTextShown = 500;

Error lying(const std::string& op, const Json& reply) {
  return {ErrorKind::clock_unavailable, "the page's clock is gone, or answers what cannot be", op,
          dump_json(reply).substr(0, kTextShown)};
}

bool is_left(const Error& error) { return error.detail.find("context_destroyed") != std::string::npos; }

}  // namespace

struct DocumentClock::Work {
  StepRequest request;
  Callback<StepResult> done;
  StepResult result;
  double waiting_since = 0;  ///< Something has been under way since then, 0 while nothing is.
  double leaving_since = 0;  ///< The document says that it is left, 0 while it does not.
  bool is_over = false;
};

double DocumentClock::now_ms() const {
  if (thawed_since_ > 0) return now_ms_ + page_.loop.now_ms() - thawed_since_;
  return now_ms_ + std::max(0.0, last_frame_ - frames_) * frame_ms_;
}

void DocumentClock::step(StepRequest request, Callback<StepResult> done) {
  is_stepping_ = true;
  const auto work = std::make_shared<Work>(Work{std::move(request), nullptr, {}, 0, 0});
  work->done = [self = shared_from_this(), this, weak = std::weak_ptr(work),
                done = std::move(done)](Result<StepResult> result) {
    const auto alive = weak.lock();
    if (!alive || std::exchange(alive->is_over, true)) return;
    is_stepping_ = false;
    done(std::move(result));
  };
  run(work);
  watch(work);
}

/// A page that hangs, or does nothing but open dialogs, will not answer.
void DocumentClock::watch(const std::shared_ptr<Work>& work) {
  page_.loop.after(kWatchMs, [self = shared_from_this(), this, work] {
    if (work->is_over) return;
    const bool hangs = page_.health->hangs_in_script();
    if (!hangs && !page_.health->storms()) return watch(work);
    const char* what = hangs ? "the page does not answer; its script may be in an endless loop"
                             : "the page does nothing but open dialogs";
    work->done(Error{ErrorKind::page_hung, what, work->request.op, ""});
  });
}

double DocumentClock::silent_ms() const { return asked_ms_ > 0 ? page_.loop.now_ms() - asked_ms_ : 0; }

void DocumentClock::coverage(const std::string& op, Callback<Json> done) {
  locate_(op, [page = page_.shared_from_this(), op, done = std::move(done)](Result<WorldContext> context) {
    if (!context) return done(context.error());
    run_script(page, op, *context, {"globalThis.__qa_clock?.coverage() ?? null", {}}, kCoverageMs, done);
  });
}

void DocumentClock::run(const std::shared_ptr<Work>& work) {
  locate_(work->request.op, [self = shared_from_this(), this, work](Result<WorldContext> context) {
    context ? ask(work, *context) : work->done(context.error());
  });
}

void DocumentClock::ask(const std::shared_ptr<Work>& work, const WorldContext& context) {
  if (context.unique_id != document_) {
    document_ = context.unique_id;
    frames_ = document_ms_ = work->leaving_since = 0;
    last_frame_ = -1;
  }
  const auto lasts = [now = page_.loop.now_ms()](double since, double ms) { return since > 0 && now - since > ms; };
  const Json given{{"count", work->request.frames - work->result.frames},
                   {"limit_ms", kStretchMs},
                   {"tolerates", lasts(work->waiting_since, patience_ms_)},
                   {"stays", lasts(work->leaving_since, kLongestLeaveMs)},
                   {"draw", work->request.draw}};
  const std::string& until = work->request.until;
  Script script{
      "(given) => globalThis.__qa_clock?.step(given, " + (until.empty() ? "null" : "() => (" + until + "\n)") + ")",
      Json::array({given})};
  asked_ms_ = page_.loop.now_ms();
  run_script(page_.shared_from_this(), work->request.op, context, std::move(script), kAnswerMs,
             [self = shared_from_this(), this, work](const Result<Json>& reply) {
               asked_ms_ = 0;
               on_reply(work, reply);
             });
}

bool DocumentClock::is_possible(const Work& work, const Json& reply) const {
  const double done = number_field(reply, "done", -1), frames = number_field(reply, "frames", -1),
               passed = number_field(reply, "now", -1) - document_ms_;
  // By reading the clock a page may have moved time on into the frame that follows.
  const double least = std::max(done - 1, 0.0) * frame_ms_ - 0.001;
  return done >= 0 && done <= work.request.frames - work.result.frames && done == std::floor(done) &&
         frames == frames_ + done && passed >= least && passed <= least + kMostDriftMs;
}

/// The answer was lost with the document; how far it came it may have told before.
void DocumentClock::on_lost_reply(const std::shared_ptr<Work>& work) {
  const int done = static_cast<int>(std::clamp(last_frame_ - frames_, 0.0, 1e9));
  work->result.frames = std::min(work->result.frames + done, work->request.frames);
  work->result.game_ms = now_ms_ += done * frame_ms_;
  all_frames_ += done;
  last_frame_ = -1;
  run(work);
}

void DocumentClock::on_reply(const std::shared_ptr<Work>& work, const Result<Json>& reply) {
  if (!reply) {
    return is_left(reply.error()) ? on_lost_reply(work) : work->done(reply.error());
  }
  if (!is_possible(*work, *reply)) return work->done(lying(work->request.op, *reply));
  const double passed = number_field(*reply, "now") - document_ms_, done = number_field(*reply, "done");
  frames_ += done;
  all_frames_ += static_cast<int>(done);
  document_ms_ += passed;
  StepResult& result = work->result;
  result.game_ms = now_ms_ += passed;
  result.frames += static_cast<int>(done);
  result.is_met = flag_field(*reply, "met");
  result.is_skipping_lost = result.is_skipping_lost || flag_field(*reply, "skipping_lost");
  if (reply->contains("thrown")) {
    const std::string text = text_of(*reply, "thrown").substr(0, kTextShown);
    return work->done(Error{ErrorKind::js_error, text.substr(0, text.find('\n')), work->request.op, ""});
  }
  const bool waits = !nested_field(*reply, "waiting").empty(), leaves = flag_field(*reply, "leaving");
  const bool is_over = result.is_met || result.frames == work->request.frames || flag_field(*reply, "parts");
  if (!waits && !leaves && is_over) return work->done(result);
  if (done > 0) work->waiting_since = 0;
  const double since = std::max(work->waiting_since, work->leaving_since);
  const bool is_endless = since > 0 && page_.loop.now_ms() - since > kLongestStallMs;
  if (is_endless || (done == 0 && !waits && !leaves)) {
    return work->done(Error{ErrorKind::clock_unavailable, "the page's clock does not move", work->request.op, ""});
  }
  repeat(work, waits, leaves);
}

void DocumentClock::tell(const std::string& name, const std::string& op, Callback<std::pair<Json, std::string>> done) {
  locate_(op, [self = shared_from_this(), this, name, op, done = std::move(done)](Result<WorldContext> context) {
    if (!context) return done(context.error());
    run_script(page_.shared_from_this(), op, *context, {"globalThis.__qa_clock?." + name + "()", {}}, kAnswerMs,
               [self, this, name, op, done, id = context->unique_id](Result<Json> reply) {
                 if (reply) return done(std::pair(std::move(*reply), id));
                 is_left(reply.error()) ? tell(name, op, done) : done(reply.error());
               });
  });
}

void DocumentClock::thaw(const std::string& op, Callback<Unit> done) {
  tell("thaw", op, [self = shared_from_this(), this, done = std::move(done)](const auto& told) {
    if (!told) return done(told.error());
    if (thawed_since_ == 0) thawed_since_ = page_.loop.now_ms();
    done(Unit{});
  });
}

void DocumentClock::freeze(const std::string& op, Callback<Unit> done) {
  tell("freeze", op, [self = shared_from_this(), this, op, done = std::move(done)](const auto& told) {
    if (!told) return done(told.error());
    const auto& [reply, document] = *told;
    const bool is_same = document == document_;
    const double frames = number_field(reply, "frames", -1), now = number_field(reply, "now", -1);
    const double passed = now - (is_same ? document_ms_ : 0), real = page_.loop.now_ms() - thawed_since_;
    if (frames < (is_same ? frames_ : 0) || frames != std::floor(frames) || passed < 0 ||
        passed > real + kMostDriftMs) {
      return done(lying(op, reply));
    }
    now_ms_ += is_same ? passed : real;
    thawed_since_ = 0;
    document_ = document;
    frames_ = frames;
    document_ms_ = now;
    last_frame_ = -1;
    done(Unit{});
  });
}

void DocumentClock::repeat(const std::shared_ptr<Work>& work, bool waits, bool leaves) {
  const double now = page_.loop.now_ms();
  if (!waits) work->waiting_since = 0;
  if (waits && work->waiting_since == 0) work->waiting_since = now;
  if (!leaves) {
    work->leaving_since = 0;
    return run(work);
  }
  last_frame_ = -1;  // It came with the answer.
  if (work->leaving_since == 0) work->leaving_since = now;
  page_.loop.after(std::chrono::milliseconds(kLeavePollMs), [self = shared_from_this(), this, work] { run(work); });
}

}  // namespace qa
