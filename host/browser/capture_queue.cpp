#include "host/browser/capture_queue.h"

#include <algorithm>
#include <utility>

#include "host/base64.h"
#include "host/browser/cdp_reply.h"

namespace qa {

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
  waiting_.push_back({std::move(params), loop_.now_ms() + timeout_ms, std::move(done)});
  next();
}

void CaptureQueue::next() {
  if (capturing_ || waiting_.empty()) return;
  capturing_ = true;
  Request request = std::move(waiting_.front());
  waiting_.pop_front();
  const int left_ms = std::max(1, static_cast<int>(request.deadline_ms - loop_.now_ms()));
  cdp_->call(session_, "Page.captureScreenshot", request.params, left_ms,
             [self = shared_from_this(), done = std::move(request.done)](Result<CdpConnection::Reply> reply) {
               self->capturing_ = false;
               done(std::move(reply));
               self->next();
             });
}

void CaptureQueue::fail(const Error& error) {
  for (Request& request : std::exchange(waiting_, {})) {
    loop_.post([done = std::move(request.done), error] { done(error); });
  }
}

}  // namespace qa
