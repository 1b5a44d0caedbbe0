#include "host/browser/page.h"

#include <nlohmann/json.hpp>

#include "host/browser/cdp_reply.h"
#include "host/browser/frames.h"
#include "host/browser/json_fields.h"
#include "host/browser/page_state.h"

namespace qa {
namespace {

constexpr int kFramesMs = 5000;
constexpr int kCloseMs = 2000;

}  // namespace

Page::Page(std::shared_ptr<State> state) : state_(std::move(state)) {}
Page::~Page() = default;

void Page::navigate(std::string url, NavigateOptions options, Callback<NavigationResult> done) {
  state_->navigation.navigate(std::move(url), std::move(options), std::move(done));
}

void Page::reload(NavigateOptions options, Callback<NavigationResult> done) {
  state_->navigation.reload(std::move(options), std::move(done));
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
  state_->call(op, to, method, params_json, timeout_ms, [done = std::move(done)](Result<CdpConnection::Reply> reply) {
    if (!reply) return done(reply.error());
    if (!reply->base64.empty()) reply->result["data"] = std::move(reply->base64);
    done(std::move(reply->result));
  });
}

void Page::resize(Size size, Callback<Unit> done) {
  const auto state = state_;
  state->options.width = size.width;
  state->options.height = size.height;
  state->only_frame.reset();
  state->call("page:resize", state->session, "Emulation.setDeviceMetricsOverride", emulation(state->options), kFramesMs,
              [done = std::move(done)](Result<CdpConnection::Reply> reply) {
                if (!reply) return done(reply.error());
                done(Unit{});
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

Input& Page::input() { return state_->input; }
HealthMonitor& Page::health() { return *state_->health; }

void Page::close(Callback<Unit> done) {
  const auto state = state_;
  if (state->ended || state->host->loss) return state->loop.post([done = std::move(done)] { done(Unit{}); });
  state->input.release_all([](Result<Unit>) {});
  state->cdp->call("", "Target.closeTarget", dump_json({{"targetId", state->target}}), kCloseMs,
                   [state, done = std::move(done)](Result<CdpConnection::Reply>) {
                     // Also when the browser did not answer: a page that was closed is closed for its owner.
                     state->end({ErrorKind::page_closed, "the page is closed", "", ""});
                     done(Unit{});
                   });
}

bool Page::closed() const { return state_->ended.has_value(); }
const std::shared_ptr<Browser>& Page::browser() const { return state_->browser; }

}  // namespace qa
