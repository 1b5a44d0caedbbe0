#pragma once
// A real page for tests of the layers below Page: a headless Chromium, one attached tab, and a folder of small pages
// served on loopback. Everything ends with the object.

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "host/browser/cdp_connection.h"
#include "host/browser/cdp_reply.h"
#include "host/browser/launcher.h"
#include "host/event_loop.h"
#include "host/net/static_files.h"

namespace qa::test {

/// Runs the loop until `ready` or the limit; tells whether it became ready.
bool run_until(EventLoop& loop, const std::function<bool()>& ready, int limit_ms = 20000);

/// A folder that goes with the object.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  const std::string& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

class LivePage {
 public:
  using Handler =
      std::function<void(const std::string& session, std::string_view method, const Json& params, std::string base64)>;

  LivePage();
  ~LivePage();
  LivePage(const LivePage&) = delete;
  LivePage& operator=(const LivePage&) = delete;

  /// Every event of the tab's session.
  void on_event(Handler handler);
  /// Sends a command to the tab and waits for the reply; fails the test when it fails.
  Json call(const std::string& method, const Json& params = Json::object());
  /// Sends a command and does not wait.
  void send(const std::string& method, const Json& params = Json::object());
  /// The value of an expression, promises awaited.
  Json evaluate(const std::string& expression);
  /// Writes a page, and gives its address.
  std::string page(const std::string& name, const std::string& html);
  /// Kills the browser with everything that belongs to it.
  void kill();

  EventLoop loop;
  std::shared_ptr<CdpConnection> cdp;
  std::string session;
  std::unique_ptr<StaticServer> server;

 private:
  std::string attach();

  TempFolder profile_, site_;
  LaunchedBrowser browser_;
  std::thread stderr_reader_;  ///< Chromium stops when nobody reads what it logs.
};

}  // namespace qa::test
