#include "host/browser/cdp_connection.h"

#include <catch2/catch.hpp>
#include <optional>
#include <thread>

#include "host/browser/cdp_frame.h"
#include "tests/support/fake_browser.h"

using namespace qa;
using namespace qa::test;
using Reply = CdpConnection::Reply;

namespace {

/// Each test runs over both wires, but for one that says which.
struct Fixture {
  explicit Fixture(WireKind wire_kind = GENERATE(WireKind::pipe, WireKind::websocket))
      : kind(wire_kind), browser(wire_kind) {}

  const WireKind kind;
  EventLoop loop;
  FakeBrowser browser;
  CdpConnection cdp{loop, browser.wire(loop)};
  std::vector<std::string> log;  // In order: events by name, answers as "ok N" or "KIND N".

  Callback<Reply> logged(int number) {
    return [this, number](const Result<Reply>& reply) {
      log.push_back((reply ? "ok " : std::string(kind_name(reply.error().kind)) + " ") + std::to_string(number));
    };
  }
  bool until_logged(std::size_t count, int limit_ms = 10000) {
    return run_until(
        loop, [&] { return log.size() >= count; }, limit_ms);
  }
  void log_events(const std::string& session) {
    cdp.on_events(session,
                  [this](std::string_view method, const Json&, const std::string&) { log.emplace_back(method); });
  }
};

using Log = std::vector<std::string>;

}  // namespace

TEST_CASE("a command carries id, method, params and session", "[cdp]") {
  Fixture f;
  f.cdp.call("S\"1", "Page.navigate", R"({"url":"about:blank"})", 1000, f.logged(1));
  f.cdp.call("", "Browser.getVersion", "", 1000, f.logged(2));
  const auto commands = f.browser.take_commands();
  REQUIRE(commands.size() == 2);
  CHECK(commands[0] ==
        Json::parse(R"({"id":1,"method":"Page.navigate","params":{"url":"about:blank"},"sessionId":"S\"1"})"));
  CHECK(commands[1] == Json::parse(R"({"id":2,"method":"Browser.getVersion"})"));
  CHECK(f.log.empty());
}

TEST_CASE("calls made together go out at once, in order", "[cdp]") {
  Fixture f;
  f.cdp.together([&] {
    f.cdp.call("S", "A.a", "", 1000, f.logged(1));
    f.cdp.together([&] { f.cdp.call("S", "A.b", "", 1000, f.logged(2)); });
    CHECK(f.browser.take_commands().empty());
  });
  const auto commands = f.browser.take_commands();
  REQUIRE(commands.size() == 2);
  CHECK(commands[0]["method"] == "A.a");
  CHECK(commands[1]["method"] == "A.b");
  f.cdp.call("S", "A.c", "", 1000, f.logged(3));
  CHECK(f.browser.take_commands().size() == 1);
}

TEST_CASE("the result of a reply is found without reading the rest", "[cdp]") {
  CHECK(reply_result(R"({"id":1,"result":{}})") == "{}");
  CHECK(reply_result(R"({"id":12,"result":{"a":[1]},"sessionId":"S"})") == R"({"a":[1]})");
  CHECK(reply_result(R"({"id":1,"result":{"sessionId":"T"},"sessionId":"S"})") == R"({"sessionId":"T"})");
  CHECK(reply_result(R"({"id":1,"result":{"sessionId":"T"}})") == R"({"sessionId":"T"})");
  for (const char* other : {"", "{}", R"({"id":1})", R"({"id":1,"error":{}})", R"({"id":1,"result":"x"})",
                            R"({"id":1,"method":"A.a","result":{}})", R"({"id":1,"result":{})"}) {
    INFO(other);
    CHECK_FALSE((reply_result(other) && Json::accept(*reply_result(other))));
  }
}

