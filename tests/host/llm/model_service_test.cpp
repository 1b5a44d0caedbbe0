#include "host/llm/model_service.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/support/http_fixture.h"

using namespace qa;
using namespace qa::test;

namespace {

constexpr const char* kFine = R"({"id":"a","choices":[{"finish_reason":"stop","message":{"content":"hi"}}],)"
                              R"("usage":{"prompt_tokens":10,"completion_tokens":5}})";

ModelOptions options() {
  ModelOptions options;
  options.data = QA_SOURCE_DIR "/scripts/data";
  return options;
}

struct Fixture {
  EventLoop loop;
  std::shared_ptr<ModelService> service = *ModelService::open(loop, options());
  std::vector<std::string> ends;  ///< What each call ended with: text or the kind of its error.

  ModelRequest request(const std::string& base_url) {
    ModelRequest request;
    request.plan.endpoint.name = "mock";
    request.plan.endpoint.base_url = base_url;
    request.plan.endpoint.model = "m";
    request.plan.endpoint.price = R"({"input": "1", "output": "1"})";
    Message& message = request.question.messages.emplace_back();
    message.parts.push_back({"what is this?", {}});
    message.parts.emplace_back().image.emplace().sha256 = "1";
    request.pictures.push_back(std::make_shared<Picture>(std::make_shared<const Image>(8, 4, 3)));
    return request;
  }

  std::function<void()> ask(ModelRequest request) {
    return service->ask(std::move(request), nullptr, [this](const CallPlan&, Result<CallResult> result) {
      ends.push_back(!result         ? std::string(kind_name(result.error().kind))
                     : result->error ? std::string(kind_name(result->error->kind))
                                     : result->answer->text);
      loop.stop();
    });
  }

  /// Runs everything that is due, and the jobs of the pool that end in time.
  void run_for(int ms) {
    loop.after(std::chrono::milliseconds(ms), [this] { loop.stop(); });
    loop.run();
  }
};

}  // namespace

TEST_CASE("amounts, cassette modes and tables that cannot be used are named", "[model_service]") {
  EventLoop loop;
  ModelOptions wrong = options();
  wrong.day_usd = "a lot";
  CHECK(ModelService::open(loop, wrong).error().message == "day budget: expected dollars such as 0.50, got 'a lot'");
  wrong = options();
  wrong.cassette = "/nowhere", wrong.cassette_mode = "rewind";
  CHECK(ModelService::open(loop, wrong).error().kind == ErrorKind::type_mismatch);
  wrong = options();
  wrong.data = "/nowhere";
  CHECK(ModelService::open(loop, wrong).error().kind == ErrorKind::io_error);
}

TEST_CASE("the user's own price pays for a call with its picture, out of the budget that was named",
          "[model_service]") {
  FaultServer server(always(answer_with(kFine)));
  Fixture fixture;
  REQUIRE(fixture.service->overlay("", R"({"rows": [{"models": ["m"], "image": {"rule": "fixed", "base": 85},
      "source": "me", "date": "2026-11-22"}]})"));
  ModelRequest request = fixture.request(server.url("/v1"));
  CHECK_FALSE(fixture.service->open_scope(0, "too much", kDollar));
  request.scope = *fixture.service->open_scope(0, "opinion", kDollar / 100);
  const auto estimate = fixture.service->estimate(request);
  REQUIRE(estimate);
  CHECK(estimate->image_tokens == 85);
  fixture.ask(request);
  fixture.loop.run();
  CHECK(fixture.ends == std::vector<std::string>{"hi"});
  CHECK(fixture.service->scope(request.scope).state().spent == 15'000);
  CHECK(fixture.service->scope(0).state().spent == 15'000);
  CHECK(server.requests().at(0).find("data:image/png;base64,") != std::string::npos);
}

TEST_CASE("without a price nothing is begun", "[model_service]") {
  Fixture fixture;
  ModelRequest request = fixture.request("http://127.0.0.1:9");
  request.plan.endpoint.price = "";
  CHECK(fixture.service->estimate(request).error().kind == ErrorKind::budget_exceeded);
  fixture.ask(request);
  CHECK(fixture.ends.empty());
  fixture.loop.run();
  CHECK(fixture.ends == std::vector<std::string>{"budget_exceeded"});
}

TEST_CASE("a call that is cancelled while its pictures are encoded, or whose service is gone, says nothing",
          "[model_service]") {
  FaultServer server(always(answer_with(kFine)));
  Fixture fixture;
  ModelRequest request = fixture.request(server.url("/v1"));
  request.plan.endpoint.free = true;
  const bool is_cancelled = GENERATE(true, false);
  const auto cancel = fixture.ask(request);
  is_cancelled ? cancel() : fixture.service.reset();
  fixture.run_for(kSoon);
  CHECK(fixture.ends.empty());
  CHECK(server.requests().empty());
}
