// The C API as an embedding program uses it: every function, bad input, other threads.

#include <signal.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/bindings/qa_host_fixture.h"
#include "tests/support/port_browser.h"

using namespace qa::test;

TEST_CASE("a chunk's value comes back as JSON", "[qa_host]") {
  const auto& [lua, value] = GENERATE(table<const char*, const char*>({
      {"", "null"},
      {"return nil", "null"},
      {"return true", "true"},
      {"return 1.5", "1.5"},
      {"return 'a\\0b'", "\"a\\u0000b\""},
      {"return {1, {x = qa.json.null}}", "[1,{\"x\":null}]"},
      {"return nil, 'why'", "[null,\"why\"]"},
      {"qa.sleep(1) return qa.json.array{}", "[]"},
  }));
  const Host host;
  INFO(lua);
  const auto [code, got] = host.run(lua);
  CHECK(code == QA_HOST_OK);
  CHECK(got == json::parse(value));
  CHECK(std::string(qa_host_last_error(host.host)).empty());
  CHECK(host.error() == nullptr);
}

TEST_CASE("what a script raises comes back as text and JSON", "[qa_host]") {
  const Host host;
  CHECK(host.run("\nerror 'broken'").code == QA_HOST_FAILED);
  CHECK(std::string(qa_host_last_error(host.host)).find(":2: broken") != std::string::npos);
  CHECK(host.error()["kind"] == "script_error");
  CHECK(host.error()["traceback"].get<std::string>().find("stack traceback") == 0);
  CHECK(host.run("error{kind = 'mine', message = 'm', op = 'o', detail = {n = 1}}").code == QA_HOST_FAILED);
  CHECK(host.error() ==
        json{{"kind", "mine"}, {"message", "m"}, {"op", "o"}, {"detail", {{"n", 1}}}, {"traceback", ""}});
  CHECK(host.run("not Lua").code == QA_HOST_FAILED);
  CHECK(host.run("return print").code == QA_HOST_FAILED);
  CHECK(std::string(qa_host_last_error(host.host)).find("no JSON form") != std::string::npos);
  CHECK(host.run("local function loop() while true do end end "
                 "error(setmetatable({}, {__tostring = loop, __index = loop}))")
            .code == QA_HOST_FAILED);
  CHECK(host.run("return 1").code == QA_HOST_OK);
}

