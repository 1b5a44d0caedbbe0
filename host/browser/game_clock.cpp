#include "host/browser/game_clock.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "host/browser/evaluate.h"
#include "host/browser/json_fields.h"

namespace qa {
namespace {

constexpr int kHeldFrames = 3;
constexpr int kDocumentMs = 10'000;
constexpr std::size_t kMostOthers = 64;
/// As the clock in a worker has it (js/clock/scheduler.js).
constexpr int kSilentMs = 1000;

std::string script_with(const ClockOptions& options, bool is_worker) {
  const Json config{
      {"seed", options.seed}, {"epoch_ms", options.epoch_ms}, {"frame_ms", options.frame_ms}, {"is_worker", is_worker}};
  return "(" + std::string(page_function("clock")) + ")(" + dump_json(config) + ")";
}

}  // namespace

GameClock::GameClock(Page::State& page, ClockOptions options)
    : page_(page),
      options_(options),
      document_(std::make_shared<DocumentClock>(page, options, [&page](const std::string& op, auto done) {
        page.with_context(op, "", false, kDocumentMs, std::move(done));
      })) {}

std::string GameClock::script() const { return script_with(options_, false); }
std::string GameClock::worker_script() const { return script_with(options_, true); }

void GameClock::take_turn(Turn turn) {
  turns_.push_back(std::move(turn));
  ++asked_;
  page_.loop.post([page = page_.shared_from_this(), this] { next_turn(); });
}

void GameClock::next_turn() {
  if (turns_.empty() || has_turn_ || is_advancing_) return;
  has_turn_ = true;
  ++begun_;
  turn_frame_ = document_->frames();
  const Turn turn = std::move(turns_.front());
  turns_.pop_front();
  turn([page = page_.shared_from_this(), this] {
    has_turn_ = false;
    page->loop.post([page, this] { next_turn(); });
  });
}

void GameClock::step(StepRequest request, Callback<StepResult> done) {
  take_turn([this, request = std::move(request), done = std::move(done)](std::function<void()> end) {
    if (is_thawed_) {
      end();
      return done(Error{ErrorKind::clock_unavailable, "the page's time goes on by itself: call page:freeze() first",
                        request.op, ""});
    }
    advance(request, [done, end = std::move(end)](Result<StepResult> result) {
      end();
      done(std::move(result));
    });
  });
}

/// A frame or worker that does not answer is left as it is.
void GameClock::set_thawed(bool is_thawed, Callback<Unit> done) {
  take_turn([this, is_thawed, done = std::move(done)](std::function<void()> end) {
    const std::string op = is_thawed ? "page:thaw" : "page:freeze";
    const auto left = std::make_shared<std::size_t>(others_.size() + 1);
    const auto outcome = std::make_shared<Result<Unit>>(Unit{});
    const bool was_thawed = std::exchange(is_thawed_, is_thawed);
    const auto answered = [left, outcome, done, end = std::move(end)] {
      if (--*left > 0) return;
      end();
      done(*outcome);
    };
    const auto tell = [&](DocumentClock& clock, const Callback<Unit>& told) {
      is_thawed ? clock.thaw(op, told) : clock.freeze(op, told);
    };
    const auto others = others_;
    for (const Other& other : others) {
      const auto told = [answered](const Result<Unit>&) { answered(); };
      other.popup ? other.popup->clock->set_thawed(is_thawed, told) : tell(*other.clock, told);
    }
    tell(*document_, [page = page_.shared_from_this(), this, was_thawed, outcome, answered](Result<Unit> told) {
      if (!told) is_thawed_ = was_thawed;
      *outcome = std::move(told);
      answered();
    });
  });
}

void GameClock::pause(double ms, bool is_seen, std::function<void()> then) {
  if (is_thawed_) {
    page_.loop.after(std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(ms))), std::move(then));
    return;
  }
  const int frames = static_cast<int>(std::ceil(ms / options_.frame_ms - 0.001));
  advance({"page:step", frames, "", is_seen ? "last" : "none"},
          [then = std::move(then)](const Result<StepResult>&) { then(); });
}

int GameClock::least_hold_ms() const { return static_cast<int>(std::ceil(kHeldFrames * options_.frame_ms)); }

/// Frame by frame, each clock after the other.
struct GameClock::Lockstep : std::enable_shared_from_this<GameClock::Lockstep> {
  /// For one of the others.
  struct Wait {
    bool is_over = false;
    EventLoop::TimerId timer = 0;
  };

  std::shared_ptr<Page::State> page;
  StepRequest request;
  Callback<StepResult> done;
  StepResult result;
  std::vector<Other> others;  ///< Of this frame.
  std::size_t at = 0;

  GameClock& clock() const { return *page->clock; }

  /// For a clock that is asked for this frame alone.
  std::string draw_of(int frame) const {
    if (request.draw != "last" || !request.until.empty()) return request.draw;
    return frame >= request.frames ? "all" : "none";
  }

