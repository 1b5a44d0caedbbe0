#pragma once
// FakeBrowser: the other end of a debugging pipe or of a WebSocket, scripted by a test. Records every command; says
// whatever bytes it is told.

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "host/browser/cdp_connection.h"
#include "host/browser/cdp_frame.h"
#include "host/browser/cdp_reply.h"
#include "host/net/websocket.h"
#include "tests/support/live_page.h"
#include "tests/support/websocket_peer.h"

namespace qa::test {

enum class WireKind { pipe, websocket };

class FakeBrowser {
 public:
  explicit FakeBrowser(WireKind kind = WireKind::pipe) {
    if (kind == WireKind::websocket) {
      peer_ = std::make_unique<WebSocketPeer>();
      return;
    }
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

  int to_browser = -1, from_browser = -1;  ///< Of a pipe, for its wire, which owns them.

  std::shared_ptr<MessageWire> wire(EventLoop& loop) {
    if (!peer_) return make_pipe_wire(loop, to_browser, from_browser);
    loop_ = &loop;
    std::shared_ptr<MessageWire> wire;
    bool over = false;
    connect_websocket(loop, {}, peer_->url(), 20000, [&](Result<std::shared_ptr<MessageWire>> opened) {
      over = true;
      if (opened) wire = *opened;
    });
    run_until(loop, [&] { return over; });
    REQUIRE(wire);
    peer_->request();
    return wire;
  }

  /// A connection that is closed with this browser. One with calls under way must be: they may hold what holds it.
  std::shared_ptr<CdpConnection> connect(EventLoop& loop) {
    return connection_ = std::make_shared<CdpConnection>(loop, wire(loop));
  }

  /// Says a part of a message; the reader must run when it exceeds the 64 KiB of a pipe.
  void say_bytes(std::string_view bytes) {
    if (peer_) {
      peer_->send(WebSocketPeer::frame(is_open_ ? WebSocketPeer::kContinuation : WebSocketPeer::kText, bytes, false));
      is_open_ = true;
    }
    while (!peer_ && !bytes.empty()) {
      const ssize_t size = ::write(answers_, bytes.data(), bytes.size());
      if (size <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(size));
    }
  }
  /// Says a message, or the rest of one.
  void say(const std::string& text) {
    if (!peer_) return say_bytes(std::string_view(text.c_str(), text.size() + 1));
    peer_->send(WebSocketPeer::frame(is_open_ ? WebSocketPeer::kContinuation : WebSocketPeer::kText, text));
    is_open_ = false;
  }

  /// All commands that have come in so far, oldest first; each is given out once.
  std::vector<Json> take_commands() {
    std::vector<Json> commands;
    if (peer_) {
      // A WebSocket sends one message after the other, each from its own turn of the loop.
      while (loop_->io().poll() > 0) continue;
      for (const auto& frame : peer_->take_frames()) commands.push_back(Json::parse(frame.payload));
      return commands;
    }
    char buffer[65536];
    for (ssize_t size; (size = ::read(commands_, buffer, sizeof buffer)) > 0;) {
      inbox_.append(buffer, static_cast<std::size_t>(size));
    }
    for (std::size_t end; (end = inbox_.find('\0')) != std::string::npos; inbox_.erase(0, end + 1)) {
      commands.push_back(Json::parse(inbox_.substr(0, end)));
    }
    return commands;
  }

  void stop_reading() { ::shutdown(commands_, SHUT_RD); }
  void die() {
    if (peer_) peer_->end();
    if (commands_ >= 0) ::close(commands_);
    if (answers_ >= 0) ::close(answers_);
    commands_ = answers_ = -1;
  }

 private:
  int commands_ = -1, answers_ = -1;
  std::string inbox_;
  std::unique_ptr<WebSocketPeer> peer_;
  EventLoop* loop_ = nullptr;
  bool is_open_ = false;  ///< A message of the WebSocket has begun.
  std::shared_ptr<CdpConnection> connection_;
};

}  // namespace qa::test
