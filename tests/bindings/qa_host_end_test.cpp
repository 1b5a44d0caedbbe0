// Hosts that are stopped or destroyed, from any thread and while something is under way; hosts beside each other.

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include "tests/bindings/qa_host_fixture.h"
#include "tests/support/fault_server.h"

using namespace qa::test;

namespace {

std::size_t open_descriptors() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

/// Runs Lua that says print "now" once something is under way, and destroys its host from another thread then.
int destroy_when_it_says_so(Host& host, const std::string& lua) {
  Signal now;
  bool heard = false;
  host.on_print = [&](const std::string&) { now.raise(); };
  std::thread other([&] {
    heard = now.wait();
    host.destroy();
  });
  char* text = nullptr;
  const int code = qa_host_run_string(host.host, lua.c_str(), &text);
  now.raise();
  other.join();
  CHECK(heard);
  CHECK(text == nullptr);
  return code;
}

}  // namespace

TEST_CASE("a run is stopped from another thread, whatever Lua does", "[qa_host]") {
  const std::string rest = GENERATE(as<std::string>{}, "qa.sleep(1e8)", "while true do end",
                                    "while true do pcall(function() while true do end end) end",
                                    "repeat local ok = pcall(qa.sleep, 1e8) until false",
                                    "qa.all(function() qa.sleep(1e8) end, function() while true do end end)",
                                    "qa.internal.grace(1e8, function() while true do end end)",
                                    "while true do qa.internal.attempt(function() while true do end end) end",
                                    "coroutine.wrap(function() while true do end end)()");
  // What concludes has its time; everything else ends at once, long before the limit of a stretch of Lua.
  const bool concludes = rest.find("grace") != std::string::npos;
  const int deadline_ms = GENERATE(0, 1) * (concludes ? 300 : 600'000);
  Host host;
  Signal begun;
  host.on_print = [&](const std::string&) { begun.raise(); };
  int stopped = -1;
  std::thread other([&] {
    if (begun.wait()) stopped = qa_host_stop(host.host, deadline_ms);
  });
  INFO(rest << ", " << deadline_ms);
  const auto got = host.run("print 'now' " + rest);
  begun.raise();
  other.join();
  CHECK(stopped == QA_HOST_OK);
  CHECK(got.code == QA_HOST_CANCELLED);
  CHECK(host.error()["kind"] == "cancelled");
  CHECK(host.run("return 1").value == 1);
}

TEST_CASE("stops come at any moment, between runs and at their ends", "[qa_host]") {
  const Host host;
  // Nothing but the library orders the two threads.
  std::atomic<bool> is_over = false, is_wrong = false;
  std::thread other([&] {
    while (!is_over.load(std::memory_order_relaxed)) {
      const int code = qa_host_stop(host.host, 0);
      if (code != QA_HOST_OK && code != QA_HOST_NOT_RUNNING) is_wrong.store(true, std::memory_order_relaxed);
    }
  });
  int ended = 0;
  for (int i = 0; i < 100; ++i) {
    const int code = host.run(i % 2 == 0 ? "return 1" : "qa.sleep(1)").code;
    ended += code == QA_HOST_OK || code == QA_HOST_CANCELLED ? 1 : 0;
  }
  is_over.store(true, std::memory_order_relaxed);
  other.join();
  CHECK(ended == 100);
  CHECK_FALSE(is_wrong);
}

TEST_CASE("a stopped script that does not mind gets no more than a moment", "[qa_host]") {
  Host host;
  int printed = 0;
  host.on_print = [&](const std::string&) {
    if (++printed == 1) CHECK(qa_host_stop(host.host, 600'000) == QA_HOST_OK);
    if (printed == 1'000'000) host.destroy();
  };
  char* text = nullptr;
  CHECK(qa_host_run_string(host.host, "repeat print 'on' local ok = pcall(qa.sleep, 1e8) until false", &text) ==
        QA_HOST_CANCELLED);
  CHECK(printed < 1'000'000);
}

TEST_CASE("a stopped script may conclude in the time that it has left", "[qa_host]") {
  Host host;
  host.on_print = [&](const std::string& text) {
    if (text == "now") CHECK(qa_host_stop(host.host, 60'000) == QA_HOST_OK);
  };
  const auto got = host.run(R"(
    print "now"
    local ok, err = pcall(qa.sleep, 1e8)
    qa.internal.grace(50000, function() qa.sleep(20) for _ = 1, 1e6 do end print(err.kind) end)
    error(err, 0))");
  CHECK(got.code == QA_HOST_CANCELLED);
  CHECK(host.printed == "now\ncancelled\n");
  const auto asked_meanwhile = host.run(R"(
    qa.internal.grace(50000, function() print "now" for _ = 1, 1e6 do end print "concluded" end)
    qa.sleep(1e8))");
  CHECK(asked_meanwhile.code == QA_HOST_CANCELLED);
  CHECK(host.printed == "now\ncancelled\nnow\nconcluded\n");
}

TEST_CASE("a host is destroyed in the middle of its run", "[qa_host]") {
  const std::string lua = GENERATE(as<std::string>{}, "print 'now' qa.sleep(1e8)", "print 'now' while true do end",
                                   "qa.spawn(function() print 'now' end) qa.process.run{ argv = { 'sleep', '1000' } }",
                                   "qa.all(function() qa.sleep(1e8) end, function() print 'now' qa.sleep(1e8) end)");
  Host host([](qa_host_options& options) { options.allow_process = "sleep"; });
  INFO(lua);
  CHECK(destroy_when_it_says_so(host, lua) == QA_HOST_CANCELLED);
}

TEST_CASE("a function may destroy the host that calls it", "[qa_host]") {
  Host host;
  const auto destroy = [](void* user, qa_host_call* call, const char*) {
    static_cast<Host*>(user)->destroy();
    answer_with(call, 1);
  };
  REQUIRE(qa_host_add_function(host.host, "game.destroy", destroy, &host) == QA_HOST_OK);
  char* text = nullptr;
  CHECK(qa_host_run_string(host.host, "require('game').destroy() while true do end", &text) == QA_HOST_CANCELLED);
  CHECK(text == nullptr);
}

TEST_CASE("a host that waits for a model is destroyed", "[qa_host][llm]") {
  const std::string busy = "HTTP/1.1 503 Busy\r\nRetry-After: 30\r\nContent-Length: 0\r\n\r\n";
  const std::string phase = GENERATE("posted", "silent", "backing off");
  Host host;
  Signal asked;
  FaultServer server([&](Peer& peer) {
    while (!peer.request().empty()) {
      if (phase != "backing off") return asked.raise(), peer.hold();
      peer.send(busy);
      asked.raise();
    }
  });
  host.model_url = server.url("/v1");
  host.on_print = [&](const std::string&) { asked.raise(); };
  const std::string ask = "qa.llm.ask{ endpoint = { name = 'mock', base_url = '" + host.model_url +
                          "', model = 'm', free = true }, prompt = 'x' }";
  std::thread other([&] {
    asked.wait();
    host.destroy();
  });
  INFO(phase);
  const std::string lua = phase == "posted"
                              ? "qa.all(function() " + ask + " end, function() print 'now' qa.sleep(1e8) end)"
                              : ask + " qa.sleep(1e8)";
  CHECK(qa_host_run_string(host.host, lua.c_str(), nullptr) == QA_HOST_CANCELLED);
  other.join();
}

TEST_CASE("a host is destroyed while its browser starts, loads or is asked", "[qa_host][browser]") {
  const std::string lua =
      GENERATE(as<std::string>{}, "qa.all(qa.browser.launch, function() print 'now' qa.sleep(1e8) end)",
               "local b = qa.browser.launch() print 'now' b:new_page{}",
               "local p = qa.browser.launch():new_page{} print 'now' p:navigate(URL)",
               "local p = qa.browser.launch():new_page{} print 'now' p:evaluate('new Promise(() => 0)')",
               "local p = qa.browser.launch():new_page{} print 'now' p:screenshot() p:settle{} qa.sleep(1e8)",
               "local b = qa.browser.launch() print 'now' b:close() qa.sleep(1e8)");
  FaultServer server([](Peer& peer) { peer.hold(); });
  Host host;
  const std::size_t descriptors = open_descriptors();
  INFO(lua);
  CHECK(destroy_when_it_says_so(host, "local URL = '" + server.url() + "' " + lua) == QA_HOST_CANCELLED);
  // Nothing is left of the browser: no pipe, and no profile in the folder of the run.
  CHECK(open_descriptors() <= descriptors + 2);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(host.out))
    CHECK(entry.path().filename() != "profile");
}

TEST_CASE("hosts live side by side: in threads of their own, and in turn in one", "[qa_host]") {
  const auto work = [](int number, std::string& failed) {
    Host a, b;
    for (int i = 0; i < 5; ++i) {
      for (const Host* host : {&a, &b}) {
        const auto got =
            host->run("local s = 0 for i = 1, 1e4 do s = s + i end qa.sleep(1) return s + " + std::to_string(number));
        if (got.code != QA_HOST_OK || got.value != 50005000 + number) failed = qa_host_last_error(host->host);
      }
    }
  };
  std::array<std::string, 4> failed;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < failed.size(); ++i)
    threads.emplace_back([&, i] { work(static_cast<int>(i), failed[i]); });
  for (auto& thread : threads) thread.join();
  for (const std::string& text : failed) CHECK(text == "");
}

TEST_CASE("hosts that come and go leave no descriptor open", "[qa_host]") {
  const auto cycle = [] {
    Host host;
    CHECK(host.run("qa.sleep(1) return #qa.image.load('" QA_SOURCE_DIR "/no.png')").code == QA_HOST_FAILED);
  };
  cycle();
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 20; ++i) cycle();
  CHECK(open_descriptors() == before);
}
