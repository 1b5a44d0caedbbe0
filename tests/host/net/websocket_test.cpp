#include "host/net/websocket.h"

#include <catch2/catch.hpp>
#include <optional>

#include "tests/support/fault_server.h"
#include "tests/support/live_page.h"
#include "tests/support/websocket_peer.h"

using namespace qa;
using namespace qa::test;

namespace {

struct Client {
  EventLoop loop;
  std::shared_ptr<MessageWire> wire;
  std::optional<Error> fault;
  std::vector<std::string> messages;

  void open(const std::string& url, HttpClientOptions options = {}, int limit_ms = 20000) {
    connect_websocket(loop, std::move(options), url, limit_ms, [this](Result<std::shared_ptr<MessageWire>> opened) {
      if (opened) wire = *opened;
      if (!opened) fault = opened.error();
    });
    CHECK_FALSE((wire || fault));
    REQUIRE(run_until(loop, [&] { return wire || fault; }));
    if (!wire) return;
    wire->on_readable([this] { take(); });
    wire->read();
  }
  void take() {
    while (auto message = wire->next()) messages.push_back(message->too_large ? "too large" : message->text);
    if (!wire->end()) wire->read();
  }
  bool until(std::size_t count) {
    return run_until(loop, [&] { return messages.size() >= count; });
  }
  const Error& until_end() {
    REQUIRE(run_until(loop, [&] { return wire->end().has_value(); }));
    return *wire->end();
  }
};

std::string close_frame(int code, const std::string& reason) {
  return WebSocketPeer::frame(WebSocketPeer::kClose,
                              std::string{static_cast<char>(code >> 8), static_cast<char>(code & 0xff)} + reason);
}

}  // namespace

TEST_CASE("a WebSocket asks for its path and sends and takes whole messages", "[websocket]") {
  WebSocketPeer peer;
  Client client;
  client.open(peer.url("/devtools/browser/7?token=a"));
  CHECK_THAT(peer.request(), Catch::StartsWith("GET /devtools/browser/7?token=a HTTP/1.1\r\nHost: 127.0.0.1:"));
  // Chromium refuses a client that names an origin.
  CHECK_THAT(peer.request(), !Catch::Contains("Origin:") && !Catch::Contains("permessage-deflate"));
  const std::string large(300000, 'x');
  client.wire->queue("one");
  client.wire->queue(large);
  CHECK(client.wire->queued_bytes() == 300003);
  client.wire->flush();
  std::vector<WebSocketPeer::Frame> frames;
  REQUIRE(run_until(client.loop, [&] {
    for (auto& frame : peer.take_frames()) frames.push_back(std::move(frame));
    return frames.size() >= 2;
  }));
  CHECK(frames[0].payload == "one");
  CHECK(frames[1].payload == large);
  CHECK(frames[1].opcode == WebSocketPeer::kText);
  CHECK(run_until(client.loop, [&] { return client.wire->queued_bytes() == 0; }));
}

TEST_CASE("messages of a WebSocket are the same however their bytes come", "[websocket]") {
  WebSocketPeer peer;
  Client client;
  client.open(peer.url());
  std::string bytes = WebSocketPeer::frame(WebSocketPeer::kText, "{\"id\":", false) +
                      WebSocketPeer::frame(WebSocketPeer::kPing, "still there?") +
                      WebSocketPeer::frame(WebSocketPeer::kContinuation, "1}") +
                      WebSocketPeer::frame(WebSocketPeer::kBinary, std::string(70000, 'y')) +
                      WebSocketPeer::frame(WebSocketPeer::kText, "");
  const std::size_t pieces = GENERATE(std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20);
  for (std::size_t at = 0; at < bytes.size(); at += pieces) peer.send(std::string_view(bytes).substr(at, pieces));
  REQUIRE(client.until(3));
  CHECK(client.messages == std::vector<std::string>{"{\"id\":1}", std::string(70000, 'y'), ""});
  CHECK(client.wire->received() == 8 + 70000);
}

