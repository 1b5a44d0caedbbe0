// Page::screenshot: the view, or a clip of it.

#include <nlohmann/json.hpp>

#include "host/browser/capture_queue.h"
#include "host/browser/cdp_reply.h"
#include "host/browser/json_fields.h"
#include "host/browser/page_state.h"

namespace qa {
namespace {

constexpr char kOp[] = "page:screenshot";

struct Shot {
  std::shared_ptr<Page::State> page;
  ScreenshotOptions options;
  Callback<PicturePtr> done;
};

Json capture_params(const Shot& shot, double scroll_x, double scroll_y) {
  const ScreenshotOptions& options = shot.options;
  Json params = Json::parse(kViewCapture);
  if (options.jpeg) {
    params["format"] = "jpeg";
    params["quality"] = options.quality;
    params.erase("optimizeForSpeed");
  }
  if (!options.clip && options.scale == 1) return params;
  const Rect clip = options.clip.value_or(Rect{0, 0, shot.page->options.width, shot.page->options.height});
  params["clip"] = {{"x", clip.x + scroll_x},
                    {"y", clip.y + scroll_y},
                    {"width", clip.width},
                    {"height", clip.height},
                    {"scale", options.scale}};
  return params;
}

void capture(const std::shared_ptr<Shot>& shot, double scroll_x, double scroll_y, int timeout_ms) {
  shot->page->call(kOp, shot->page->session, "Page.captureScreenshot",
                   dump_json(capture_params(*shot, scroll_x, scroll_y)), timeout_ms,
                   [shot](Result<CdpConnection::Reply> reply) {
                     if (!reply) return shot->done(reply.error());
                     decode_capture(shot->page->loop, std::move(reply->base64), [shot](Result<PicturePtr> picture) {
                       if (!picture) picture.error().op = kOp;
                       shot->done(std::move(picture));
                     });
                   });
}

}  // namespace

void Page::screenshot(ScreenshotOptions options, Callback<PicturePtr> done) {
  auto shot = std::make_shared<Shot>(Shot{state_, options, std::move(done)});
  if (options.clip && (options.clip->width <= 0 || options.clip->height <= 0)) {
    return shot->page->loop.post([shot] {
      shot->done(Error{ErrorKind::image_size, "the clip of a screenshot needs a width and a height", kOp, ""});
    });
  }
  if (!options.clip && options.scale == 1) return capture(shot, 0, 0, options.timeout_ms);
  // Chromium counts a clip from the top of the document, we from the top of the viewport.
  const double deadline = shot->page->loop.now_ms() + options.timeout_ms;
  shot->page->call(kOp, shot->page->session, "Page.getLayoutMetrics", "", options.timeout_ms,
                   [shot, deadline](Result<CdpConnection::Reply> reply) {
                     if (!reply) return shot->done(reply.error());
                     const Json& viewport = nested_field(reply->result, "cssVisualViewport");
                     const int left = std::max(1, static_cast<int>(deadline - shot->page->loop.now_ms()));
                     capture(shot, number_field(viewport, "pageX"), number_field(viewport, "pageY"), left);
                   });
}

}  // namespace qa
