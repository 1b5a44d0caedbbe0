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
  std::shared_ptr<CdpConnection> cdp = browser.connect(loop);
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

TEST_CASE("a document that was left keeps the next capture back for a second at most", "[capture]") {
  Queue queue;
  queue.capture("of the last document", 30);
  REQUIRE(queue.sent().size() == 1);
  REQUIRE(queue.until_logged(1));
  queue.captures->document_left();
  queue.capture("of the new one", 8000);
  std::vector<int> second;
  REQUIRE(run_until(
      queue.loop, [&] { return !(second = queue.sent()).empty(); }, 8000));
  queue.answer(second[0]);
  REQUIRE(queue.until_logged(2));
  CHECK(queue.log == Log{"of the last document timeout", "of the new one"});
}

TEST_CASE("what is answered too late does not let two captures run at once", "[capture]") {
  Queue queue;
  queue.capture("late", 5000);
  const auto first = queue.sent();
  REQUIRE(first.size() == 1);
  queue.captures->document_left();
  queue.capture("next", 8000);
  std::vector<int> second;
  REQUIRE(run_until(
      queue.loop, [&] { return !(second = queue.sent()).empty(); }, 8000));
  queue.answer(first[0]);
  REQUIRE(queue.until_logged(1));
  queue.capture("last", 5000);
  CHECK(queue.sent().empty());
  queue.answer(second[0]);
  REQUIRE(queue.until_logged(2));
  CHECK(queue.sent().size() == 1);
  CHECK(queue.log == Log{"late", "next"});
}
