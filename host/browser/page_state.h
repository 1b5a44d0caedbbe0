#pragma once
// What the parts of Page share: sessions, contexts, health, and the one way to send a command. Private to
// host/browser/.
//
//   page session --+-- iframe session (out of process) --+-- ...
//                  +-- worker session
//   every event --> health --> contexts, navigation, scene, input

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/browser/browser_state.h"
#include "host/browser/game_clock.h"
#include "host/browser/health_monitor.h"
#include "host/browser/navigation.h"
#include "host/browser/page.h"
#include "host/browser/page_contexts.h"
#include "host/browser/request_interceptor.h"

namespace qa {

/// A frame of a page and where it lies.
struct FrameBox {
  std::string id, parent, url, name, origin;
  std::string session;  ///< Where the frame's own commands go.
  double x = 0, y = 0, width = 0,
         height = 0;  ///< Content box in CSS pixels of the top-level viewport; 0 when not shown.
  bool out_of_process = false;
};

struct Page::State : std::enable_shared_from_this<Page::State> {
  struct Session {
    std::string type;          ///< "page", "iframe", "worker" or "service_worker".
    std::string target;        ///< Also the frame id, for a page and an iframe.
    std::string parent;        ///< Session that it was attached through; "" for the page's own.
    std::string gamepad = "";  ///< The preload of its documents that holds the gamepad.
  };

  State(std::shared_ptr<Browser> browser_handle, std::shared_ptr<Browser::State> browser_state,
        PageOptions page_options, std::string target_id, std::string session_id);

  EventLoop& loop;
  std::shared_ptr<Browser> browser;
  std::shared_ptr<Browser::State> host;
  std::shared_ptr<CdpConnection> cdp;
  PageOptions options;
  std::string target, session;  ///< The page's own; the target's id is the main frame's id.
  std::string own_context;      ///< Browser context that ends with the page, or "".
  std::map<std::string, Session> sessions;
  PageContexts contexts;
  std::shared_ptr<HealthMonitor> health;
  Input input;
  std::shared_ptr<CaptureQueue> captures;
  std::unique_ptr<Scene> scene;
  Navigation navigation;
  RequestInterceptor requests;
  std::unique_ptr<GameClock> clock;  ///< Of a page on game time.
  bool crashed = false;
  bool has_metrics = false;    ///< Performance.enable took effect.
  std::optional<Error> ended;  ///< Why nothing works any more: page_closed or browser_lost.
  std::string opened_window;   ///< URL of the last window.open, for the popup event.
  std::string gamepad;         ///< Source of that preload; "" before the page had one.
  /// The main frame while the page has no other; no value: not known.
  std::optional<FrameBox> only_frame;

  /// Runs a navigation; on game time in a turn of its own, and until all that it needs is there.
  void load(Callback<NavigationResult> done, std::function<void(Callback<NavigationResult>)> start);
  /// Shows the gamepad to the documents of a session.
  void show_gamepad(const std::string& id, Callback<Unit> done);
  /// Sends the set-up commands and lets the target run.
  void set_up(Callback<Unit> done);
  void on_event(const std::string& from, std::string_view method, const Json& params, std::string base64);
  /// The target is gone: fails what is pending with `why`, detaches everything. Idempotent.
  void end(const Error& why);

  /// Why an operation cannot start now, or nothing. `revivable`: a crashed page will do (navigation).
  std::optional<Error> refusal(const std::string& op, bool revivable = false) const;
  /// Sends a command of operation `op`. Failures come back as the kinds that page.h names; a missing answer is
  /// explained (dialog_blocked, page_hung, or timeout when the renderer does answer other questions).
  void call(const std::string& op, const std::string& to, const std::string& method, const std::string& params,
            int timeout_ms, Callback<CdpConnection::Reply> done);
  /// The context of a frame ("" is the main frame), waiting for it while a document is being replaced.
  void with_context(const std::string& op, const std::string& frame, bool host_world, int timeout_ms,
                    Callback<WorldContext> done);
  /// Session that a frame's commands go to, "" when the frame is unknown.
  std::string session_of(const std::string& frame) const;
  std::string main_frame() const { return target; }

 private:
  void give_cookies(Callback<Unit> done);
  void open_session(const std::string& id, Session facts);
  /// Runs `source` in the page's own world, before any script of each new document.
  void run_first(const std::string& id, std::string_view source);
  /// The script of a worker is about to begin: its clock comes first.
  void begin_worker(const std::string& id);
  void close_session(const std::string& id);
  void on_attached(const std::string& from, const Json& params);
  void on_crash(const std::string& from);
  void explain_silence(const std::string& op, const std::string& to, Error error, std::function<void(Error)> done);
};

/// Parameters of Emulation.setDeviceMetricsOverride.
std::string emulation(const PageOptions& options);

/// Parameters of Emulation.setTouchEmulationEnabled.
std::string touch_emulation(bool is_on);

/// The text of js/preload/NAME.js or js/probe/NAME.js, one JavaScript expression, embedded by the build; "" for an
/// unknown name. Those of preload/ run before any script of the page, those of probe/ when they are called.
std::string_view page_function(std::string_view name);

}  // namespace qa
