#pragma once
// FakeBrowser: the other end of a debugging pipe, scripted by a test. Records every command; says whatever bytes it is
// told.

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "host/browser/cdp_connection.h"
#include "host/browser/cdp_reply.h"
#include "tests/support/live_page.h"

namespace qa::test {

class FakeBrowser {
 public:
  FakeBrowser() {
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0) to_browser = pair[0], commands_ = pair[1];
    if (::pipe2(pair, O_CLOEXEC) == 0) from_browser = pair[0], answers_ = pair[1];
    ::fcntl(commands_, F_SETFL, O_NONBLOCK);
  }
  ~FakeBrowser() {
    if (connection_) connection_->close();
    die();
  }
  FakeBrowser(const FakeBrowser&) = delete;

  int to_browser = -1, from_browser = -1;  ///< For CdpConnection, which owns them.

  /// A connection that is closed with this browser. One with calls under way must be: they may hold what holds it.
  std::shared_ptr<CdpConnection> connect(EventLoop& loop) {
    return connection_ = std::make_shared<CdpConnection>(loop, to_browser, from_browser);
  }

  /// Writes raw bytes; the reader must run when they exceed the pipe's 64 KiB.
  void say_bytes(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t size = ::write(answers_, bytes.data(), bytes.size());
      if (size <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(size));
    }
  }
  void say(const std::string& text) { say_bytes(std::string_view(text.c_str(), text.size() + 1)); }

  /// All commands that have come in so far, oldest first; each is given out once.
  std::vector<Json> take_commands() {
    char buffer[65536];
    for (ssize_t size; (size = ::read(commands_, buffer, sizeof buffer)) > 0;) {
      inbox_.append(buffer, static_cast<std::size_t>(size));
    }
    std::vector<Json> commands;
    for (std::size_t end; (end = inbox_.find('\0')) != std::string::npos; inbox_.erase(0, end + 1)) {
      commands.push_back(Json::parse(inbox_.substr(0, end)));
    }
    return commands;
  }

  void stop_reading() { ::shutdown(commands_, SHUT_RD); }
  void die() {
    if (commands_ >= 0) ::close(commands_);
    if (answers_ >= 0) ::close(answers_);
    commands_ = answers_ = -1;
  }

 private:
  int commands_ = -1, answers_ = -1;
  std::string inbox_;
  std::shared_ptr<CdpConnection> connection_;
};

}  // namespace qa::test