TEST_CASE("the end of a WebSocket says how it came", "[websocket][TR09]") {
  WebSocketPeer peer;
  Client client;
  client.open(peer.url());
  SECTION("close frame") {
    peer.send(close_frame(1011, "node \x1b[31mdied"));
    CHECK_THAT(client.until_end().message,
               Catch::Contains("closed the connection with code 1011 (node \\x1B[31mdied)"));
    CHECK(client.until_end().detail == R"({"how":"close frame","code":1011})");
  }
  SECTION("reset") {
    peer.request();
    peer.reset();
    CHECK_THAT(client.until_end().message, Catch::Contains("reset the connection"));
  }
  SECTION("end without a close frame") {
    peer.request();
    peer.end();
    CHECK_THAT(client.until_end().message, Catch::Contains("ended the connection without a close frame (1006)"));
  }
  SECTION("a frame with bits that nobody agreed on") {
    peer.send("\xf1\x01x");
    CHECK_THAT(client.until_end().message, Catch::Contains("sent what is no message of a WebSocket"));
  }
  SECTION("text that is no UTF-8") {
    peer.send(WebSocketPeer::frame(WebSocketPeer::kText, "\xff"));
    CHECK_THAT(client.until_end().message, Catch::Contains("sent what is no message of a WebSocket"));
  }
  CHECK(client.until_end().kind == ErrorKind::browser_lost);
  CHECK_THAT(client.until_end().message, Catch::StartsWith("127.0.0.1:"));
}

TEST_CASE("a flood of pings is answered and holds no message up", "[websocket][TR09]") {
  WebSocketPeer peer;
  Client client;
  client.open(peer.url());
  std::thread flood([&] {
    std::string pings;
    for (int i = 0; i < 1000; ++i) pings += WebSocketPeer::frame(WebSocketPeer::kPing, "ping");
    for (int i = 0; i < 50; ++i) peer.send(pings + WebSocketPeer::frame(WebSocketPeer::kText, "{}"));
  });
  std::size_t pongs = 0;
  CHECK(run_until(
      client.loop,
      [&] {
        for (const auto& frame : peer.take_frames()) pongs += frame.opcode == WebSocketPeer::kPong ? 1 : 0;
        return client.messages.size() == 50 && pongs == 50000;
      },
      60000));
  flood.join();
  CHECK(client.wire->received() == 100);
}

TEST_CASE("what is no WebSocket is refused, without the secrets of its address", "[websocket]") {
  Client client;
  SECTION("another status") {
    WebSocketPeer peer("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    client.open(peer.url("/session/1/se/cdp?token=sesame"));
    CHECK_THAT(client.fault->message, Catch::EndsWith("refused a WebSocket with status 400"));
    CHECK(client.fault->detail == R"({"status":400})");
  }
  SECTION("silence") {
    FaultServer server([](Peer& peer) {
      peer.request();
      peer.hold();
    });
    client.open(server.url("/?token=sesame", "ws://127.0.0.1"), {}, 100);
    CHECK(client.fault->kind == ErrorKind::timeout);
  }
  SECTION("nobody") {
    client.open("ws://127.0.0.1:1/?token=sesame");
    CHECK_THAT(client.fault->message, Catch::StartsWith("127.0.0.1:1 cannot be reached"));
  }
  SECTION("no address") {
    client.open("ftp://sesame");
    CHECK_THAT(client.fault->message, Catch::Contains("no ws:// or wss:// address"));
  }
  SECTION("a certificate of an unknown authority") {
    FaultServer server([](Peer& peer) { peer.start_tls({make_self_signed()}); });
    client.open(server.url("/?token=sesame", "wss://127.0.0.1"));
    CHECK_THAT(client.fault->message, Catch::Contains("is self-signed"));
  }
  REQUIRE(client.fault);
  CHECK_THAT(client.fault->message, !Catch::Contains("sesame"));
}

TEST_CASE("a WebSocket behind TLS sends the user's name and password", "[websocket]") {
  Authority authority;
  const TlsManner manner{authority.issue()};
  FaultServer server([&](Peer& peer) {
    if (peer.start_tls(manner)) peer.request();
    peer.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
  });
  Client client;
  client.open(server.url("/x", "wss://me:open%20up@127.0.0.1"), {authority.file(), "", {}});
  CHECK_THAT(client.fault->message, Catch::EndsWith("refused a WebSocket with status 403"));
  REQUIRE(server.requests().size() == 1);
  CHECK_THAT(server.requests()[0], Catch::Contains("Authorization: Basic bWU6b3BlbiB1cA=="));
}

TEST_CASE("a message beyond the limit comes as its head, and the next one is read", "[websocket][TR06]") {
  WebSocketPeer peer;
  Client client;
  client.open(peer.url());
  std::thread writer([&] {
    const std::string block(1 << 20, 'x');
    peer.send(WebSocketPeer::frame(WebSocketPeer::kText, block, false));
    for (int i = 0; i < 130; ++i) peer.send(WebSocketPeer::frame(WebSocketPeer::kContinuation, block, i == 129));
    peer.send(WebSocketPeer::frame(WebSocketPeer::kText, "next"));
  });
  CHECK(run_until(
      client.loop, [&] { return client.messages.size() >= 2; }, 60000));
  writer.join();
  CHECK(client.messages == std::vector<std::string>{"too large", "next"});
}
