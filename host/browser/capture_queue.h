#pragma once
// CaptureQueue: one Page.captureScreenshot of a page at a time. For a clip Chromium gives the page another scale while
// it is pictured; a capture meanwhile would show that scale, and put it back at its end as if it were the page's own:
// the page would stay small (measured). A caller may give up; the next capture begins when Chromium has answered, or
// will not: it never answers for a renderer that hung and was left. Loop thread only.

#include <deque>
#include <memory>
#include <string>

#include "host/browser/cdp_connection.h"
#include "host/event_loop.h"
#include "host/image/picture.h"

namespace qa {

/// Parameters of a capture of the whole view. Lossless all the same: four times faster for twice the bytes.
inline constexpr char kViewCapture[] = R"({"captureBeyondViewport":false,"format":"png","optimizeForSpeed":true})";

/// Makes a picture of the base64 of a capture, on the pool; its pixels are made when somebody looks at them.
void decode_capture(EventLoop& loop, std::string base64, Callback<PicturePtr> done);

class CaptureQueue : public std::enable_shared_from_this<CaptureQueue> {
 public:
  CaptureQueue(EventLoop& loop, std::shared_ptr<CdpConnection> cdp, std::string session);

  /// As CdpConnection::call of Page.captureScreenshot; timeout_ms includes the wait for its turn.
  void capture(std::string params, int timeout_ms, Callback<CdpConnection::Reply> done);
  /// The page shows another document from now on: Chromium has one second to answer what it was asked of the last one.
  void document_left();
  /// Fails those that wait for their turn.
  void fail(const Error& error);

 private:
  struct Request {
    std::string params;
    EventLoop::TimerId timer = 0;
    Callback<CdpConnection::Reply> done;  ///< Null once it has been called.
  };
  using RequestPtr = std::shared_ptr<Request>;

  void next();
  /// Capture number `capture` is awaited no more.
  void over(int capture);
  void finish(Request& request, Result<CdpConnection::Reply> reply);

  EventLoop& loop_;
  std::shared_ptr<CdpConnection> cdp_;
  const std::string session_;
  std::deque<RequestPtr> waiting_;
  bool capturing_ = false;
  int captures_ = 0;  ///< Number of those that were sent, and so the name of the one under way.
};

}  // namespace qa
