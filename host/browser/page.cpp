#include "host/browser/page.h"

#include <nlohmann/json.hpp>

#include "host/browser/cdp_reply.h"
#include "host/browser/frames.h"
#include "host/browser/json_fields.h"
#include "host/browser/page_state.h"
#include "host/text.h"

namespace qa {
namespace {

constexpr int kFramesMs = 5000;
constexpr int kCloseMs = 2000;

Error real_time(const std::string& op) {
  return {ErrorKind::clock_unavailable, "the page runs in real time: open it with clock = \"game\"", op, ""};
}

}  // namespace

Page::Page(std::shared_ptr<State> state) : state_(std::move(state)) {}
Page::~Page() = default;

void Page::navigate(std::string url, NavigateOptions options, Callback<NavigationResult> done) {
  state_->load(std::move(done), [state = state_.get(), url, options](auto loaded) {
    state->navigation.navigate(url, options, std::move(loaded));
  });
}

void Page::reload(NavigateOptions options, Callback<NavigationResult> done) {
  state_->load(std::move(done),
               [state = state_.get(), options](auto loaded) { state->navigation.reload(options, std::move(loaded)); });
}

void Page::State::load(Callback<NavigationResult> done, std::function<void(Callback<NavigationResult>)> start) {
  if (!clock) return start(std::move(done));
  in_turn<NavigationResult>(clock.get(), std::move(done), [self = shared_from_this(), start](auto loaded) {
    start([self, loaded](Result<NavigationResult> result) {
      if (!result || result->reached != "load") return loaded(std::move(result));
      self->clock->pause(0, true, [loaded, result] { loaded(result); });
    });
  });
}

void Page::frames(Callback<Json> done) {
  collect_frames(state_, "page:frames", true, kFramesMs,
                 [done = std::move(done)](Result<std::vector<FrameBox>> frames) {
                   if (!frames) return done(frames.error());
                   Json list = Json::array();
                   for (const FrameBox& frame : *frames) list.push_back(frame_json(frame));
                   done(std::move(list));
                 });
}

void Page::cdp(std::string method, std::string params_json, std::string frame, int timeout_ms, Callback<Json> done) {
  const std::string op = "page:cdp";
  const std::string to = state_->session_of(frame);
  if (to.empty()) {
    const Error error{ErrorKind::cdp_error, "the page has no frame " + frame, op, ""};
    return state_->loop.post([error, done = std::move(done)] { done(error); });
  }
  // Without a turn: it may be there to end what has it.
  state_->call(op, to, method, params_json, timeout_ms, [done = std::move(done)](Result<CdpConnection::Reply> reply) {
    if (!reply) return done(reply.error());
    if (!reply->base64.empty()) reply->result["data"] = std::move(reply->base64);
    done(std::move(reply->result));
  });
}

void Page::resize(Size size, Callback<Unit> done) {
  in_turn<Unit>(state_->clock.get(), std::move(done), [state = state_, size](const Callback<Unit>& resized) {
    state->options.width = size.width;
    state->options.height = size.height;
    state->only_frame.reset();
    state->call("page:resize", state->session, "Emulation.setDeviceMetricsOverride", emulation(state->options),
                kFramesMs, [resized](const Result<CdpConnection::Reply>& reply) {
                  if (!reply) return resized(reply.error());
                  resized(Unit{});
                });
  });
}

void Page::settle(SettleOptions options, Callback<SettleResult> done) {
  if (auto error = state_->refusal("page:settle")) {
    return state_->loop.post([error = std::move(*error), done = std::move(done)] { done(error); });
  }
  state_->scene->settle(options, std::move(done));
}

void Page::watch(int ms, Callback<WatchResult> done) {
  if (auto error = state_->refusal("page:watch")) {
    return state_->loop.post([error = std::move(*error), done = std::move(done)] { done(error); });
  }
  state_->scene->watch(ms, std::move(done));
}

void Page::step(StepRequest request, Callback<StepResult> done) {
  if (state_->clock) return state_->clock->step(std::move(request), std::move(done));
  state_->loop.post([error = real_time(request.op), done = std::move(done)] { done(error); });
}

void Page::set_thawed(bool is_thawed, Callback<Unit> done) {
  if (state_->clock) return state_->clock->set_thawed(is_thawed, std::move(done));
  const Error error = real_time(is_thawed ? "page:thaw" : "page:freeze");
  state_->loop.post([error, done = std::move(done)] { done(error); });
}

void Page::clock_coverage(Callback<Json> done) {
  if (state_->clock) return state_->clock->coverage(std::move(done));
  const Error error{ErrorKind::clock_unavailable, "the page has no clock: open it with clock = \"game\"",
                    "page:clock_coverage", ""};
  state_->loop.post([error, done = std::move(done)] { done(error); });
}

const std::optional<ClockOptions>& Page::clock_options() const { return state_->options.clock; }

std::optional<ClockPosition> Page::clock_position() const {
  return state_->clock ? std::optional(state_->clock->position()) : std::nullopt;
}

Input& Page::input() { return state_->input; }
HealthMonitor& Page::health() { return *state_->health; }

void Page::close(Callback<Unit> done) {
  const auto state = state_;
  if (state->ended || state->host->loss) return state->loop.post([done = std::move(done)] { done(Unit{}); });
  state->input.release_all([](Result<Unit>) {});
  const bool is_alone = !state->own_context.empty();
  state->cdp->call(
      "", is_alone ? "Target.disposeBrowserContext" : "Target.closeTarget",
      is_alone ? dump_json({{"browserContextId", state->own_context}}) : dump_json({{"targetId", state->target}}),
      kCloseMs, [state, done = std::move(done)](Result<CdpConnection::Reply>) {
        // Also when the browser did not answer: a page that was closed is closed for its owner.
        state->end({ErrorKind::page_closed, "the page is closed", "", ""});
        done(Unit{});
      });
}

bool Page::closed() const { return state_->ended.has_value(); }
const std::shared_ptr<Browser>& Page::browser() const { return state_->browser; }

}  // namespace qa
