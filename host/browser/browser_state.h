#pragma once
// What Browser and its pages share. Private to host/browser/.
//
//   launch -> handshake -> open -> closing -> gone        open -> lost (pipe end, exit, frozen) -> gone
//   session -> connect -> handshake -> open ...           the same, with a session in place of a process
//
// A page is made when its target is attached, and set up before the target runs its first script.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/browser/browser.h"
#include "host/browser/browser_process.h"
#include "host/browser/cdp_connection.h"
#include "host/browser/page.h"

namespace qa {

struct Browser::State : std::enable_shared_from_this<Browser::State> {
  explicit State(EventLoop& event_loop) : loop(event_loop) {}

  struct OpenPage {
    std::shared_ptr<Page> page;
    std::shared_ptr<Page::State> state;
    bool popup = false;
  };
  /// A Target.createTarget that has not met its attached session yet.
  struct NewPage {
    PageOptions options;
    Callback<std::shared_ptr<Page>> done;
    std::string target;
    std::string own_context;  ///< Browser context made for this page, or "".
    EventLoop::TimerId timer = 0;
  };

  EventLoop& loop;
  BrowserInfo info;
  std::weak_ptr<Browser> handle;
  std::shared_ptr<CdpConnection> cdp;
  std::unique_ptr<BrowserProcess> process;  ///< Of a browser that this host started, else
  std::shared_ptr<RemoteSession> source;    ///< where it comes from.
  HttpClientOptions network;                ///< By which way to it.
  std::string context;                      ///< Browser context of our pages; "" in a browser of our own.
  std::vector<OpenPage> pages;
  std::map<int, NewPage> opening;
  int next_opening = 1;
  std::map<std::string, std::string> unclaimed;  ///< Target -> session, attached while createTarget was under way.
  std::optional<Error> loss;                     ///< Set once the browser cannot be used any more, also by close().
  bool closing = false, gone = false, killed = false;
  bool has_cookies = false;  ///< Those of PageAccess were given to it.
  int missed_beats = 0;
  EventLoop::TimerId heartbeat = 0, kill_timer = 0;
  std::vector<Callback<Unit>> close_waiters;
  Callback<std::shared_ptr<Browser>> launched;  ///< Until the handshake is over.

  void start(LaunchedBrowser started, const std::string& folder);
  void attach(std::shared_ptr<MessageWire> wire);
  void handshake();
  void finish_launch(Result<Unit> outcome);
  void beat();
  void lose(const Error& error);
  void process_exited();
  // browser_remote.cpp
  void connect();
  void join();
  void lose_remote();
  void close_remote();
  void remote_gone();
  void begin_close();
  void finish_close();
  void forget_pages(const Error& error);

  void on_event(std::string_view method, const Json& params);
  void create_target(int id, const std::string& in_context);
  void refuse(int id, Error error);
  void deny_downloads(const std::string& in_context);
  bool is_ours(const std::string& in_context) const;
  /// A target appeared in a browser that others use, too.
  void on_created_target(const Json& target_info);
  void attach_to(const std::string& target);
  /// Any "page" target that was attached, by whatever session.
  void on_page_target(const std::string& session, const Json& target_info);
  void claim(int id);
  void adopt_popup(const std::string& session, const std::string& target, const std::string& opener,
                   const Json& target_info);
  std::shared_ptr<Page> add_page(const std::string& session, const std::string& target, const PageOptions& options,
                                 bool popup);
  /// Lets a target run that the host does not watch, and forgets it.
  void let_go(const std::string& session);
  /// Called by a page that is closed or whose target went away.
  void remove_page(const std::string& target);
  OpenPage* find_page(const std::string& target);
};

}  // namespace qa