TEST_CASE("a reply with more members than Chromium writes is read as a whole", "[cdp]") {
  Fixture f;
  std::vector<std::string> results;
  for (int i = 0; i < 3; ++i) {
    f.cdp.call("S", "A.a", "", 1000, [&](const Result<Reply>& reply) {
      results.push_back(reply ? reply->result.dump() : std::string(kind_name(reply.error().kind)));
      f.log.emplace_back();
    });
  }
  f.browser.say(R"({"id":1,"result":{"a":1},"more":{"b":2},"sessionId":"S"})");
  f.browser.say(R"({"id":2,"result":[],"sessionId":"S"})");
  f.browser.say(R"({"id":3,"result":{},"error":{"code":1,"message":"no"},"sessionId":"S"})");
  REQUIRE(f.until_logged(3));
  CHECK(results == std::vector<std::string>{R"({"a":1})", "cdp_error", "cdp_error"});
}

TEST_CASE("replies and events keep the order of the wire", "[cdp]") {
  Fixture f;
  f.log_events("S");
  f.cdp.call("S", "A.a", "", 1000, f.logged(1));
  f.cdp.call("S", "A.b", "", 1000, f.logged(2));
  f.browser.say(R"({"method":"E.first","params":{},"sessionId":"S"})");
  f.browser.say(R"({"id":2,"result":{},"sessionId":"S"})");
  f.browser.say(R"({"method":"E.elsewhere","params":{},"sessionId":"T"})");
  f.browser.say(R"({"method":"E.second","sessionId":"S"})");
  f.browser.say(R"({"id":1,"result":{}})");
  REQUIRE(f.until_logged(4));
  CHECK(f.log == Log{"E.first", "ok 2", "E.second", "ok 1"});
}

TEST_CASE("a large message keeps its place in the order although the pool parses it", "[cdp]") {
  Fixture f;
  f.log_events("");
  f.cdp.call("", "A.large", "", 5000, f.logged(1));
  std::thread writer([&] {
    f.browser.say(R"({"method":"E.before","params":{}})");
    f.browser.say(R"({"id":1,"result":{"value":")" + std::string(700000, 'x') + "\"}}");
    f.browser.say(R"({"method":"E.after","params":{}})");
  });
  CHECK(f.until_logged(3));
  writer.join();
  CHECK(f.log == Log{"E.before", "ok 1", "E.after"});
}

TEST_CASE("frames are the same however the bytes are split", "[cdp]") {
  std::string wire;
  Log expected;
  for (int i = 0; i < 1000; ++i) {
    wire += R"({"method":"E.)" + std::to_string(i) + R"(","params":{"text":"äöü"}})";
    wire.push_back('\0');
    expected.push_back("E." + std::to_string(i));
  }
  const std::size_t pieces = GENERATE(std::size_t{1}, std::size_t{7}, std::size_t{4096}, std::size_t{60000});
  FrameBuffer buffer;
  Log seen;
  for (std::size_t at = 0; at < wire.size(); at += pieces) {
    buffer.append(wire.data() + at, std::min(pieces, wire.size() - at));
    while (auto frame = buffer.next()) seen.push_back(Json::parse(frame->text)["method"]);
  }
  CHECK(seen == expected);
}

TEST_CASE("coalesced frames arrive one by one through the pipe", "[cdp]") {
  Fixture f(WireKind::pipe);
  f.log_events("");
  std::string wire;
  for (int i = 0; i < 500; ++i) wire += R"({"method":"E.e","params":{}})" + std::string(1, '\0');
  f.browser.say_bytes(std::string_view(wire).substr(0, 5003));
  f.browser.say_bytes(std::string_view(wire).substr(5003));
  CHECK(f.until_logged(500));
}

