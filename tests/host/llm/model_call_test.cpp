#include "host/llm/model_call.h"

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "host/llm/cassette.h"
#include "host/llm/key_hosts.h"
#include "tests/support/fault_server.h"
#include "tests/support/http_fixture.h"

using namespace qa;
using namespace qa::test;

namespace {

constexpr const char* kFine =
    R"({"id":"a","choices":[{"finish_reason":"stop","message":{"content":"hi"}}],"usage":{"prompt_tokens":10,"completion_tokens":5}})";

std::string status_with(const std::string& status, const std::string& body, const std::string& headers = "") {
  return "HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// A call and what it needs: a server that answers by script, a budget of a dollar, a price of $1 per million tokens
/// either way.
struct Fixture {
  Caller caller;
  BudgetScope budget;
  std::unique_ptr<Cassette> cassette;
  std::string key = "sk-secret-canary", key_url;
  std::vector<Nano> reserved;
  CallPlan plan;
  Question question;

  explicit Fixture(const std::string& base_url, Nano cap = kDollar)
      : budget(caller.loop, Scope::open("run", cap), nullptr), key_url(base_url) {
    plan.endpoint.name = "mock";
    plan.endpoint.base_url = base_url;
    plan.endpoint.model = "m";
    plan.endpoint.key_env = "MOCK_KEY";
    plan.price.provider = "mock";
    plan.price.prices = {kDollar, kDollar, std::nullopt, std::nullopt};
    plan.purpose = "test";
    question.messages.push_back({Message::Role::user, {{"hello", {}}}, {}, "", ""});
    question.max_output = 100;
  }

  /// MOCK_KEY belongs to the endpoint of the plan.
  KeyHosts keys() const {
    KeyHosts hosts([this](const std::string& name) { return name == "MOCK_KEY" ? key : ""; });
    REQUIRE(hosts.add_own(R"({"mock": {"key_env": "MOCK_KEY", "base_url": ")" + key_url + "\"}}"));
    return hosts;
  }
  std::shared_ptr<int> owner = std::make_shared<int>(0);

  CallServices services() {
    return {owner,
            caller.loop,
            *caller.client,
            budget,
            cassette.get(),
            [this](const std::string& name, const std::string& url) { return keys().key_for(name, url); },
            [this](const CallPlan&, int, Nano amount) { reserved.push_back(amount); }};
  }

  CallResult ask() {
    std::optional<CallResult> result;
    ask_model(services(), plan, question, [&](CallResult got) {
      CHECK_FALSE(result);
      result = std::move(got);
      caller.loop.stop();
    });
    CHECK_FALSE(result);
    caller.run();
    REQUIRE(result);
    CHECK(budget.scope().state().held == 0);
    if (result->error) CHECK(result->error->message.find("canary") == std::string::npos);
    return std::move(*result);
  }
};

FaultServer::Script answering(const std::string& answer) {
  return [answer](Peer& peer) {
    while (!peer.request().empty()) peer.send(answer);
  };
}

/// First this, from then on the fine answer.
FaultServer::Script first_then_fine(const std::string& first) {
  auto asked = std::make_shared<std::atomic<int>>(0);
  return [asked, first](Peer& peer) {
    while (!peer.request().empty()) peer.send(asked->fetch_add(1) == 0 ? first : answer_with(kFine));
  };
}

}  // namespace

