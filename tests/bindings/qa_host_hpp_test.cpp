// The C++ header of the API: owners, and exceptions of functions and listeners.

#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <qa_host.hpp>
#include <stdexcept>
#include <thread>

TEST_CASE("C++: values, errors and what a call was given", "[qa_host]") {
  qahost::Host host;
  CHECK(host.run_string("return {1, 2}") == "[1,2]");
  CHECK(host.status().empty());
  CHECK_FALSE(host.stop(0));
  host.add_module("levels", "return { first = 'garden' }");
  host.add("game.echo", [](const std::string& arguments) { return arguments; });
  CHECK(host.run_string("return require('game').echo(require('levels').first)") == R"(["garden"])");
  try {
    host.run_string("error{kind = 'mine', message = 'm'}");
    FAIL("it threw nothing");
  } catch (const qahost::Error& error) {
    CHECK(error.code() == QA_HOST_FAILED);
    CHECK(error.json().find(R"("kind":"mine")") != std::string::npos);
  }
  CHECK_THROWS_AS(host.add("no name", [](const std::string&) { return "1"; }), qahost::Error);
  CHECK_THROWS_AS(host.run_script("/no/such/script.lua"), qahost::Error);
  qahost::Options options;
  options.share = "/no/such/folder";
  CHECK_THROWS_WITH(qahost::Host(options), Catch::Contains("/no/such/folder"));
}

TEST_CASE("C++: what a function throws is the script's error", "[qa_host]") {
  qahost::Host host;
  host.add("game.broken", [](const std::string&) -> std::string { throw std::runtime_error("no level left"); });
  host.add("game.odd", [](const std::string&) -> std::string { throw 7; });
  host.add_async("game.broken_later",
                 [](const std::string&, qahost::Call&) { throw std::runtime_error("no level, too"); });
  host.add_async("game.forgotten", [](const std::string&, qahost::Call&) {});
  std::optional<std::thread> worker;
  host.add_async("game.later", [&](const std::string& arguments, qahost::Call& call) {
    worker.emplace([arguments, held = std::move(call)]() mutable { held.complete(arguments); });
  });
  const char* const lua = R"(
    local function message(name) return select(2, require("game")[name]()).message end
    return message "broken", message "odd", message "broken_later", message "forgotten", require("game").later(1)[1])";
  const std::string odd = "the function threw something that is no std::exception";
  CHECK(host.run_string(lua) ==
        R"(["no level left",")" + odd + R"(","no level, too","the function gave no answer",1])");
  worker->join();
}

TEST_CASE("C++: what a listener throws stops the run and leaves it", "[qa_host]") {
  const std::string which = GENERATE("print", "log", "environment");
  qahost::Options options;
  const auto fail = [&](const std::string& listener) {
    if (listener == which) throw std::domain_error(listener);
  };
  options.print = [&](const std::string&) { fail("print"); };
  options.log = [&](const std::string&, const std::string&) { fail("log"); };
  bool is_running = false;
  options.environment = [&](const std::string&) {
    if (is_running) fail("environment");
    return std::string();
  };
  qahost::Host host(options);
  is_running = true;
  INFO(which);
  CHECK_THROWS_AS(
      host.run_string("print 'a' qa.log.info 'b' require('qa.internal').environment 'QA_MODEL' while true do end"),
      std::domain_error);
  is_running = false;
  CHECK(host.run_string("return 1") == "1");
}

TEST_CASE("C++: a host is destroyed by another thread while it runs", "[qa_host]") {
  auto host = std::make_unique<qahost::Host>();
  std::thread other;
  host->add("game.end", [&](const std::string&) {
    other = std::thread([&] { host.reset(); });
    return "true";
  });
  qahost::Host& running = *host;
  try {
    running.run_string("require('game')['end']() qa.sleep(1e8)");
    FAIL("it went on");
  } catch (const qahost::Error& error) {
    CHECK(error.code() == QA_HOST_CANCELLED);
  }
  other.join();
}