TEST_CASE("a frame beyond the limit is dropped and the next one is read", "[cdp]") {
  FrameBuffer buffer(1000);
  const std::string chunk(400, 'x');
  buffer.append("{\"id\":7,", 8);
  std::optional<WireMessage> frame;
  for (int i = 0; i < 10; ++i) {
    buffer.append(chunk.data(), chunk.size());
    if (auto next = buffer.next()) {
      CHECK_FALSE(frame);
      frame = next;
    }
  }
  REQUIRE(frame);
  CHECK(frame->too_large);
  CHECK(leading_id(frame->text) == 7);
  buffer.append("xx\0{}\0", 6);
  frame = buffer.next();
  REQUIRE(frame);
  CHECK(frame->text == "{}");
  CHECK_FALSE(buffer.next());
}

TEST_CASE("the call whose answer is larger than the limit fails with cdp_too_large", "[cdp]") {
  Fixture f;
  f.cdp.call("", "Runtime.evaluate", "", 60000, f.logged(1));
  f.cdp.call("", "Browser.getVersion", "", 60000, f.logged(2));
  std::thread writer([&] {
    f.browser.say_bytes(R"({"id":1,"result":{"value":")");
    const std::string block(1 << 20, 'x');
    for (int i = 0; i < 130; ++i) f.browser.say_bytes(block);
    f.browser.say("\"}}");
    f.browser.say(R"({"id":2,"result":{}})");
  });
  CHECK(f.until_logged(2, 60000));
  writer.join();
  CHECK(f.log == Log{"cdp_too_large 1", "ok 2"});
}

TEST_CASE("the base64 of a screenshot does not go through the JSON parser", "[cdp]") {
  Fixture f;
  std::optional<Reply> shot, other;
  f.cdp.call("S", "Page.captureScreenshot", "", 1000, [&](Result<Reply> reply) { shot = std::move(*reply); });
  f.cdp.call("S", "IO.read", "", 1000, [&](Result<Reply> reply) { other = std::move(*reply); });
  f.browser.say(R"({"id":1,"result":{"data":"iVBORw0KGgo="},"sessionId":"S"})");
  f.browser.say(R"({"id":2,"result":{"data":"iVBORw0KGgo="},"sessionId":"S"})");
  REQUIRE(run_until(f.loop, [&] { return shot && other; }));
  CHECK(shot->base64 == "iVBORw0KGgo=");
  CHECK(shot->result["data"] == "");
  CHECK(other->base64.empty());
  CHECK(other->result["data"] == "iVBORw0KGgo=");
}

TEST_CASE("a screencast frame hands over its base64 apart", "[cdp]") {
  Fixture f;
  std::string picture;
  int ack = 0;
  f.cdp.on_events("S", [&](std::string_view, const Json& params, std::string base64) {
    picture = std::move(base64);
    ack = params["sessionId"].get<int>();
  });
  f.browser.say(
      R"({"method":"Page.screencastFrame","params":{"data":"AAAA","metadata":{},"sessionId":3},"sessionId":"S"})");
  REQUIRE(run_until(f.loop, [&] { return ack != 0; }));
  CHECK(picture == "AAAA");
  CHECK(ack == 3);
}

