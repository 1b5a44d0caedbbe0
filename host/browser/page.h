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

#include "host/browser/browser.h"
#include "host/browser/cdp_connection.h"
#include "host/browser/health_monitor.h"
#include "host/browser/input.h"
#include "host/browser/page_requests.h"
#include "host/browser/scene.h"
#include "host/image/picture.h"

namespace qa {

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

  /// Border box {x, y, width, height} of the element with this backendNodeId; element_not_found where it has none or
  /// lies in a frame of another process.
  void node_box(std::int64_t node, FrameRequest request, Callback<Json> done);

  /// [{url, type, frame, document}] of what a frame ("" for the main one) and those below it in its process have
  /// loaded: type as in the protocol ("Document", "Script" ...), frame the id and document the URL of the one that
  /// loaded it.
  void resources(FrameRequest request, Callback<Json> done);
  /// The text of a resource of `frame` that the browser still has; cdp_error for one that it has forgotten, or no text.
  void resource_text(std::string url, FrameRequest request, Callback<std::string> done);
  /// Asks the server of a resource for it once more, as `frame` would; its text, cut at most_bytes. navigation_error
  /// with detail {url, net_error}.
  void load_resource(std::string url, FrameRequest request, int most_bytes, Callback<std::string> done);

  /// Runs a script in every document to come, before any of its own, and gives the id by which it is removed.
  void add_preload(std::string source, Callback<std::string> done);
  void remove_preload(std::string id, Callback<Unit> done);
  /// Ends what the page's script does now, also an endless loop.
  void terminate_script(Callback<Unit> done);
  /// {name: number} of the renderer (CDP Performance.getMetrics); what adds up does so from the first call on.
  void metrics(int timeout_ms, Callback<Json> done);
  void emulate_touch(bool is_on, Callback<Unit> done);
  /// Holds a gamepad like this in all frames, now and in documents to come; connected by the first call.
  void gamepad(const GamepadState& pad, Callback<Unit> done);

  /// Any protocol command on the session of `frame` ("" for the page).
  void cdp(std::string method, std::string params_json, std::string frame, int timeout_ms, Callback<Json> done);

  /// Runs frames of game time, as the page's clock allows: timers, then frame callbacks, each frame as long as
  /// ClockOptions says. clock_unavailable for a page without ClockOptions, and for one whose clock answers what cannot
  /// be; js_error where StepRequest::until throws.
  void step(StepRequest request, Callback<StepResult> done);
  /// Game time goes on by itself, as fast as real time, or stands still again; clock_unavailable as step(), which needs
  /// a page that stands still.
  void set_thawed(bool is_thawed, Callback<Unit> done);
  const std::optional<ClockOptions>& clock_options() const;
  /// [{what, reason}]: what of the page the clock does not control, as the page tells it. clock_unavailable as step().
  void clock_coverage(Callback<Json> done);
  /// Nothing for a page without ClockOptions.
  std::optional<ClockPosition> clock_position() const;

  /// Gives the viewport another size in CSS pixels; the page sees a resize.
  void resize(Size size, Callback<Unit> done);
  void screenshot(ScreenshotOptions options, Callback<PicturePtr> done);
  void settle(SettleOptions options, Callback<SettleResult> done);
  void watch(int ms, Callback<WatchResult> done);
  /// Animation frames per second, counted for `ms` in the isolated world.
  void frame_rate(int ms, Callback<double> done);

  Input& input();
  HealthMonitor& health();

  void close(Callback<Unit> done);
  bool closed() const;
  const std::shared_ptr<Browser>& browser() const;

  struct State;  ///< Defined in page_state.h.
  explicit Page(std::shared_ptr<State> state);

 private:
  std::shared_ptr<State> state_;
};

}  // namespace qa
