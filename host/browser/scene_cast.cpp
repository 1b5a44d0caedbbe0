#include "host/browser/scene_cast.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "host/base64.h"
#include "host/browser/cdp_reply.h"
#include "host/browser/json_fields.h"
#include "host/image/image.h"

namespace qa {
namespace {

using std::chrono::milliseconds;

constexpr int kCastWidth = 320, kCastHeight = 180;
constexpr milliseconds kStillAfter{400}, kStopAfter{300};
constexpr int kCallTimeoutMs = 5000;
/// What a frame's way took counts less with each that follows; a clock that was set must not hold up anybody.
constexpr double kLagDecay = 0.9, kMostLagMs = 250, kLagForgottenMs = 2000;

double epoch_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string cast_params() {
  return R"({"format":"jpeg","quality":70,"everyNthFrame":1,"maxWidth":)" + std::to_string(kCastWidth) +
         R"(,"maxHeight":)" + std::to_string(kCastHeight) + "}";
}

/// "" when the picture cannot be decoded.
std::string grid_of(const std::string& base64) {
  const auto bytes = decode_base64(base64);
  if (!bytes) return {};
  const auto image = decode_image(*bytes);
  return image ? colour_grid(**image, kSceneColumns, kSceneRows) : std::string();
}

/// The whole view, as large as the cast shows it where a CSS pixel is one of the screen, from Page.getLayoutMetrics.
Json clip_of_view(const Json& metrics) {
  const Json& view = nested_field(metrics, "cssVisualViewport");
  const double width = std::max(1.0, number_field(view, "clientWidth", 1280)),
               height = std::max(1.0, number_field(view, "clientHeight", 720));
  return {{"x", number_field(view, "pageX")},
          {"y", number_field(view, "pageY")},
          {"width", width},
          {"height", height},
          {"scale", std::min({kCastWidth / width, kCastHeight / height, 1.0})}};
}

Error no_picture() { return {ErrorKind::image_decode, "a frame is no picture", "", ""}; }

Error not_pictured(const Error& cause) {
  if (cause.kind != ErrorKind::timeout && cause.kind != ErrorKind::cdp_error) return cause;
  return {ErrorKind::page_hung, "the page could not be pictured: " + cause.message, "", ""};
}

}  // namespace

SceneCast::SceneCast(EventLoop& loop, std::shared_ptr<CdpConnection> cdp, std::string session,
                     std::shared_ptr<CaptureQueue> captures)
    : loop_(loop), cdp_(std::move(cdp)), session_(std::move(session)), captures_(std::move(captures)) {}

void SceneCast::handlers(GridHandler on_grid, std::function<void(const Error&)> on_failure) {
  on_grid_ = std::move(on_grid);
  on_failure_ = std::move(on_failure);
}

void SceneCast::start() {
  loop_.cancel(stop_timer_);
  if (running_) return;
  running_ = true;
  const int round = ++round_;
  last_grid_.clear();
  if (loop_.now_ms() - framed_ms_ > kLagForgottenMs) lag_ms_ = 0;
  cdp_->call(session_, "Page.startScreencast", cast_params(), kCallTimeoutMs,
             [weak = weak_from_this(), round](const Result<CdpConnection::Reply>& reply) {
               auto self = weak.lock();
               if (self && round == self->round_ && !reply) self->fail_to_picture(reply.error());
             });
  still_timer_ = loop_.after(kStillAfter, [weak = weak_from_this(), round] {
    auto self = weak.lock();
    if (self && round == self->round_ && self->last_grid_.empty()) self->picture_still_page();
  });
}

void SceneCast::stop_soon() {
  loop_.cancel(stop_timer_);
  stop_timer_ = loop_.after(kStopAfter, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->stop();
  });
}

