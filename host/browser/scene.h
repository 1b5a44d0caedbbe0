#pragma once
// Scene: what moves on a page, seen through one 320x180 JPEG screencast that is shared by all watchers and runs only
// while somebody watches (it costs the game frame rate). Frames become 128x72 colour grids on the pool. Loop thread
// only.
//
// No cast shows a page whose time stands still: there a watcher steps it, and takes a small picture each few frames.
//
//   startScreencast --> Page.screencastFrame --> decode + grid (pool) --> every active watch/settle

#include <functional>
#include <memory>
#include <string>

#include "host/browser/capture_queue.h"
#include "host/browser/cdp_connection.h"
#include "host/browser/game_time.h"
#include "host/event_loop.h"
#include "host/image/picture.h"

namespace qa {

struct SettleOptions {
  int quiet_ms = 200, max_ms = 6000;
  double area = 0;  ///< Share of grid cells that may go on changing (0..1): by more than 6 steps (0..255) of a plane.
  int min_ms = 0;   ///< Quiet is seen to go on until so long after the start of the call, at least.
  bool picture = false;  ///< The view at rest is pictured as well, while the quiet is confirmed.
};

/// What the scene did during a window, per cell of a 128x72 grid (row major). A grid is three planes, one byte a cell:
/// luma, blueness and redness (see colour_grid).
struct WatchResult {
  int columns = 128, rows = 72;
  int frames = 0;           ///< Frames seen in the window; a still page paints none after the first.
  std::string first, last;  ///< Grids at the start and the end.
  std::string low, high;    ///< Smallest and largest value of each cell and plane in the window.
  std::string activity;     ///< How often each cell changed by more than 6 steps in any plane from frame to frame.
  double moved_ms = 0;      ///< When the last change was seen, from the start; 0 when nothing moved.
  double ms = 0;
};

struct SettleResult {
  bool settled = false;       ///< false: still animating at max_ms.
  double ms = 0;              ///< Time spent.
  double last_change_ms = 0;  ///< When the last change was seen, from the start of the call; 0 when nothing changed.
  double frame_delay_ms = 0;  ///< How long a frame may have been on its way to us; 25 on an idle machine.
  int frames = 0;
  WatchResult quiet;   ///< What the scene did since that change, as watch tells it.
  PicturePtr picture;  ///< Taken since that change, where it was asked for; none where that failed.
};

class Scene {
 public:
  /// `host_context` gives the unique id of a context that the page cannot reach into, or "" while there is none: a page
  /// may have made requestAnimationFrame its own.
  Scene(EventLoop& loop, std::shared_ptr<CdpConnection> cdp, std::string session,
        std::shared_ptr<CaptureQueue> captures, std::function<std::string()> host_context);
  ~Scene();

  /// From now on watchers step by this time, but where it is thawed, and all that they tell is of it.
  void use_time(GameTime time);
  /// A Page.screencastFrame of the session: its params and the base64 that was cut out.
  void on_frame(const Json& params, std::string base64);
  /// Waits for quiet_ms without change, confirmed by animation frames of the renderer (spec: without them verdicts
  /// are early).
  void settle(SettleOptions options, Callback<SettleResult> done);
  void watch(int ms, Callback<WatchResult> done);
  /// Fails everybody who waits (crash, close, loss).
  void fail(const Error& error);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace qa
