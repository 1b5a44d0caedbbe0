#pragma once
// Page: one tab. An operation is one round trip or one in-page function;
// sequences (click with waiting, cascades) are Lua. Loop thread only.
//
// Coordinates are CSS pixels of the top-level viewport, also for content of
// iframes: the host adds the frame's offset.
//
// Two worlds: the page's own ("page": its globals are visible, its values are
// untrusted) and an isolated one ("host": the page cannot touch it), where the
// host's probes from host/browser/js/probe/ run.

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/browser/browser.h"
#include "host/browser/cdp_connection.h"
#include "host/browser/health.h"
#include "host/browser/input.h"
#include "host/browser/scene.h"
#include "host/image/picture.h"

namespace qa {

struct NavigationResult {
  std::string url;  ///< Where the main frame ended up.
  int status = 0;   ///< HTTP status of the main document, 0 when there was none.
  double ms = 0;
  std::string reached;  ///< "load", "dom" or "commit": the last milestone seen.
};

struct NavigateOptions {
  std::string wait = "load";  ///< "commit", "dom" (DOMContentLoaded) or "load".
  int timeout_ms = 30000;  ///< When the milestone is not reached in time: error timeout, detail {url, reached, status}.
};

struct EvaluateRequest {
  std::string source;                    ///< An expression, or a function declaration when `arguments` is set.
  std::optional<std::string> arguments;  ///< JSON array text.
  bool host_world = false;
  std::string frame;  ///< Frame id, "" for the main frame.
  int timeout_ms = 10000;
};

struct ScreenshotOptions {
  std::optional<Rect> clip;  ///< CSS pixels of the viewport.
  bool jpeg = false;         ///< PNG (fast, lossless) by default.
  int quality = 80;
  double scale = 1;  ///< Applied to the clip; 0.25 gives a quarter-size picture.
  int timeout_ms = 10000;
};

class Page : public std::enable_shared_from_this<Page> {
 public:
  ~Page();

  /// Refuses anything but http, https and about:blank with navigation_denied. Network failures are navigation_error,
  /// detail {url, net_error: "net::ERR_..."}. HTTP >= 400 is a result with its status.
  void navigate(std::string url, NavigateOptions options, Callback<NavigationResult> done);
  void reload(NavigateOptions options, Callback<NavigationResult> done);

  /// JSON value of the expression (promises awaited). js_error carries the page's exception text and position in
  /// detail; eval_unserializable; page_crashed; page_hung after timeout_ms without an answer while the browser lives.
  void evaluate(EvaluateRequest request, Callback<Json> done);

  /// Runs the in-page function host/browser/js/probe/NAME.js in the isolated world of every frame that answers within
  /// timeout_ms and gives an array of {frame, url, x, y, width, height, value}: the frame's id, document URL, visible
  /// box in the viewport, and what the function returned. The function gets (args, frame box) and returns plain data in
  /// page coordinates. The main frame comes first; its failure is the call's failure, that of another frame leaves it
  /// out.
  void probe(std::string name, std::string args_json, int timeout_ms, Callback<Json> done);

  /// [{id, parent, url, name, origin, x, y, width, height, out_of_process}], main frame first.
  void frames(Callback<Json> done);

  /// Event listeners of window, document, and elements of every frame (DOMDebugger.getEventListeners):
  /// [{type, target, node?, frame, passive, once, script, line, column, source}]; target is "window", "document",
  /// "body", "canvas", or a tag name; node is the backendNodeId of all but a window; source is the handler's text, at
  /// most 4000 characters.
  void listeners(Callback<Json> done);

  /// Any protocol command on the session of `frame` ("" for the page).
  void cdp(std::string method, std::string params_json, std::string frame, int timeout_ms, Callback<Json> done);

  /// Gives the viewport another size in CSS pixels; the page sees a resize.
  void resize(Size size, Callback<Unit> done);
  void screenshot(ScreenshotOptions options, Callback<PicturePtr> done);
  void settle(SettleOptions options, Callback<SettleResult> done);
  void watch(int ms, Callback<WatchResult> done);
  /// Animation frames per second, counted for `ms` in the isolated world.
  void frame_rate(int ms, Callback<double> done);

  Input& input();
  Health& health();

  void close(Callback<Unit> done);
  bool closed() const;
  const std::shared_ptr<Browser>& browser() const;

  struct State;  ///< Defined in page_state.h.
  explicit Page(std::shared_ptr<State> state);

 private:
  std::shared_ptr<State> state_;
};

}  // namespace qa