TEST_CASE("an error answer names code and method", "[cdp]") {
  Fixture f;
  std::optional<Error> error;
  f.cdp.call("", "Foo.bar", "", 1000, [&](const Result<Reply>& reply) { error = reply.error(); });
  f.browser.say(R"({"id":1,"error":{"code":-32601,"message":"'Foo.bar' wasn't found"}})");
  REQUIRE(run_until(f.loop, [&] { return error.has_value(); }));
  CHECK(error->kind == ErrorKind::cdp_error);
  CHECK(error->message == "Foo.bar failed: 'Foo.bar' wasn't found");
  CHECK(Json::parse(error->detail) == Json{{"code", -32601}, {"method", "Foo.bar"}});
}

TEST_CASE("a call that is not answered times out and its late answer wakes nobody", "[cdp]") {
  Fixture f;
  f.cdp.call("", "A.slow", "", 5000, f.logged(1));
  f.cdp.call("", "A.late", "", 30, f.logged(2));
  CHECK(f.until_logged(1, 2000));
  f.browser.say(R"({"id":2,"result":{}})");
  f.browser.say(R"({"id":99,"result":{}})");
  f.browser.say(R"({"id":1,"result":{}})");
  f.browser.say(R"({"id":1,"result":{}})");
  f.browser.say(R"({"method":"E.end"})");
  bool ended = false;
  f.cdp.on_events("", [&](std::string_view, const Json&, const std::string&) { ended = true; });
  CHECK(run_until(f.loop, [&] { return ended; }));
  CHECK(f.log == Log{"timeout 2", "ok 1"});
}

TEST_CASE("thousands of calls keep their own deadlines", "[cdp]") {
  Fixture f;
  for (int i = 0; i < 4000; ++i) f.cdp.call("", "A.a", "", i % 2 == 0 ? 50 : 60000, f.logged(i % 2));
  std::thread drain([&] { f.browser.take_commands(); });
  CHECK(f.until_logged(2000));
  drain.join();
  CHECK(std::count(f.log.begin(), f.log.end(), "timeout 0") == 2000);
}

TEST_CASE("messages of wrong types are counted and never thrown", "[cdp]") {
  Fixture f;
  const std::string bad = GENERATE(R"({"id":1,)", R"([1,2])", R"({"id":"1","result":{}})", R"({"id":1,"result":[]})",
                                   R"({"id":1})", R"({"method":7})", R"({"method":"E.e","params":[]})",
                                   R"({"method":"E.e","sessionId":5})", "", "\xff\xfe");
  f.log_events("");
  CAPTURE(bad);
  f.browser.say(bad);
  f.browser.say(R"({"method":"E.good"})");
  // Text that is no UTF-8 ends a WebSocket (RFC 6455, 8.1).
  if (f.kind == WireKind::websocket && bad == "\xff\xfe") {
    CHECK(run_until(f.loop, [&] { return f.cdp.lost(); }));
    return;
  }
  REQUIRE(f.until_logged(1));
  CHECK(f.log == Log{"E.good"});
  CHECK(f.cdp.malformed_count() == 1);
  CHECK_FALSE(f.cdp.lost());
}

TEST_CASE("a call whose answer is malformed fails at once", "[cdp]") {
  Fixture f;
  f.cdp.call("", "A.a", "", 60000, f.logged(1));
  f.browser.say(R"({"id":1,"result":7})");
  CHECK(f.until_logged(1, 2000));
  CHECK(f.log == Log{"cdp_error 1"});
}

TEST_CASE("three malformed messages lose the browser", "[cdp]") {
  Fixture f;
  f.cdp.on_lost([&](const Error& error) { f.log.push_back("lost: " + error.message); });
  f.cdp.call("", "A.a", "", 60000, f.logged(1));
  f.browser.say("{");
  f.browser.say("[1]x");
  f.browser.say("null");
  REQUIRE(f.until_logged(2, 2000));
  CHECK(f.log == Log{"browser_lost 1", "lost: the browser sent 3 messages that are no DevTools messages"});
}

TEST_CASE("deep nesting and lone surrogates do no harm", "[cdp]") {
  Fixture f;
  std::string seen;
  f.cdp.on_events("", [&](std::string_view, const Json& params, const std::string&) { seen = params["text"]; });
  f.browser.say(R"({"method":"E.deep","params":{"a":)" + std::string(20000, '[') + std::string(20000, ']') + "}}");
  f.browser.say(R"({"method":"E.lone","params":{"text":"a\ud800b"}})");
  REQUIRE(run_until(f.loop, [&] { return !seen.empty(); }));
  CHECK(seen ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(f.cdp.malformed_count() == 0);
}

TEST_CASE("an answer that nests too deep is an error of its call alone", "[cdp]") {
  Fixture f;
  for (int id = 1; id <= 4; ++id) {
    f.cdp.call("", "A.a", "", 60000, f.logged(id));
    f.browser.say(R"({"id":)" + std::to_string(id) + R"(,"result":{"a":)" + std::string(300, '[') +
                  std::string(300, ']') + "}}");
  }
  REQUIRE(f.until_logged(4, 2000));
  CHECK(f.log == Log{"cdp_too_large 1", "cdp_too_large 2", "cdp_too_large 3", "cdp_too_large 4"});
  CHECK_FALSE(f.cdp.lost());
}

TEST_CASE("pending calls fail when the browser goes away, then on_lost runs once", "[cdp]") {
  Fixture f;
  f.cdp.on_lost([&](const Error&) { f.log.emplace_back("lost"); });
  f.cdp.call("", "A.a", "", 60000, f.logged(1));
  f.cdp.call("S", "A.b", "", 60000, f.logged(2));
  f.browser.die();
  REQUIRE(f.until_logged(3, 2000));
  CHECK(f.cdp.lost());
  f.cdp.call("S", "A.c", "", 60000, f.logged(3));
  CHECK(f.log.size() == 3);
  REQUIRE(f.until_logged(4, 2000));
  CHECK(f.log == Log{"browser_lost 1", "browser_lost 2", "lost", "browser_lost 3"});
}

TEST_CASE("writing to a browser that no longer reads is a loss and no signal", "[cdp]") {
  Fixture f(WireKind::pipe);
  f.cdp.on_lost([&](const Error&) { f.log.emplace_back("lost"); });
  f.browser.stop_reading();
  f.cdp.call("", "A.a", "", 60000, f.logged(1));
  CHECK(f.log.empty());
  REQUIRE(f.until_logged(2, 2000));
  CHECK(f.log == Log{"browser_lost 1", "lost"});
}

TEST_CASE("commands to a browser that does not read are bounded", "[cdp]") {
  Fixture f;
  const std::string params = R"({"text":")" + std::string(10 << 20, 'x') + "\"}";
  for (int i = 0; i < 8; ++i) f.cdp.call("", "A.a", params, 60000, f.logged(i));
  REQUIRE(f.until_logged(1, 2000));
  CHECK(f.log.front().rfind("cdp_error", 0) == 0);
  CHECK_FALSE(f.cdp.lost());
}

TEST_CASE("failing a session fails its calls alone", "[cdp]") {
  Fixture f;
  f.cdp.call("S", "A.a", "", 60000, f.logged(1));
  f.cdp.call("T", "A.b", "", 60000, f.logged(2));
  f.cdp.fail_session("S", Error{ErrorKind::page_crashed, "the page crashed", "", ""});
  CHECK(f.log.empty());
  REQUIRE(f.until_logged(1));
  f.browser.say(R"({"id":1,"result":{}})");
  f.browser.say(R"({"id":2,"result":{}})");
  REQUIRE(f.until_logged(2));
  CHECK(f.log == Log{"page_crashed 1", "ok 2"});
}

TEST_CASE("closing fails what is pending without calling it a loss", "[cdp]") {
  Fixture f;
  f.cdp.on_lost([&](const Error&) { f.log.emplace_back("lost"); });
  f.cdp.call("", "A.a", "", 60000, f.logged(1));
  f.cdp.close();
  f.cdp.close();
  REQUIRE(f.until_logged(1));
  bool turn = false;
  f.loop.post([&] { turn = true; });
  CHECK(run_until(f.loop, [&] { return turn; }));
  CHECK(f.log == Log{"browser_lost 1"});
}

TEST_CASE("a handler may remove its own route and destroy the connection", "[cdp]") {
  EventLoop loop;
  FakeBrowser browser(GENERATE(WireKind::pipe, WireKind::websocket));
  auto cdp = std::make_unique<CdpConnection>(loop, browser.wire(loop));
  bool called = false;
  cdp->on_events("", [&](std::string_view, const Json&, const std::string&) {
    called = true;
    cdp->on_events("", nullptr);
    cdp.reset();
  });
  browser.say(R"({"method":"E.a"})");
  browser.say(R"({"method":"E.b"})");
  CHECK(run_until(loop, [&] { return called; }));
  CHECK_FALSE(cdp);
}