TEST_CASE("wrong arguments are told, not followed", "[qa_host]") {
  qa_host* none = reinterpret_cast<qa_host*>(&none);
  CHECK(qa_host_abi_version() == QA_HOST_ABI_VERSION);
  CHECK(std::string(qa_host_version()) == QA_VERSION);
  CHECK(qa_host_create(nullptr, nullptr) == QA_HOST_INVALID);
  qa_host_options options{};
  CHECK(qa_host_create(&options, &none) == QA_HOST_VERSION);
  CHECK(none == nullptr);
  CHECK(std::string(qa_host_last_error(nullptr)).find("size") != std::string::npos);
  options.size = sizeof options;
  options.share = "/no/such/folder";
  CHECK(qa_host_create(&options, &none) == QA_HOST_NO_SHARE);
  CHECK(std::string(qa_host_last_error(nullptr)).find("/no/such/folder") != std::string::npos);
  options.share = nullptr;
  options.stretch_ms = -1;
  CHECK(qa_host_create(&options, &none) == QA_HOST_INVALID);
  options.stretch_ms = 0;
  options.cdp = "ws://127.0.0.1:1";
  options.grid = "http://127.0.0.1:1";
  CHECK(qa_host_create(&options, &none) == QA_HOST_INVALID);

  char* text = reinterpret_cast<char*>(&none);
  CHECK(qa_host_run_string(nullptr, "", &text) == QA_HOST_INVALID);
  CHECK(text == nullptr);
  qa_host_destroy(nullptr);
  qa_host_free(nullptr);
  CHECK(qa_host_stop(nullptr, 0) == QA_HOST_INVALID);
  CHECK(qa_host_complete(nullptr, "1") == QA_HOST_INVALID);
  CHECK(qa_host_fail(nullptr, "x") == QA_HOST_INVALID);
  CHECK(qa_host_add_module(nullptr, "m", "") == QA_HOST_INVALID);
  CHECK(std::string(qa_host_last_status(nullptr)).empty());

  const Host host;
  CHECK(qa_host_run_string(host.host, nullptr, nullptr) == QA_HOST_INVALID);
  CHECK(qa_host_run_script(host.host, nullptr, nullptr, nullptr) == QA_HOST_INVALID);
  CHECK(qa_host_run_script(host.host, "x.lua", "{}", nullptr) == QA_HOST_INVALID);
  CHECK(qa_host_run_script(host.host, "x.lua", "[1]", nullptr) == QA_HOST_INVALID);
  CHECK(qa_host_run_script(host.host, "x.lua", "[\"a\"", nullptr) == QA_HOST_INVALID);
  CHECK(std::string(qa_host_last_error(host.host)).find("arguments: ") == 0);
  CHECK(qa_host_run_strategy(host.host, nullptr, nullptr, nullptr, nullptr) == QA_HOST_INVALID);
  CHECK(qa_host_run_strategy(host.host, nullptr, "http://x", "[]", nullptr) == QA_HOST_INVALID);
  CHECK(qa_host_run_strategy(host.host, nullptr, "http://x", std::string(100'000, '[').c_str(), nullptr) ==
        QA_HOST_INVALID);
  CHECK(qa_host_stop(host.host, -1) == QA_HOST_INVALID);
  CHECK(qa_host_stop(host.host, 0) == QA_HOST_NOT_RUNNING);
}

TEST_CASE("files of a folder are used where the options name it", "[qa_host]") {
  const TempFolder project;
  std::filesystem::create_directories(project.path() + "/strategies");
  std::ofstream(project.path() + "/strategies/mine.lua") << "error 'read'";
  std::ofstream(project.path() + "/qa-host.lua") << "error 'read, too'";
  for (const bool is_named : {false, true}) {
    const Host host([&](qa_host_options& options) { options.folder = is_named ? project.path().c_str() : nullptr; });
    CHECK(qa_host_run_strategy(host.host, "mine", "http://127.0.0.1:1", nullptr, nullptr) == QA_HOST_FAILED);
    const std::string error = qa_host_last_error(host.host);
    INFO(error);
    CHECK((error.find("mine.lua:1: read") != std::string::npos) == is_named);
    CHECK(host.run("return require('qa.model.config').get()").code == (is_named ? QA_HOST_FAILED : QA_HOST_OK));
  }
  qa_host_options options{};
  options.size = sizeof options;
  options.folder = "/no/such/folder";
  qa_host* none = nullptr;
  CHECK(qa_host_create(&options, &none) == QA_HOST_INVALID);
  CHECK(std::string(qa_host_last_error(nullptr)).find("/no/such/folder") != std::string::npos);
}

TEST_CASE("what cannot begin is a failure that says why", "[qa_host]") {
  const Host host;
  CHECK(qa_host_run_script(host.host, "/no/such/folder/x.lua", nullptr, nullptr) == QA_HOST_FAILED);
  CHECK(host.error()["kind"] == "io_error");
  CHECK(qa_host_run_strategy(host.host, "no_such_strategy", "http://127.0.0.1:1", nullptr, nullptr) == QA_HOST_FAILED);
  CHECK(std::string(qa_host_last_error(host.host)).find("no strategy 'no_such_strategy'") != std::string::npos);
  CHECK(qa_host_run_strategy(host.host, nullptr, "file:///etc/passwd", nullptr, nullptr) == QA_HOST_FAILED);
  CHECK(qa_host_run_strategy(host.host, nullptr, "http://127.0.0.1:1", R"({"sett":{}})", nullptr) == QA_HOST_FAILED);
  CHECK(std::string(qa_host_last_error(host.host)).find("unknown option 'sett'") != std::string::npos);
}

TEST_CASE("a script gets its arguments, and its modules from beside it", "[qa_host]") {
  const Host host;
  std::ofstream(host.folder.path() + "/beside.lua") << "return { word = 'beside' }";
  const std::string path = host.folder.path() + "/script.lua";
  std::ofstream(path) << "local a, b = ... return { a, b, #qa.args, require('beside').word }";
  char* text = nullptr;
  REQUIRE(qa_host_run_script(host.host, path.c_str(), R"(["x","y z"])", &text) == QA_HOST_OK);
  CHECK(json::parse(text) == json{"x", "y z", 2, "beside"});
  qa_host_free(text);
}

TEST_CASE("names of functions and modules are words with dots", "[qa_host]") {
  const Host host;
  const auto nothing = [](void*, qa_host_call*, const char*) {};
  for (const char* wrong :
       {"", "level", ".level", "game.", "game..level", "ga me.level", "game.1", "qa.sleep", "qa.x.y"}) {
    INFO(wrong);
    CHECK(qa_host_add_function(host.host, wrong, nothing, nullptr) == QA_HOST_INVALID);
    CHECK(qa_host_add_async_function(host.host, wrong, nothing, nullptr) == QA_HOST_INVALID);
  }
  CHECK(qa_host_add_function(host.host, nullptr, nothing, nullptr) == QA_HOST_INVALID);
  CHECK(qa_host_add_function(host.host, "game.level", nullptr, nullptr) == QA_HOST_INVALID);
  for (const char* wrong : {"", "qa", "qa.page.find", "a-b", "a/b"}) {
    CHECK(qa_host_add_module(host.host, wrong, "") == QA_HOST_INVALID);
  }
  CHECK(qa_host_add_module(host.host, "m", nullptr) == QA_HOST_INVALID);
  CHECK(qa_host_add_function(host.host, "game_2.level_3", nothing, nullptr) == QA_HOST_OK);
  CHECK(qa_host_add_module(host.host, "game_2", "") == QA_HOST_INVALID);
  CHECK(qa_host_add_module(host.host, "game_2.levels", "") == QA_HOST_OK);
  CHECK(qa_host_add_function(host.host, "game_2.levels.first", nothing, nullptr) == QA_HOST_INVALID);
  CHECK(host.run("return require('game_2').level_3()").value == nullptr);
}

TEST_CASE("a function of the program is called on its thread and answers at once", "[qa_host]") {
  const Host host;
  struct Seen {
    std::thread::id thread;
    json arguments;
  } seen;
  const auto echo = [](void* user, qa_host_call* call, const char* arguments) {
    auto& known = *static_cast<Seen*>(user);
    known = {std::this_thread::get_id(), json::parse(arguments)};
    answer_with(call, known.arguments.size());
  };
  REQUIRE(qa_host_add_function(host.host, "game.count", echo, &seen) == QA_HOST_OK);
  REQUIRE(qa_host_add_function(
              host.host, "game.refuse",
              [](void*, qa_host_call* call, const char*) { CHECK(qa_host_fail(call, "no level left") == 0); },
              nullptr) == QA_HOST_OK);
  REQUIRE(qa_host_add_function(
              host.host, "game.junk",
              [](void*, qa_host_call* call, const char*) { CHECK(qa_host_complete(call, "{") == QA_HOST_INVALID); },
              nullptr) == QA_HOST_OK);
  CHECK(host.run("return require('game').count('a', {b = {1}}, true)").value == 3);
  CHECK(seen.thread == std::this_thread::get_id());
  CHECK(seen.arguments == json{"a", {{"b", {1}}}, true});
  const auto refused = host.run("local v, e = require('game').refuse() return v, e.kind, e.message, e.op").value;
  CHECK(refused == json{nullptr, "native_error", "no level left", "game.refuse"});
  const auto junk = host.run("local v, e = require('game').junk() return e.kind, e.message").value;
  CHECK(junk[0] == "native_error");
  CHECK(junk[1].get<std::string>().find("the function gave no JSON: ") == 0);
  // Where nothing can wait it works as well.
  CHECK(host.run("local t = {3, 1, 2} table.sort(t, function(a, b) require('game').count() return a < b end) return t")
            .value == json{1, 2, 3});
  CHECK(host.run("require('game').count(print)").code == QA_HOST_FAILED);
  CHECK(std::string(qa_host_last_error(host.host)).find("game.count(): ") != std::string::npos);
}

TEST_CASE("a function that answers later, from another thread, lets other tasks go on", "[qa_host]") {
  const Host host;
  struct Worker {
    std::vector<std::thread> threads;
    std::atomic<int> junk = -1, failed = -1;
  } worker;
  const auto later = [](void* user, qa_host_call* call, const char* arguments) {
    const json given = json::parse(arguments);
    auto& known = *static_cast<Worker*>(user);
    known.threads.emplace_back([&known, call, given] {
      if (given[0] == "junk") {
        known.junk = qa_host_complete(call, nullptr);
      } else if (given[0] == "fail") {
        known.failed = qa_host_fail(call, nullptr);
      } else {
        qa_host_complete(call, given.dump().c_str());
      }
    });
  };
  REQUIRE(qa_host_add_async_function(host.host, "game.later", later, &worker) == QA_HOST_OK);
  const auto values = host.run(R"(
    local later = require("game").later
    local a, b = qa.all(function() return later(1) end, function() return later { x = 2 } end)
    local none, junk = later "junk"
    local _, failed = later "fail"
    return a[1], b[1].x, none, junk.kind, failed.message)");
  for (auto& thread : worker.threads) thread.join();
  CHECK(worker.junk == QA_HOST_INVALID);
  CHECK(worker.failed == QA_HOST_OK);
  CHECK(values.code == QA_HOST_OK);
  CHECK(values.value == json{1, 2, nullptr, "native_error", "no reason was given"});
}

TEST_CASE("an answer that comes after its run or its host is dropped", "[qa_host]") {
  qa_host_call* kept = nullptr;
  {
    Host host;
    const auto keep = [](void* user, qa_host_call* call, const char*) { *static_cast<qa_host_call**>(user) = call; };
    REQUIRE(qa_host_add_async_function(host.host, "game.never", keep, &kept) == QA_HOST_OK);
    CHECK(host.run("return qa.with_deadline(20, require('game').never)").value[1]["kind"] == "timeout");
    REQUIRE(kept);
    CHECK(qa_host_complete(std::exchange(kept, nullptr), "1") == QA_HOST_OK);
    CHECK(host.run("return qa.with_deadline(20, require('game').never)").code == QA_HOST_OK);
  }
  REQUIRE(kept);
  CHECK(qa_host_complete(kept, "1") == QA_HOST_OK);
}

TEST_CASE("modules of the program come before files and know its functions", "[qa_host]") {
  const Host host;
  const auto seven = [](void*, qa_host_call* call, const char*) { answer_with(call, 7); };
  REQUIRE(qa_host_add_function(host.host, "native.seven", seven, nullptr) == QA_HOST_OK);
  REQUIRE(qa_host_add_module(host.host, "game.rules",
                             "local name = ... return { name = name, n = require('native').seven() }") == QA_HOST_OK);
  REQUIRE(qa_host_add_module(host.host, "broken", "return return") == QA_HOST_OK);
  REQUIRE(qa_host_add_module(host.host, "beside", "return 'of the program'") == QA_HOST_OK);
  CHECK(host.run("return require 'game.rules'").value == json{{"name", "game.rules"}, {"n", 7}});
  CHECK(host.run("return require 'game.rules' == require 'game.rules'").value == true);
  CHECK(host.run("require 'broken'").code == QA_HOST_FAILED);
  CHECK(std::string(qa_host_last_error(host.host)).find("broken:1:") != std::string::npos);
  CHECK(host.run("require 'nothing'").code == QA_HOST_FAILED);
  std::ofstream(host.folder.path() + "/beside.lua") << "return 'a file'";
  const std::string path = host.folder.path() + "/script.lua";
  std::ofstream(path) << "return require 'beside'";
  char* text = nullptr;
  REQUIRE(qa_host_run_script(host.host, path.c_str(), nullptr, &text) == QA_HOST_OK);
  CHECK(json::parse(text) == "of the program");
  qa_host_free(text);
}

TEST_CASE("a host refuses other threads, and a run inside a run", "[qa_host]") {
  const Host host;
  struct Nested {
    qa_host* host;
    int run = -1, add = -1;
  } nested{host.host};
  const auto again = [](void* user, qa_host_call* call, const char*) {
    auto& known = *static_cast<Nested*>(user);
    known.run = qa_host_run_string(known.host, "return 1", nullptr);
    known.add = qa_host_add_module(known.host, "m", "");
    answer_with(call, 1);
  };
  REQUIRE(qa_host_add_function(host.host, "game.again", again, &nested) == QA_HOST_OK);
  CHECK(host.run("return require('game').again()").value == 1);
  CHECK(nested.run == QA_HOST_BUSY);
  CHECK(nested.add == QA_HOST_BUSY);
  std::thread([&] {
    CHECK(host.run("return 1").code == QA_HOST_WRONG_THREAD);
    CHECK(qa_host_add_module(host.host, "m", "") == QA_HOST_WRONG_THREAD);
  }).join();
  CHECK(host.run("return 1").code == QA_HOST_OK);
}

TEST_CASE("the process around a host stays as it is", "[qa_host][browser]") {
  const auto handlers = [] {
    std::vector<void (*)(int)> all;
    for (int number = 1; number < 32; ++number) {
      struct sigaction action {};
      sigaction(number, nullptr, &action);
      all.push_back(action.sa_handler);
    }
    return all;
  };
  const auto before = handlers();
  const std::string folder = std::filesystem::current_path();
  std::array<int, 2> pipe_ends{};
  REQUIRE(pipe(pipe_ends.data()) == 0);
  const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
  std::fflush(nullptr);
  dup2(pipe_ends[1], STDOUT_FILENO);
  dup2(pipe_ends[1], STDERR_FILENO);
  int code = -1;
  {
    Host host([](qa_host_options& options) {
      options.print = nullptr;
      options.log = nullptr;
    });
    code = host.run(
                   "print 'a' qa.log.error 'b' qa.spawn(function() error 'c' end) local b = qa.browser.launch() "
                   "return b:new_page{}:evaluate '1 + 1'")
               .code;
  }
  std::fflush(nullptr);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const int fd : {out, err, pipe_ends[1]}) close(fd);
  char said = 0;
  const auto count = read(pipe_ends[0], &said, 1);
  close(pipe_ends[0]);
  CHECK(code == QA_HOST_OK);
  CHECK(count == 0);
  CHECK(handlers() == before);
  CHECK(std::filesystem::current_path() == folder);
}

TEST_CASE("a host uses the browser that its options name", "[qa_host][browser]") {
  PortBrowser theirs;
  const std::string address = theirs.http_url();
  const Host host([&](qa_host_options& options) { options.cdp = address.c_str(); });
  const auto [code, value] = host.run(R"(
    local browser = assert(qa.browser.launch{})
    return browser:info().remote.address
  )");
  INFO(qa_host_last_error(host.host));
  CHECK(code == QA_HOST_OK);
  CHECK(value == address);
}

TEST_CASE("a strategy gives its report, events and verdict", "[qa_host][browser]") {
  const Host host;
  char* text = nullptr;
  const int code = qa_host_run_strategy(host.host, "standard", QA_SOURCE_DIR "/examples/games/boot_exception",
                                        R"({"seed":3,"set":{"interaction_ms":500,"ready_ms":1500}})", &text);
  INFO(qa_host_last_error(host.host));
  REQUIRE(code == QA_HOST_OK);
  const json report = json::parse(text);
  qa_host_free(text);
  CHECK(report["status"] == "fail");
  CHECK(std::string(qa_host_last_status(host.host)) == "fail");
  CHECK(host.events.find("\"name\":\"verdict\"") != std::string::npos);
  CHECK(host.logged.find("line: ") != std::string::npos);
}