void SceneCast::stop() {
  loop_.cancel(still_timer_);
  loop_.cancel(stop_timer_);
  ++round_;
  last_grid_.clear();
  waiting_.clear();
  // Chromium refuses a second start, also after the renderer crashed: every start that was sent is paired with a stop.
  if (std::exchange(running_, false)) {
    cdp_->send(session_, "Page.stopScreencast");
  }
}

void SceneCast::on_frame(const Json& params, std::string base64) {
  const double number = number_field(params, "sessionId", -1);
  cdp_->send(session_, "Page.screencastFrameAck", dump_json({{"sessionId", static_cast<std::int64_t>(number)}}));
  const double taken_ms = number_field(nested_field(params, "metadata"), "timestamp") * 1000;
  framed_ms_ = loop_.now_ms();
  lag_ms_ = std::max(std::clamp(epoch_ms() - taken_ms, 0.0, kMostLagMs), lag_ms_ * kLagDecay);
  if (running_ && !base64.empty()) take(std::move(base64));
}

void SceneCast::take(std::string base64) {
  if (!decoding_) return decode(std::move(base64), loop_.now_ms());
  // Only the newest frame waits: when decoding falls behind, frames are skipped instead of piling up.
  waiting_ = std::move(base64);
  waiting_at_ms_ = loop_.now_ms();
}

void SceneCast::picture_still_page() {
  capture_view([weak = weak_from_this(), round = round_](Result<std::string> base64) {
    auto self = weak.lock();
    if (!self || round != self->round_ || !self->last_grid_.empty()) return;
    if (!base64) return self->fail_to_picture(base64.error());
    // A frame is newer, if one waits.
    if (self->waiting_.empty()) self->take(std::move(*base64));
  });
}

void SceneCast::capture_view(Callback<std::string> done) {
  cdp_->call(session_, "Page.getLayoutMetrics", "", kCallTimeoutMs,
             [self = shared_from_this(), done = std::move(done)](const Result<CdpConnection::Reply>& metrics) {
               if (!metrics) return done(metrics.error());
               const std::string clip = dump_json(clip_of_view(metrics->result));
               self->captures_->capture(R"({"format":"jpeg","quality":70,"clip":)" + clip + "}", kCallTimeoutMs,
                                        [done](Result<CdpConnection::Reply> reply) {
                                          reply ? done(std::move(reply->base64)) : done(reply.error());
                                        });
             });
}

void SceneCast::picture(Callback<std::string> done) {
  capture_view([self = shared_from_this(), done = std::move(done)](Result<std::string> base64) {
    if (!base64) return done(not_pictured(base64.error()));
    auto grid = std::make_shared<std::string>();
    self->loop_.compute([grid, picture = std::move(*base64)] { *grid = grid_of(picture); },
                        [grid, done] { grid->empty() ? done(no_picture()) : done(std::move(*grid)); });
  });
}

void SceneCast::decode(std::string base64, double at_ms) {
  decoding_ = true;
  auto grid = std::make_shared<std::string>();
  loop_.compute([grid, picture = std::move(base64)] { *grid = grid_of(picture); },
                [weak = weak_from_this(), grid, at_ms, round = round_] {
                  auto self = weak.lock();
                  if (!self) return;
                  self->decoding_ = false;
                  if (!self->waiting_.empty()) {
                    self->decode(std::exchange(self->waiting_, {}), self->waiting_at_ms_);
                  }
                  if (round == self->round_) self->deliver(std::move(*grid), at_ms);
                });
}

void SceneCast::deliver(std::string grid, double at_ms) {
  if (grid.empty() && last_grid_.empty()) {
    if (!decoding_) fail_to_picture(no_picture());
    return;
  }
  // One that is no picture shows nothing new; but somebody may have waited for it.
  if (!grid.empty()) last_grid_ = std::move(grid);
  if (on_grid_) on_grid_(last_grid_, at_ms);
}

void SceneCast::fail_to_picture(const Error& cause) {
  if (!last_grid_.empty() || !on_failure_) return;
  stop();
  on_failure_(not_pictured(cause));
}

}  // namespace qa
