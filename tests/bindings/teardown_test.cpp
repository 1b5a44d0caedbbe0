// A Vm that ends while something is under way, at any step of it: nothing of it is called or touched afterwards, on a
// loop that goes on. What this finds, AddressSanitizer tells.

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <filesystem>

#include "tests/bindings/vm_fixture.h"
#include "tests/support/fault_server.h"
#include "tests/support/live_page.h"

using namespace qa;
using namespace qa::lua;
using qa::test::FaultServer;
using qa::test::Peer;
using qa::test::TempFolder;

namespace {

/// Runs the script for so many handlers of the loop, ends the Vm, and runs what the loop still has.
void end_after(int steps, const std::string& code) {
  using namespace std::chrono_literals;
  VmOptions options;
  options.allow_process.emplace();
  options.models.budget_usd = "0.01";
  options.environment = [](const std::string&) { return "sk-canary"; };
  const TempFolder state;
  options.models.state = state.path();
  VmFixture fixture(options);
  bool is_done = false;
  fixture.vm->run_code(code, [&](const RunOutcome&) { is_done = true; });
  auto& io = fixture.loop.io();
  for (int i = 0; i < steps && !is_done && io.run_one_for(1s) > 0; ++i) {
  }
  fixture.vm.reset();
  const bool was_done = is_done;
  io.restart();
  // Later than all that the Vm had asked for.
  bool is_later = false;
  fixture.loop.after(20ms, [&] { is_later = true; });
  while (!is_later) io.run_one_for(1s);
  CHECK(is_done == was_done);
}

}  // namespace

TEST_CASE("a Vm ends at any step of a model call", "[bindings][llm]") {
  FaultServer server([](Peer& peer) {
    while (!peer.request().empty()) peer.send("HTTP/1.1 503 Busy\r\nretry-after-ms: 5\r\nContent-Length: 0\r\n\r\n");
  });
  const std::string ask = "qa.llm.ask{ endpoint = { name = 'mock', base_url = '" + server.url("/v1") +
                          "', model = 'm', key_env = 'K', price = { input = '1', output = '1' } }, prompt = 'x' }";
  for (int steps = 0; steps < 60; ++steps) {
    INFO(steps);
    end_after(steps, ask);
  }
}

TEST_CASE("a Vm ends at any step of a large answer, of tasks and of a program", "[bindings][llm]") {
  const std::string large(400'000, 'y');
  const std::string body = R"({"choices":[{"finish_reason":"stop","message":{"content":")" + large +
                           R"("}}],"usage":{"prompt_tokens":1,"completion_tokens":1}})";
  FaultServer server([&](Peer& peer) {
    while (!peer.request().empty())
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  });
  const std::string ask = "qa.llm.ask{ endpoint = { name = 'mock', base_url = '" + server.url("/v1") +
                          "', model = 'm', free = true }, prompt = 'x' }";
  const std::string code = GENERATE_COPY(
      as<std::string>{}, ask,
      "qa.race(function() qa.sleep(1) end, function() qa.with_deadline(1, function() qa.sleep(9) end) end) "
      "local t = qa.spawn(function() qa.sleep(1) return {} end) t:join() qa.all(function() t:join() end)",
      "qa.process.run{ argv = { 'sh', '-c', 'echo a; sleep 0.01; echo b' } }",
      "qa.store.open('s'):put('k', 1) qa.serve('" QA_SOURCE_DIR "/examples/games/blank')");
  for (int steps = 0; steps < 40; ++steps) {
    INFO(steps << " " << code.substr(0, 40));
    end_after(steps, code);
  }
}

TEST_CASE("a Vm ends at any step of a browser's life", "[bindings][browser]") {
  const std::string code = "local p = qa.browser.launch():new_page{} p:navigate(qa.serve('" QA_SOURCE_DIR
                           "/examples/games/clicker').url) p:click('#start') p:screenshot() p:evaluate('1') p:close()";
  for (const int steps : {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610}) {
    INFO(steps);
    end_after(steps, code);
  }
}
