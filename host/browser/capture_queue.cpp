#include "host/browser/capture_queue.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "host/base64.h"
#include "host/browser/cdp_reply.h"

namespace qa {
namespace {

/// A capture that Chromium has not answered for so long will not be: another is tried.
constexpr int kGivenUpMs = 30000;
constexpr auto kDocumentLeft = std::chrono::seconds(1);

}  // namespace

void decode_capture(EventLoop& loop, std::string base64, Callback<PicturePtr> done) {
  auto result = std::make_shared<Result<PicturePtr>>(Error{ErrorKind::image_decode, "no picture came back", "", ""});
  loop.compute(
      [result, encoded = std::move(base64)] {
        auto bytes = decode_base64(encoded);
        if (bytes) *result = Picture::of(std::move(*bytes));
      },
      [result, done = std::move(done)] { done(std::move(*result)); });
}

CaptureQueue::CaptureQueue(EventLoop& loop, std::shared_ptr<CdpConnection> cdp, std::string session)
    : loop_(loop), cdp_(std::move(cdp)), session_(std::move(session)) {}

void CaptureQueue::capture(std::string params, int timeout_ms, Callback<CdpConnection::Reply> done) {
  const auto request = std::make_shared<Request>();
  request->params = std::move(params);
  request->done = std::move(done);
  request->timer = loop_.after(std::chrono::milliseconds(timeout_ms), [weak = weak_from_this(), request, timeout_ms] {
    const auto self = weak.lock();
    if (!self) return;
    self->waiting_.erase(std::remove(self->waiting_.begin(), self->waiting_.end(), request), self->waiting_.end());
    self->finish(*request,
                 Error{ErrorKind::timeout,
                       "Page.captureScreenshot did not answer within " + std::to_string(timeout_ms) + " ms", "", ""});
  });
  waiting_.push_back(request);
  next();
}

void CaptureQueue::next() {
  if (capturing_ || waiting_.empty()) return;
  capturing_ = true;
  const RequestPtr request = waiting_.front();
  waiting_.pop_front();
  cdp_->call(session_, "Page.captureScreenshot", request->params, kGivenUpMs,
             [self = shared_from_this(), request, capture = ++captures_](Result<CdpConnection::Reply> reply) {
               self->finish(*request, std::move(reply));
               self->over(capture);
             });
}

void CaptureQueue::over(int capture) {
  if (capture != captures_) return;
  capturing_ = false;
  next();
}

void CaptureQueue::document_left() {
  if (!capturing_) return;
  loop_.after(kDocumentLeft, [weak = weak_from_this(), capture = captures_] {
    if (const auto self = weak.lock()) self->over(capture);
  });
}

void CaptureQueue::finish(Request& request, Result<CdpConnection::Reply> reply) {
  loop_.cancel(request.timer);
  if (const auto done = std::exchange(request.done, nullptr)) done(std::move(reply));
}

void CaptureQueue::fail(const Error& error) {
  for (const RequestPtr& request : std::exchange(waiting_, {})) {
    loop_.post([self = shared_from_this(), request, error] { self->finish(*request, error); });
  }
}

}  // namespace qa