  void run() {
    // Clocks come and go; while there is one alone, nothing is to be kept in step.
    const bool is_alone = clock().others_.empty();
    const int left = request.frames - result.frames;
    const StepRequest one{request.op, std::min(left, 1), request.until, draw_of(result.frames + 1)};
    clock().document_->step(is_alone ? StepRequest{request.op, left, request.until, request.draw} : one,
                            [self = shared_from_this(), this](Result<StepResult> stepped) {
                              if (!stepped) return done(stepped.error());
                              result.frames += stepped->frames;
                              result.game_ms = stepped->game_ms;
                              result.is_met = stepped->is_met;
                              result.is_skipping_lost = result.is_skipping_lost || stepped->is_skipping_lost;
                              at = 0;
                              const bool is_begun = stepped->frames > 0 || request.frames == 0;
                              if (!is_begun) return run();
                              others = clock().others_;
                              run_others();
                            });
  }

  void run_others() {
    if (at == others.size()) {
      const bool is_over = result.is_met || result.frames >= request.frames;
      return is_over ? done(result) : run();
    }
    const Other other = others[at++];
    const StepRequest one{request.op, request.frames > 0 ? 1 : 0, "", draw_of(result.frames)};
    if (other.popup) {
      return other.popup->clock->step(one, [self = shared_from_this(), this, other](const Result<StepResult>& stepped) {
        if (!stepped) std::erase_if(clock().others_, [&](const Other& known) { return known.popup == other.popup; });
        run_others();
      });
    }
    if (other.clock->is_stepping()) return run_others();  // Silent since an earlier frame.
    const auto wait = std::make_shared<Wait>();
    other.clock->step(one,
                      [self = shared_from_this(), this, wait, it = other.clock](const Result<StepResult>& stepped) {
                        if (stepped && stepped->is_skipping_lost) result.is_skipping_lost = true;
                        if (!stepped)
                          std::erase_if(clock().others_, [&](const Other& known) { return known.clock == it; });
                        page->loop.cancel(wait->timer);
                        if (!std::exchange(wait->is_over, true)) run_others();
                      });
    // A frame apart is drawn, which may take its time.
    if (!wait->is_over && other.name.starts_with("worker")) watch(other, wait);
  }

  void watch(const Other& other, const std::shared_ptr<Wait>& wait) {
    const auto left = std::chrono::milliseconds(std::max(1, kSilentMs - static_cast<int>(other.clock->silent_ms())));
    wait->timer = page->loop.after(left, [self = shared_from_this(), this, other, wait] {
      if (other.clock->silent_ms() < kSilentMs) return watch(other, wait);
      clock().silent_.insert(other.name);
      wait->is_over = true;
      run_others();
    });
  }
};

void GameClock::advance(StepRequest request, Callback<StepResult> done) {
  is_advancing_ = true;
  auto lockstep = std::make_shared<Lockstep>();
  lockstep->page = page_.shared_from_this();
  lockstep->request = std::move(request);
  lockstep->done = [page = page_.shared_from_this(), this, done = std::move(done)](Result<StepResult> result) {
    is_advancing_ = false;
    if (!has_turn_) page->loop.post([page, this] { next_turn(); });
    done(std::move(result));
  };
  lockstep->run();
}

void GameClock::on_told(const std::string& session, const Json& params) {
  if (text_of(params, "name") != kBinding) return;
  const std::string text = text_of(params, "payload");
  const auto id = static_cast<std::int64_t>(number_field(params, "executionContextId", -1));
  const std::string what = text.substr(0, text.find(' ')), rest = text.substr(std::min(text.size(), what.size() + 1));
  const auto known = page_.sessions.find(session);
  if (known == page_.sessions.end()) return;
  if (known->second.type == "worker") {
    if (what == "clock") add_clock(session, rest, {session, "", id});
    return;
  }
  const auto* context = page_.contexts.by_id(session, id);
  if (context == nullptr) return;
  const WorldContext* main = page_.contexts.find(page_.target, false);
  const bool is_main = main != nullptr && main->unique_id == context->unique_id;
  if (what == "at" && is_main) document_->on_frames(std::atof(rest.c_str()));
  if (what == "clock" && is_main && is_thawed_) document_->thaw("page:thaw", [](const Result<Unit>&) {});
  if (what == "clock" && !is_main) add_clock(session, "frame " + rest, *context);
}

void GameClock::add_clock(const std::string& session, std::string name, WorldContext context) {
  if (others_.size() >= kMostOthers) return;
  const std::string id = context.unique_id;
  auto clock = std::make_shared<DocumentClock>(
      page_, options_, [page = &page_, context = std::move(context)](const std::string& op, const auto& done) {
        const bool is_there = context.unique_id.empty() ? page->sessions.count(context.session) != 0
                                                        : page->contexts.by_id(context.session, context.id) != nullptr;
        if (is_there) return done(context);
        done(Error{ErrorKind::js_error, "the frame or worker went away", op, ""});
      });
  if (is_thawed_) clock->thaw("page:thaw", [](const Result<Unit>&) {});
  add_other({session, id, std::move(name), std::move(clock), nullptr});
}

void GameClock::add_other(Other other) {
  others_.push_back(std::move(other));
  std::stable_sort(others_.begin(), others_.end(), [](const Other& a, const Other& b) { return a.name < b.name; });
}

void GameClock::add_popup(std::shared_ptr<Page::State> popup) {
  if (is_thawed_) popup->clock->set_thawed(true, [](const Result<Unit>&) {});
  add_other({"", "", "popup", nullptr, std::move(popup)});
}

void GameClock::drop_session(const std::string& session) {
  std::erase_if(others_, [&](const Other& other) { return other.session == session; });
}

}  // namespace qa
