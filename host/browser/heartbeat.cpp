#include "host/browser/heartbeat.h"

#include <nlohmann/json.hpp>

#include "host/browser/cdp_reply.h"

namespace qa {
namespace {

/// Long, so that the answer of a page that recovers after minutes is still recognised.
constexpr int kAnswerTimeoutMs = 120000;

}  // namespace

Heartbeat::Heartbeat(EventLoop& loop, std::shared_ptr<CdpConnection> cdp, int beat_ms, int silence_ms,
                     std::function<bool()> excused, std::function<void(Verdict)> classify)
    : loop_(loop),
      cdp_(std::move(cdp)),
      beat_ms_(beat_ms),
      silence_ms_(silence_ms),
      excused_(std::move(excused)),
      classify_(std::move(classify)) {}

void Heartbeat::start(const std::string& session) {
  session_ = session;
  running_ = true;
  beat_at_ms_ = loop_.now_ms();
  timer_ = loop_.after(std::chrono::milliseconds(beat_ms_), [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->beat();
  });
}

void Heartbeat::stop() {
  running_ = false;
  loop_.cancel(timer_);
}

void Heartbeat::forget() {
  ++round_;
  waiting_ = classifying_ = hung_ = false;
}

void Heartbeat::beat() {
  if (!running_ || cdp_->lost()) return;
  const double now = loop_.now_ms();
  // When this thread itself was held up, answers may lie unread: the renderer is not to blame.
  const bool held_up = now - beat_at_ms_ > 2.5 * beat_ms_;
  beat_at_ms_ = now;
  if (!waiting_) {
    ask();
  } else if (held_up || excused_()) {
    asked_ms_ = now;
  } else if (!hung_ && !classifying_ && now - asked_ms_ >= silence_ms_) {
    classify();
  }
  timer_ = loop_.after(std::chrono::milliseconds(beat_ms_), [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->beat();
  });
}

void Heartbeat::classify() {
  classifying_ = true;
  classify_([weak = weak_from_this(), round = round_](bool is_hung) {
    auto self = weak.lock();
    if (!self || round != self->round_) return;
    self->classifying_ = false;
    if (!self->waiting_) return;
    self->hung_ = is_hung;
    self->asked_ms_ = self->loop_.now_ms();
  });
}

void Heartbeat::ask() {
  waiting_ = true;
  asked_ms_ = loop_.now_ms();
  cdp_->call(session_, "Runtime.evaluate", R"({"expression":"1"})", kAnswerTimeoutMs,
             [weak = weak_from_this(), round = round_](const Result<CdpConnection::Reply>& reply) {
               auto self = weak.lock();
               if (!self || round != self->round_) return;
               self->waiting_ = false;
               // An error that the renderer sent (navigated away, no context yet) is a sign of life too.
               if (reply || reply.error().kind == ErrorKind::cdp_error) self->hung_ = false;
             });
}

}  // namespace qa