TEST_CASE("an answer costs what its usage says", "[model_call]") {
  FaultServer server(answering(answer_with(kFine)));
  Fixture fixture(server.url("/v1"));
  const CallResult result = fixture.ask();
  REQUIRE(result.answer);
  CHECK(result.answer->text == "hi");
  CHECK(result.spent == 15'000);
  CHECK(fixture.budget.scope().state().spent == 15'000);
  CHECK(fixture.reserved.size() == 1);
  CHECK(fixture.reserved[0] > 100'000);
  const auto requests = server.requests();
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].find("POST /v1/chat/completions") == 0);
  CHECK(requests[0].find("Bearer sk-secret-canary") != std::string::npos);
}

TEST_CASE("a call that the budget refuses sends nothing", "[model_call]") {
  FaultServer server(answering(answer_with(kFine)));
  Fixture fixture(server.url("/v1"), 1000);
  const CallResult result = fixture.ask();
  REQUIRE(result.error);
  CHECK(result.error->kind == ErrorKind::budget_exceeded);
  CHECK(server.connections() == 0);
}

TEST_CASE("a picture whose cost is not known is not sent for money", "[model_call]") {
  FaultServer server(answering(answer_with(kFine)));
  Fixture fixture(server.url("/v1"));
  SentImage image{"image/png", std::make_shared<const std::string>("AAEC"), 10, 10, "00", 0, ""};
  fixture.question.messages[0].parts.push_back({"", image});
  CHECK(fixture.ask().error->kind == ErrorKind::budget_exceeded);
  CHECK(server.connections() == 0);
  fixture.plan.price = PriceRow{};
  CHECK(fixture.ask().answer);
}

TEST_CASE("without its key a call says which variable is missing", "[model_call]") {
  Fixture fixture("http://127.0.0.1:9");
  fixture.key = "";
  CHECK(fixture.ask().error->message.find("MOCK_KEY") != std::string::npos);
}

TEST_CASE("busy servers are asked again, and nothing is paid for refusals", "[model_call]") {
  for (const std::string& first :
       {status_with("429 Busy", "{}", "Retry-After-Ms: 20\r\n"),
        status_with("503 Loading", R"({"error":{"message":"Loading model"}})", "Retry-After: 0\r\n"),
        status_with("529 Overloaded", "{}", "Retry-After-Ms: 5\r\n")}) {
    FaultServer server(first_then_fine(first));
    Fixture fixture(server.url("/v1"));
    const CallResult result = fixture.ask();
    REQUIRE(result.answer);
    CHECK(result.attempts.size() == 2);
    CHECK(result.spent == 15'000);
  }
}

TEST_CASE("what asking again cannot mend is not asked again", "[model_call]") {
  for (const std::string& answer :
       {status_with("401 No", R"({"error":{"message":"bad key sk-secret-canary"}})"), status_with("400 Bad", "{}"),
        status_with("429 Quota", R"({"error":{"code":"insufficient_quota"}})"),
        status_with("307 Moved", "", "Location: http://127.0.0.1:9/\r\n"),
        status_with("429 Later", "{}", "Retry-After: 3600\r\n"), answer_with("<html>"),
        answer_with("{\"choices\":[]}")}) {
    FaultServer server(answering(answer));
    Fixture fixture(server.url("/v1"));
    INFO(answer);
    const CallResult result = fixture.ask();
    REQUIRE(result.error);
    CHECK(result.attempts.size() == 1);
    CHECK(server.requests().size() == 1);
  }
}

TEST_CASE("an answer that nobody can read is paid for in full", "[model_call]") {
  FaultServer server(answering(answer_with("<html>")));
  Fixture fixture(server.url("/v1"));
  const CallResult result = fixture.ask();
  CHECK(result.error->kind == ErrorKind::llm_invalid);
  CHECK(result.is_assumed);
  CHECK(result.spent == fixture.reserved.at(0));
}

TEST_CASE("each attempt of a call that may have been billed counts", "[model_call]") {
  FaultServer server([](Peer& peer) {
    peer.request();
    peer.reset();
  });
  Fixture fixture(server.url("/v1"));
  const CallResult result = fixture.ask();
  CHECK(result.error->kind == ErrorKind::llm_unavailable);
  CHECK(result.attempts.size() == 3);
  CHECK(result.spent == 3 * fixture.reserved.at(0));
}

TEST_CASE("one deadline covers answers and pauses", "[model_call]") {
  FaultServer server([](Peer& peer) {
    peer.request();
    peer.hold();
  });
  Fixture fixture(server.url("/v1"));
  fixture.plan.timeout_ms = kSoon;
  const CallResult result = fixture.ask();
  CHECK(result.error->kind == ErrorKind::timeout);
  CHECK(result.attempts.size() == 1);
}

TEST_CASE("a cancelled call ends at once and keeps its reservation as spent", "[model_call]") {
  FaultServer server([](Peer& peer) {
    peer.request();
    peer.hold();
  });
  Fixture fixture(server.url("/v1"));
  std::optional<CallResult> result;
  const auto cancel = ask_model(fixture.services(), fixture.plan, fixture.question, [&](CallResult got) {
    result = std::move(got);
    fixture.caller.loop.stop();
  });
  fixture.caller.wait_for([&] { return !server.requests().empty(); });
  cancel();
  fixture.caller.run();
  REQUIRE(result);
  CHECK(result->error->kind == ErrorKind::cancelled);
  CHECK(result->spent == fixture.reserved.at(0));
  CHECK(fixture.budget.scope().state().held == 0);
}

TEST_CASE("streamed answers are read as they come", "[model_call]") {
  const std::string events =
      "data: {\"choices\":[{\"delta\":{\"content\":\"one \"}}]}\n\ndata: "
      "{\"choices\":[{\"delta\":{\"content\":\"two\"}}]}\n\n";
  const std::string end =
      "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
      "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";
  FaultServer server(answering(answer_with(events + end, "Content-Type: text/event-stream\r\n")));
  Fixture fixture(server.url("/v1"));
  fixture.question.stream = true;
  const CallResult result = fixture.ask();
  REQUIRE(result.answer);
  CHECK(result.answer->text == "one two");
  CHECK(result.spent == 3'000);

  FaultServer cut(answering(answer_with(events, "Content-Type: text/event-stream\r\n")));
  Fixture other(cut.url("/v1"));
  other.question.stream = true;
  CHECK(other.ask().error->kind == ErrorKind::llm_truncated);
}

TEST_CASE("what was recorded is replayed without a connection and costs nothing", "[model_call]") {
  char name[] = "/tmp/qa-cassette-XXXXXX";
  const std::string folder = mkdtemp(name);
  {
    FaultServer server(answering(answer_with(kFine)));
    Fixture fixture(server.url("/v1"));
    fixture.cassette = std::move(*Cassette::open(folder, CassetteMode::record));
    CHECK(fixture.ask().spent == 15'000);
    CHECK(fixture.ask().replayed_by == "exact");
    CHECK(server.requests().size() == 1);
  }
  Fixture fixture("http://127.0.0.1:9");
  fixture.key = "";
  fixture.cassette = std::move(*Cassette::open(folder, CassetteMode::replay));
  const CallResult result = fixture.ask();
  REQUIRE(result.answer);
  CHECK(result.answer->text == "hi");
  CHECK(result.spent == 0);
  CHECK(result.replayed_cost == 15'000);
  CHECK(fixture.budget.scope().state().spent == 0);
  fixture.plan.purpose = "another";
  fixture.question.messages[0].parts[0].text = "something else";
  CHECK(fixture.ask().error->kind == ErrorKind::cassette_miss);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a call of a vendor's computer is replayed with its toolset and its safety checks", "[model_call]") {
  char name[] = "/tmp/qa-cassette-XXXXXX";
  const std::string folder = mkdtemp(name);
  const std::string answer =
      R"({"status":"completed","output":[{"type":"computer_call","call_id":"k","action":{"type":"wait"},)"
      R"("pending_safety_checks":[{"id":"s"}]}],"usage":{"input_tokens":1,"output_tokens":1}})";
  CallResult recorded;
  {
    FaultServer server(answering(answer_with(answer)));
    Fixture fixture(server.url("/v1"));
    fixture.plan.endpoint.dialect = DialectKind::openai_responses;
    fixture.cassette = std::move(*Cassette::open(folder, CassetteMode::record));
    recorded = fixture.ask();
    REQUIRE(recorded.answer);
  }
  Fixture fixture("http://127.0.0.1:9");
  fixture.plan.endpoint.dialect = DialectKind::openai_responses;
  fixture.cassette = std::move(*Cassette::open(folder, CassetteMode::replay));
  const CallResult result = fixture.ask();
  REQUIRE(result.answer);
  REQUIRE(result.answer->tool_calls.size() == 1);
  CHECK(result.answer->tool_calls[0].toolset == "computer");
  CHECK(result.answer->tool_calls[0].checks == recorded.answer->tool_calls[0].checks);
  CHECK(result.answer->tool_calls[0].arguments == R"([{"type":"wait"}])");
  CHECK(result.answer->items == recorded.answer->items);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a cassette never holds a key", "[model_call]") {
  char name[] = "/tmp/qa-cassette-XXXXXX";
  const std::string folder = mkdtemp(name);
  FaultServer server(answering(answer_with(kFine)));
  Fixture fixture(server.url("/v1"));
  fixture.cassette = std::move(*Cassette::open(folder, CassetteMode::record));
  fixture.question.messages[0].parts[0].text = "my key is sk-secret-canary";
  CHECK(fixture.ask().error->kind == ErrorKind::io_error);
  CHECK_FALSE(std::filesystem::exists(folder + "/index.jsonl"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("pictures that look alike replay as the recorded ones; local ports do not matter", "[model_call]") {
  char name[] = "/tmp/qa-cassette-XXXXXX";
  const std::string folder = mkdtemp(name);
  const auto with_picture = [](Fixture& fixture, const std::string& sha, std::uint64_t dhash, int port) {
    fixture.plan.price = PriceRow{};
    fixture.question.messages[0].parts = {
        {"page http://127.0.0.1:" + std::to_string(port) + "/", {}},
        {"", SentImage{"image/png", std::make_shared<const std::string>("AAEC"), 4, 4, sha, dhash, ""}}};
  };
  {
    FaultServer server(answering(answer_with(kFine)));
    Fixture fixture(server.url("/v1"));
    fixture.cassette = std::move(*Cassette::open(folder, CassetteMode::record));
    with_picture(fixture, "aa", 0, 4000);
    CHECK(fixture.ask().answer);
    CHECK(std::filesystem::exists(folder + "/blobs/aa.png"));
  }
  Fixture fixture("http://127.0.0.1:9");
  fixture.cassette = std::move(*Cassette::open(folder, CassetteMode::replay));
  with_picture(fixture, "aa", 0, 5000);
  CHECK(fixture.ask().replayed_by == "exact");
  with_picture(fixture, "bb", 0xFF, 5000);
  CHECK(fixture.ask().replayed_by == "similar");
  with_picture(fixture, "cc", 0x1FF, 5000);
  fixture.plan.purpose = "other";
  CHECK(fixture.ask().error->kind == ErrorKind::cassette_miss);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a key that a server repeats reaches nobody", "[model_call]") {
  const std::string echo =
      R"({"id":"sk-secret-canary","model":"sk-secret-canary","choices":[{"finish_reason":"tool_calls","message":)"
      R"({"content":"it is sk-secret-canary","tool_calls":[{"id":"sk-secret-canary","type":"function","function":)"
      R"({"name":"sk-secret-canary","arguments":"{\"k\":\"sk-secret-canary\"}"}}]}}],"usage":{}})";
  FaultServer server(answering(answer_with(echo, "X-Request-Id: sk-secret-canary\r\n")));
  Fixture fixture(server.url("/v1"));
  const CallResult result = fixture.ask();
  REQUIRE(result.answer);
  CHECK(result.answer->text == "it is ***");
  REQUIRE(result.answer->tool_calls.size() == 1);
  const ToolCall& call = result.answer->tool_calls[0];
  const std::string all = result.answer->id + result.answer->model + result.answer->items + call.id + call.name +
                          call.arguments + result.attempts.at(0).request_id;
  CHECK(all.find("canary") == std::string::npos);
  CHECK(call.arguments == R"({"k":"***"})");
}

TEST_CASE("a key that comes in pieces is taken out of a streamed answer", "[model_call]") {
  std::string events;
  for (const char* piece : {"it is sk-secret", "-can", "ary, I think"}) {
    events += std::string(R"(data: {"choices":[{"delta":{"content":")") + piece + "\"}}]}\n\n";
  }
  events += "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
  FaultServer server(answering(answer_with(events, "Content-Type: text/event-stream\r\n")));
  Fixture fixture(server.url("/v1"));
  fixture.question.stream = true;
  const CallResult result = fixture.ask();
  REQUIRE(result.answer);
  CHECK(result.answer->text == "it is ***, I think");
}

TEST_CASE("a call whose key belongs elsewhere sends nothing", "[model_call]") {
  FaultServer own(answering(answer_with(kFine))), evil(answering(answer_with(kFine)));
  Fixture fixture(own.url("/v1"));
  fixture.plan.endpoint.base_url = evil.url("/v1");
  CHECK_THAT(fixture.ask().error->message, Catch::Contains("the key MOCK_KEY is not sent to"));
  // An address that ends in another host is what it ends in.
  fixture.plan.endpoint.base_url = own.url("");
  fixture.plan.endpoint.path = "@" + evil.url("/v1").substr(7);
  CHECK(fixture.ask().error->kind == ErrorKind::llm_unavailable);
  CHECK(evil.connections() == 0);
  CHECK(own.connections() == 0);
  CHECK(fixture.reserved.empty());
}

TEST_CASE("a call says nothing any more once the owner of its services is gone", "[model_call]") {
  FaultServer server(answering("HTTP/1.1 503 Busy\r\nretry-after-ms: 5\r\nContent-Length: 0\r\n\r\n"));
  Fixture fixture(server.url());
  const int steps = GENERATE(0, 3);  // Posted, and on its way.
  ask_model(fixture.services(), fixture.plan, fixture.question, [](CallResult) { FAIL("it was told"); });
  for (int i = 0; i < steps; ++i) fixture.caller.loop.io().run_one();
  fixture.owner.reset();
  fixture.caller.loop.after(std::chrono::milliseconds(50), [&] { fixture.caller.loop.stop(); });
  fixture.caller.loop.run();
  CHECK(server.requests().size() <= (steps == 0 ? 0u : 1u));
}
