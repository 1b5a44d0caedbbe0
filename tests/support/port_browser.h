#pragma once
// PortBrowser: somebody else's Chromium, with a debugging port on loopback and one tab of its own.

#include <sys/types.h>

#include <string>
#include <thread>

#include "tests/support/live_page.h"

namespace qa::test {

class PortBrowser {
 public:
  PortBrowser();
  ~PortBrowser();
  PortBrowser(const PortBrowser&) = delete;
  PortBrowser& operator=(const PortBrowser&) = delete;

  int port() const { return port_; }
  /// "/devtools/browser/…": the path of its WebSocket.
  const std::string& path() const { return path_; }
  std::string http_url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  TempFolder profile_;
  pid_t pid_ = -1;
  int port_ = 0;
  std::string path_;
  std::thread drain_;  ///< Chromium stops when nobody reads what it logs.
};

}  // namespace qa::test
