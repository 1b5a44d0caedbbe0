#include "host/browser/capture_queue.h"

#include <catch2/catch.hpp>
#include <optional>

#include "tests/support/fake_browser.h"

using namespace qa;
using namespace qa::test;

namespace {

struct Queue {
  EventLoop loop;
  FakeBrowser browser;
  std::shared_ptr<CdpConnection> cdp = std::make_shared<CdpConnection>(loop, browser.to_browser, browser.from_browser);
  std::shared_ptr<CaptureQueue> captures = std::make_shared<CaptureQueue>(loop, cdp, "S");
  std::vector<std::string> log;

  void capture(const std::string& name, int timeout_ms) {
    captures->capture("{}", timeout_ms, [this, name](const Result<CdpConnection::Reply>& reply) {
      log.push_back(name + (reply ? "" : " " + std::string(kind_name(reply.error().kind))));
    });
  }
  bool until_logged(std::size_t count) {
    return run_until(
        loop, [&] { return log.size() >= count; }, 10000);
  }
  std::vector<int> sent() {
    std::vector<int> ids;
    for (const Json& command : browser.take_commands()) ids.push_back(command["id"]);
    return ids;
  }
  void answer(int id) { browser.say(R"({"id":)" + std::to_string(id) + R"(,"result":{},"sessionId":"S"})"); }
};

using Log = std::vector<std::string>;

}  // namespace

TEST_CASE("a capture that was given up keeps the next one back until the browser has answered", "[capture]") {
  Queue queue;
  queue.capture("late", 30);
  const auto first = queue.sent();
  REQUIRE(first.size() == 1);
  REQUIRE(queue.until_logged(1));
  queue.capture("next", 5000);
  CHECK(queue.sent().empty());
  queue.answer(first[0]);
  std::vector<int> second;
  REQUIRE(run_until(
      queue.loop, [&] { return !(second = queue.sent()).empty(); }, 5000));
  queue.answer(second[0]);
  REQUIRE(queue.until_logged(2));
  CHECK(queue.log == Log{"late timeout", "next"});
}

TEST_CASE("a capture whose time is over before its turn is not sent", "[capture]") {
  Queue queue;
  queue.capture("first", 5000);
  queue.capture("second", 30);
  const auto sent = queue.sent();
  REQUIRE(sent.size() == 1);
  REQUIRE(queue.until_logged(1));
  queue.answer(sent[0]);
  REQUIRE(queue.until_logged(2));
  CHECK(queue.log == Log{"second timeout", "first"});
  CHECK(queue.sent().empty());
}
