#pragma once
// Navigation: the documents of a page's main frame, and the one navigate() or reload()
// that may be waiting for one. Part of Page; fed with the events of the page's session. Loop thread only.
//
//   Page.navigate --> reply {loaderId} --> commit --> dom --> load
//                        | errorText         | a newer document commits: it is followed
//                        v                   v
//                  navigation_error     loadingFailed (truncated): navigation_error

#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "host/browser/page.h"

namespace qa {

/// Why the host will not go to this URL, or "" when it will: http, https and about:blank only, without user names.
std::string url_refusal(const std::string& url);

class Navigation {
 public:
  explicit Navigation(Page::State& page) : page_(page) {}

  void navigate(std::string url, NavigateOptions options, Callback<NavigationResult> done);
  void reload(NavigateOptions options, Callback<NavigationResult> done);
  void on_event(std::string_view method, const Json& params);
  /// Fails what is waiting: crash, close, loss.
  void fail(const Error& error);

 private:
  struct Document {
    std::string loader, url, net_error;
    int status = 0;
    int commit = 0;  ///< Order of commits, 0 before it.
    bool dom = false, loaded = false, error_page = false;

    /// The last milestone, as NavigationResult::reached; "" before the commit.
    const char* reached() const { return loaded ? "load" : dom ? "dom" : commit > 0 ? "commit" : ""; }
  };
  struct Active {
    std::string op, url, loader;
    NavigateOptions options;
    Callback<NavigationResult> done;
    double started = 0;
    int after_commit = 0;  ///< Commits up to this one belong to the past.
    bool is_reload = false, replied = false, http_error = false;
    EventLoop::TimerId timer = 0;
  };

  void begin(std::string op, std::string url, NavigateOptions options, Callback<NavigationResult> done);
  void ask(const char* method, const std::string& params);
  void replied(int serial, Result<CdpConnection::Reply> reply);
  void on_reply(const Json& result);
  void on_network(std::string_view method, const Json& params);
  void on_commit(const Json& frame);
  void advance();
  void expire();
  void succeed(const Document& document, const std::string& reached);
  void finish(Result<NavigationResult> result);
  void finish_network_error(const std::string& net_error);
  Document& document(const std::string& loader);
  Document* find(const std::string& loader);
  /// The document that the waiting navigation is about: its own once committed, or what replaced it.
  Document* subject();

  Page::State& page_;
  std::deque<Document> documents_;  ///< The last few, oldest first.
  std::string current_url_;
  int commits_ = 0;
  int serial_ = 0;  ///< Tells the reply of an earlier navigation from the current one's.
  std::unique_ptr<Active> active_;
};

}  // namespace qa
