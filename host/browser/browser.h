#pragma once
// Browser: one Chromium and its pages: a process group of this host, or a part of its own in a remote browser. Owns
// the CDP connection, the heartbeat, target discovery (popups, out-of-process iframes, workers) and the profile folder.
// Loop thread only; handles are shared_ptr, Lua sees ids.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/browser/health_monitor.h"
#include "host/browser/launcher.h"
#include "host/browser/remote_session.h"
#include "host/error.h"
#include "host/event_loop.h"

namespace qa {

class Page;
struct PageAccess;
struct TapeUse;

struct BrowserInfo {
  std::string path, product, protocol;  ///< product: "HeadlessChrome/156.0.8078.79".
  bool headless = true, no_sandbox = false;
  int pid = -1;  ///< -1 for a remote browser, which has no path either.
  std::optional<RemoteBrowser> remote;
};

/// Game time (docs/clock.md): the page's clocks stand still but in Page::step.
struct ClockOptions {
  std::int64_t seed = 1;                ///< Of Math.random and crypto.
  double epoch_ms = 1'767'225'600'000;  ///< What Date shows at first: 2026-01-01.
  double frame_ms = 1000.0 / 60;
  double patience_ms = 10'000;  ///< Real time for which a frame waits for what is under way, before it goes on without.
};

struct PageOptions {
  int width = 1280, height = 720;  ///< Viewport, CSS pixels.
  double scale = 1;                ///< Device pixel ratio.
  bool touch = false;
  bool tap_text = false;     ///< Remember what the page writes on its canvases (js/preload/text_tap.js).
  bool count_draws = false;  ///< Count what the page draws each time that it paints (js/preload/draw_tap.js).
  bool hold_scroll = false;  ///< Arrow keys and Space do not scroll the page (js/preload/hold_scroll.js).
  std::optional<ClockOptions> clock = std::nullopt;
  HealthLimits health = {};
  std::shared_ptr<const TapeUse> tape = nullptr;       ///< What answers instead of the network (tape_track.h).
  std::shared_ptr<const PageAccess> access = nullptr;  ///< What the host does with requests; nothing when null.
  bool is_remote = false;  ///< The browser was not started here (page_access.h says what that changes).
};

class Browser : public std::enable_shared_from_this<Browser> {
 public:
  /// Starts a browser and waits until it answers (30 s). browser_launch_failed carries exit status and the
  /// last 4 KiB of its stderr. Returns what kill() takes until then; empty when there is nothing to kill.
  static std::weak_ptr<Browser> launch(EventLoop& loop, LaunchOptions options, Callback<std::shared_ptr<Browser>> done);
  /// Connects to a remote browser, by a session of its own where a service is asked for one. The run's pages live in
  /// a browser context that ends with the connection; other pages of that browser are left alone. Returns as launch().
  /// browser_launch_failed says who refused what; nothing is left behind then.
  static std::weak_ptr<Browser> connect(EventLoop& loop, RemoteOptions options,
                                        Callback<std::shared_ptr<Browser>> done);
  ~Browser();

  const BrowserInfo& info() const;

  /// Opens a page with health monitoring already attached and no document but about:blank.
  void new_page(PageOptions options, Callback<std::shared_ptr<Page>> done);
  std::vector<std::shared_ptr<Page>> pages() const;

  /// Closes, reaps, and removes the profile; SIGKILLs the group after 1.5 s. Elsewhere: closes the pages and gives the
  /// session back. Idempotent.
  void close(Callback<Unit> done);
  /// Kills the process group and removes its folder before it returns; elsewhere, ends the connection. What is pending
  /// fails with browser_lost, if the loop still runs. For the end of a process. A browser lives until close(), kill()
  /// or its loss, whoever holds the handle.
  void kill();
  /// True after the process or the connection is gone; every operation then fails with browser_lost.
  bool lost() const;
  /// Why, once it is lost.
  Error loss() const;

  struct State;  ///< Shared with Page; defined in browser_state.h.

 private:
  Browser();
  std::shared_ptr<State> state_;
};

}  // namespace qa
