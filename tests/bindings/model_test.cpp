#include <atomic>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "host/base64.h"
#include "host/image/image.h"
#include "tests/bindings/vm_fixture.h"
#include "tests/support/fault_server.h"

using namespace qa;
using namespace qa::lua;
using qa::test::FaultServer;
using qa::test::Peer;

namespace {

/// A chat answer whose text is one of these, in order, the last again and again.
FaultServer::Script saying(std::vector<std::string> texts, const std::string& finish = "stop") {
  auto next = std::make_shared<std::atomic<std::size_t>>(0);
  return [texts, finish, next](Peer& peer) {
    while (!peer.request().empty()) {
      const std::size_t i = std::min(next->fetch_add(1), texts.size() - 1);
      const nlohmann::json body = {{"id", "a"},
                                   {"choices", {{{"finish_reason", finish}, {"message", {{"content", texts[i]}}}}}},
                                   {"usage", {{"prompt_tokens", 100}, {"completion_tokens", 10}}}};
      const std::string text = body.dump();
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
    }
  };
}

/// MOCK_KEY belongs to the server.
VmOptions with_key(const FaultServer& server) {
  VmOptions options;
  options.models.endpoints = R"({"mock": {"key_env": "MOCK_KEY", "base_url": ")" + server.url("/v1") + "\"}}";
  options.models.budget_usd = "0.01";
  options.environment = [](const std::string& name) { return name == "MOCK_KEY" ? "sk-secret-canary" : ""; };
  return options;
}

std::string endpoint(const FaultServer& server) {
  return "local mock = { name = 'mock', base_url = '" + server.url("/v1") +
         "', model = 'm', key_env = 'MOCK_KEY', price = { input = '1', output = '1' } }\n";
}

}  // namespace

TEST_CASE("a script asks a model and is told what it cost", "[bindings][llm]") {
  FaultServer server(saying({"a spaceship"}));
  VmFixture fixture(with_key(server));
  REQUIRE_RUNS(fixture, endpoint(server) + R"(
    local answer = assert(qa.llm.ask{ endpoint = mock, system = "You see.", prompt = "What is this?", max_output = 50 })
    assert(answer.text == "a spaceship" and answer.finish == "stop" and answer.usage.input == 100)
    assert(math.abs(answer.usd - 0.00011) < 1e-9, answer.usd)
    assert(math.abs(qa.budget.spent() - 0.00011) < 1e-9 and qa.budget.left() < 0.01)
    assert(#qa.budget.spending() == 1)
  )");
  const auto requests = server.requests();
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].find("\"max_tokens\":50") != std::string::npos);
}

