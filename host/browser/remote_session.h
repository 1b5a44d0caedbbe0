#pragma once
// RemoteSession: who makes the address of a browser that this host did not start, and who gets it back. One for a
// browser that is there already (--cdp), one for a Selenium Grid 4, one for Browserbase. Used by Browser::connect
// alone. Loop thread only.
//
//   open() --> [nothing | POST session] --> address of a WebSocket ... release() --> [nothing | the session is ended]

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/error.h"
#include "host/event_loop.h"
#include "host/net/http_client.h"

namespace qa {

/// How to reach a remote browser, as the user says it: url, key and project may be secret.
struct RemoteOptions {
  enum class Service { cdp, grid, browserbase };

  Service service = Service::cdp;
  std::string url;  ///< ws(s):// or http(s):// of a browser; http(s):// of a Grid or of Browserbase's API.
  std::string key, project, region;  ///< Browserbase: who pays, and where the browser runs ("" for its default).
  bool reports_debug_url = false;    ///< Scripts and reports may have RemoteBrowser::debug_url.
  /// For a free slot of a Grid. Less than a test may last, so that its report says what was missing.
  int queue_ms = 120'000;
  HttpClientOptions network;
};

/// The remote browser that a user names: the address of a browser or of a Grid, or a region of Browserbase, "*" for its
/// default one; none where all are "". Browserbase's key comes from the environment and goes to its API alone.
std::optional<RemoteOptions> remote_options(const std::string& cdp, const std::string& grid,
                                            const std::string& browserbase,
                                            const std::function<std::string(const std::string&)>& environment);

/// What may be told of a remote browser, in reports and errors.
struct RemoteBrowser {
  std::string service;    ///< "cdp", "grid" or "browserbase".
  std::string address;    ///< "ws://host:port": path, query and user name are left out, for they may hold keys.
  std::string session;    ///< Of a Grid or service, else "".
  std::string node;       ///< Address of the node of a Grid, else "".
  std::string debug_url;  ///< Controls the session: for its user alone. "" where there is none.

  /// "the browser at ADDRESS (grid session ID on node NODE)".
  std::string described() const;
};

class RemoteSession : public std::enable_shared_from_this<RemoteSession> {
 public:
  static std::shared_ptr<RemoteSession> make(EventLoop& loop, RemoteOptions options);
  virtual ~RemoteSession() = default;

  /// Gives the address of the WebSocket, which may hold a key. browser_launch_failed says who refused what.
  void open(Callback<std::string> done);
  /// Ends the session, if there is one or will be one; lives on until it has. `done` runs within some seconds.
  void release(std::function<void()> done);
  const RemoteBrowser& facts() const { return facts_; }

 protected:
  struct Answer;  ///< Of an API: status, and its body as JSON.
  using OnAnswer = std::function<void(Result<Answer>)>;

  RemoteSession(EventLoop& loop, RemoteOptions options, std::string service);

  virtual void create(Callback<std::string> done) = 0;
  /// The request that ends the session, without its headers.
  virtual HttpRequest end_request() const { return {}; }
  /// Asks `path` of the address that the user gave; "" leaves the body out.
  void ask(const std::string& method, const std::string& path, const std::string& body, int limit_ms, OnAnswer done);
  /// The same place with ws for http and wss for https, and `target` as its path.
  std::string socket_url(const std::string& target) const;
  Error failure(const std::string& message) const;

  EventLoop& loop_;
  const RemoteOptions options_;
  RemoteBrowser facts_;
  HttpHeaders headers_;  ///< Of each request: keys.
  std::string origin_;   ///< "http://user:password@host:port".
  std::string base_;     ///< The path that the user gave, without a slash at its end.
  std::string query_;    ///< "?token=…", or "".

 private:
  void opened(Result<std::string> endpoint);
  void end();
  void finish();

  HttpClient client_;
  std::string fault_;  ///< Why the address is refused, or "".
  Callback<std::string> opening_;
  bool ended_ = false;
  std::vector<std::function<void()>> waiting_;
};

/// grid_session.cpp and browserbase_session.cpp.
std::shared_ptr<RemoteSession> make_grid_session(EventLoop& loop, RemoteOptions options);
std::shared_ptr<RemoteSession> make_browserbase_session(EventLoop& loop, RemoteOptions options);

}  // namespace qa