TEST_CASE("an object is checked, and asked for once more when it does not fit", "[bindings][llm]") {
  FaultServer server(saying({R"({"name":"x","count":7})", R"({"name":"x","count":3})"}));
  VmFixture fixture(with_key(server));
  REQUIRE_RUNS(fixture, endpoint(server) + R"(
    local s = qa.schema
    local schema = s.object{ { "name", s.string() }, { "count", s.integer{ max = 5 } } }
    local value, answer = qa.llm.object{ endpoint = mock, prompt = "How many?", schema = schema }
    assert(value and value.count == 3 and value.name == "x", tostring(answer))
    assert(#answer.attempts == 2 and math.abs(answer.usd - 0.00022) < 1e-9)
  )");
  CHECK(server.requests().size() == 2);
  CHECK(server.requests()[1].find("does not fit") != std::string::npos);
}

TEST_CASE("an answer that never fits is a typed failure", "[bindings][llm]") {
  FaultServer server(saying({"not json at all"}));
  VmFixture fixture(with_key(server));
  REQUIRE_RUNS(fixture, endpoint(server) + R"(
    local s = qa.schema
    local value, err = qa.llm.object{ endpoint = mock, prompt = "?", schema = s.object{ { "a", s.string() } } }
    assert(value == nil and err.kind == "llm_invalid" and err.usd > 0, tostring(err))
  )");
}

TEST_CASE("a cut answer and nobody to ask are outcomes", "[bindings][llm]") {
  FaultServer server(saying({"long"}, "length"));
  VmFixture fixture(with_key(server));
  REQUIRE_RUNS(fixture, endpoint(server) + R"(
    local answer, err = qa.llm.ask{ endpoint = mock, prompt = "?" }
    assert(answer == nil and err.kind == "llm_truncated" and err.detail.text == "long")
    answer, err = qa.llm.ask{ prompt = "?" }
    assert(answer == nil and err.kind == "llm_unavailable" and not qa.llm.is_available("vision"))
    mock.price = nil
    answer, err = qa.llm.ask{ endpoint = mock, prompt = "?" }
    assert(answer == nil and err.kind == "budget_exceeded" and err.message:find("price"), tostring(err))
  )");
  CHECK(server.requests().size() == 1);
}

TEST_CASE("a call that the server refuses tells its attempts beside the status", "[bindings][llm]") {
  FaultServer server([](Peer& peer) {
    while (!peer.request().empty()) peer.send("HTTP/1.1 400 Bad\r\nContent-Length: 2\r\n\r\n{}");
  });
  VmFixture fixture(with_key(server));
  REQUIRE_RUNS(fixture, endpoint(server) + R"(
    local answer, err = qa.llm.ask{ endpoint = mock, prompt = "?" }
    assert(answer == nil and err.detail.status == 400 and #err.detail.attempts == 1 and err.detail.usd == 0, qa.json.encode(err.detail))
  )");
}

TEST_CASE("no script spends past the cap or raises it", "[bindings][llm]") {
  FaultServer server(saying({"x"}));
  VmFixture fixture(with_key(server));
  REQUIRE_RUNS(fixture, endpoint(server) + R"(
    local child = assert(qa.budget.child{ usd = 0.0005, name = "small" })
    local answer, err = qa.llm.ask{ endpoint = mock, prompt = "?", max_output = 1000, budget = child }
    assert(answer == nil and err.kind == "budget_exceeded", tostring(err))
    assert(qa.llm.ask{ endpoint = mock, prompt = "?", max_output = 100, budget = child })
    assert(child:spent() > 0 and qa.budget.spent() == child:spent())
    local none, problem = qa.budget.child{ usd = 5 }
    assert(none == nil and problem.kind == "budget_exceeded")
    assert(select(2, qa.budget.lower(1)).kind == "budget_exceeded")
    assert(qa.budget.lower(0.001))
    assert(select(2, qa.llm.ask{ endpoint = mock, prompt = "?", max_output = 1000 }).kind == "budget_exceeded")
    assert(qa.budget.state().held == 0)
  )");
  CHECK(server.requests().size() == 1);
}

TEST_CASE("pictures are sent in the model's size and points come back in the page's", "[bindings][llm]") {
  FaultServer server(saying({R"({"at":{"x":500,"y":250}})"}));
  VmFixture fixture(with_key(server));
  Image image(1280, 720, 3);
  std::fill(image.pixels.begin(), image.pixels.end(), std::uint8_t{90});
  const std::string path = fixture.write("page.png", encode_png(image));
  REQUIRE_RUNS(fixture, endpoint(server) + "local path = '" + path + "'\n" + R"(
    local shot = assert(qa.image.load(path))
    local width, height = shot:size()
    mock.model, mock.free, mock.price = "qwen3-vl-test", true, nil
    local s = qa.schema
    local value, err = qa.llm.object{ endpoint = mock, prompt = "Where?", images = { shot }, schema = s.object{ { "at", s.point() } } }
    assert(value, tostring(err))
    assert(math.abs(value.at.x - width * 0.5) <= 1 and math.abs(value.at.y - height * 0.25) <= 1)
  )");
  CHECK(server.requests()[0].find("data:image/png;base64,") != std::string::npos);
}

TEST_CASE("C-042: a conversation with a vendor's computer goes on with the screen as its answer", "[bindings][llm]") {
  FaultServer server([](Peer& peer) {
    while (!peer.request().empty()) {
      const std::string text =
          R"({"id":"r","status":"completed","output":[{"type":"computer_call","id":"i","call_id":"k1","status":"completed",)"
          R"("action":{"type":"click","button":"left","x":10,"y":20},"pending_safety_checks":[{"id":"s"}]}],)"
          R"("usage":{"input_tokens":1,"output_tokens":1}})";
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
    }
  });
  VmFixture fixture(with_key(server));
  Image image(64, 64, 3);
  std::fill(image.pixels.begin(), image.pixels.end(), std::uint8_t{90});
  const std::string path = fixture.write("page.png", encode_png(image));
  REQUIRE_RUNS(fixture, endpoint(server) + "local path = '" + path + "'\n" + R"(
    local shot = assert(qa.image.load(path))
    mock.dialect, mock.model = "openai-responses", "computer-use-preview"
    local tools = { { name = "computer", vendor = '{"type":"computer_use_preview"}' } }
    local talk = { { role = "user", parts = { { text = "play" }, { image = shot } } } }
    local first = assert(qa.llm.ask{ endpoint = mock, messages = talk, tools = tools, max_output = 50 })
    local call = first.tool_calls[1]
    assert(first.finish == "tool_calls" and call.id == "k1" and call.toolset == "computer" and call.checks == '[{"id":"s"}]', call.checks)
    assert(qa.json.decode(call.arguments)[1].x == 10)
    talk[2] = { role = "assistant", items = first.items }
    talk[3] = { role = "tool", tool_call_id = call.id, toolset = call.toolset, checks = call.checks, parts = { { image = shot } } }
    local second = assert(qa.llm.ask{ endpoint = mock, messages = talk, tools = tools, max_output = 50 })
    assert(second.attempts[1].reserved_usd > first.attempts[1].reserved_usd, "the second picture is reserved for")
    local model = assert(qa.llm.model{ endpoint = mock })
    assert(model.dialect == "openai-responses" and model.computer == "computer_use_preview" and model.max_output == 1024)
    local from_schema = { name = "zoom", description = "d", parameters = qa.schema.object{ { "n", qa.schema.integer() } } }
    assert(qa.llm.ask{ endpoint = mock, prompt = "?", tools = { from_schema }, max_output = 50 })
  )");
  REQUIRE(server.requests().size() == 3);
  const std::string body = server.requests()[1];
  CHECK(
      body.find(
          R"("type":"computer_call_output","call_id":"k1","output":{"type":"computer_screenshot","image_url":"data:)") !=
      std::string::npos);
  CHECK(body.find(R"("acknowledged_safety_checks":[{"id":"s"}])") != std::string::npos);
  CHECK(server.requests()[2].find(R"("parameters":{"type":"object")") != std::string::npos);
}

TEST_CASE("marks are drawn on the picture as it is sent, and an estimate is what is reserved", "[bindings][llm]") {
  FaultServer server(saying({"eight"}));
  VmFixture fixture(with_key(server));
  Image image(1280, 720, 3);
  std::fill(image.pixels.begin(), image.pixels.end(), std::uint8_t{90});
  const std::string path = fixture.write("page.png", encode_png(image));
  REQUIRE_RUNS(fixture, endpoint(server) + "local path = '" + path + "'\n" + R"(
    local shot = assert(qa.image.load(path))
    mock.model = "qwen3-vl-test"
    local request = { endpoint = mock, prompt = "Which?", images = { shot }, max_side = 640, max_output = 30,
      marks = { { x = 640, y = 360, width = 320, height = 180, label = 8 } } }
    local space = assert(qa.llm.space(request))
    assert(space.width == 640 and space.height == 352 or space.height == 360, space.height)
    local estimate = assert(qa.llm.estimate(request))
    assert(estimate.image_tokens > 0 and estimate.input_upper > estimate.image_tokens and estimate.endpoint == "mock")
    local answer = assert(qa.llm.ask(request))
    assert(math.abs(answer.attempts[1].reserved_usd - estimate.usd) < 1e-12, estimate.usd)
    request.marks = { { x = 1 } }
    assert(not pcall(qa.llm.ask, request))
  )");
  const std::string body = server.requests().at(0);
  const std::size_t start = body.find("base64,") + 7;
  const auto sent = decode_image(decode_base64(body.substr(start, body.find('"', start) - start)).value());
  REQUIRE(sent);
  CHECK((*sent)->width == 640);
  const auto red = [&](int x, int y) { return (*sent)->row(y)[x * (*sent)->channels]; };
  const int middle = (*sent)->height * 5 / 8;
  CHECK(red(400, middle) == 90);
  CHECK(red(319, middle) != 90);
  CHECK(red(310, middle) == 90);
}

TEST_CASE("two calls run at the same time, and a cancelled one is given up", "[bindings][llm]") {
  // Nobody is answered before both have asked.
  auto asked = std::make_shared<std::atomic<int>>(0);
  FaultServer server([asked](Peer& peer) {
    const std::string request = peer.request();
    if (request.find("slow") != std::string::npos) return peer.hold();
    asked->fetch_add(1);
    for (int i = 0; i < 2000 && asked->load() < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (asked->load() < 2) return;
    const std::string text =
        R"({"choices":[{"finish_reason":"stop","message":{"content":"y"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}})";
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
  });
  VmFixture fixture(with_key(server));
  REQUIRE_RUNS(fixture, endpoint(server) + R"(
    local function ask() return qa.llm.ask{ endpoint = mock, prompt = "quick" } end
    local a, b = qa.all(ask, ask)
    assert(a.text == "y" and b.text == "y")
    local none, err = qa.with_deadline(100, function() return qa.llm.ask{ endpoint = mock, prompt = "slow" } end)
    assert(none == nil and err.kind == "timeout", tostring(err))
    qa.sleep(50)
    assert(qa.budget.state().held == 0, "held " .. qa.budget.state().held)
  )");
}

TEST_CASE("the journal tells calls and never a key or a word of them", "[bindings][llm]") {
  FaultServer server(saying({"the answer text"}));
  VmFixture fixture(with_key(server));
  REQUIRE_RUNS(fixture, endpoint(server) + R"(
    assert(qa.run.open{ slug = "models" })
    assert(qa.llm.ask{ endpoint = mock, prompt = "a private question", purpose = "look" })
    local lines = qa.run.journal()
    local seen = {}
    for _, line in ipairs(lines) do if line.op == "event" then seen[line.args.name] = line.args.data end end
    assert(seen.llm_reserved.usd > seen.llm_call.usd and seen.llm_call.purpose == "look" and seen.llm_call.model == "m")
    for _, line in ipairs(lines) do
      local text = qa.json.encode(line)
      assert(not text:find("canary") and not text:find("private") and not text:find("answer text"), text)
    end
  )");
}

namespace {

/// A Vm whose user has a configuration, in a project with one of its own.
VmOptions with_configuration(const std::string& folder) {
  VmOptions options;
  options.environment = [folder](const std::string& name) {
    return name == "XDG_CONFIG_HOME" ? folder : name == "WORK_KEY" ? "sk-secret-canary" : "";
  };
  return options;
}

}  // namespace

TEST_CASE("the user's own configuration says where its keys go, and nothing else can", "[bindings][llm]") {
  FaultServer server(saying({"yes"})), evil(saying({"no"}));
  char name[] = "/tmp/qa-configuration-XXXXXX";
  const std::string folder = mkdtemp(name);
  VmFixture fixture(with_configuration(folder));
  std::filesystem::create_directories(folder + "/qa-host");
  std::ofstream(folder + "/qa-host/config.lua")
      << "assert(qa == nil and require == nil and load == nil)\n"
      << "return { endpoints = { work = { base_url = '" << server.url("/v1")
      << "', model = 'm', key_env = 'WORK_KEY', free = true } }, roles = { vision = 'work' } }";
  REQUIRE_RUNS(fixture, "local evil = '" + evil.url("/v1") + "'" + R"(
    local config = require("qa.model.config").get()
    config.endpoints.work = { base_url = evil, model = "m", key_env = "WORK_KEY", free = true }
    local answer, err = qa.llm.ask{ prompt = "?" }
    assert(answer == nil and err.message:find "the key WORK_KEY is not sent to", tostring(err))
    config.endpoints.work = nil
    require("qa.model.config").loaded = nil
    assert(qa.llm.ask{ prompt = "?" }.text == "yes")
    assert(select(2, qa.llm.ask{ prompt = "?", endpoint = { base_url = evil, model = "m", key_env = "HOME", free = true } })
      .message:find "no endpoint of your configuration has the key HOME")
    assert(not pcall(qa.internal.environment, "XDG_CONFIG_HOME"))
  )");
  CHECK(server.requests().size() == 1);
  CHECK(evil.connections() == 0);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a configuration that is none is an error with its path", "[bindings][llm]") {
  char name[] = "/tmp/qa-configuration-XXXXXX";
  const std::string folder = mkdtemp(name), path = folder + "/qa-host/config.lua";
  std::filesystem::create_directories(folder + "/qa-host");
  for (const char* text : {"return 3", "return { 1, 2 }", "return {", "while true do end", "error({})",
                           "return { endpoints = function() end }", "return { roles = { a = 0 / 0 } }"}) {
    CAPTURE(text);
    std::ofstream(path) << text;
    VmFixture fixture(with_configuration(folder));
    const RunOutcome outcome = fixture.run("require('qa.model.config').get()");
    CHECK(outcome.exit_code == 3);
    CHECK_THAT(outcome.error, Catch::Contains(path + ": "));
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("without a project nothing of the working folder is read", "[bindings][llm]") {
  VmFixture fixture;
  REQUIRE_RUNS(fixture, R"(
    for _, name in ipairs{ "qa-host.lua", "strategies", "scripts/commands", "x" } do assert(qa.internal.project_path(name) == nil) end
  )");
}
