#include <signal.h>

#include <vector>

#include "tests/bindings/vm_fixture.h"

using namespace qa;
using namespace qa::lua;

namespace {

VmOptions allowing(std::vector<std::string> programs = {}) {
  VmOptions options;
  options.allow_process = std::move(programs);
  return options;
}

}  // namespace

TEST_CASE("E-X6: no program starts without --allow-process, or one that it does not name", "[bindings][process]") {
  VmFixture none;
  REQUIRE_RUNS(none, R"(
    print(qa.process.is_allowed(), qa.process.is_allowed "true")
    print(pcall(qa.process.run, { argv = { "true" } })))");
  CHECK(none.printed.find("false\tfalse\nfalse\t") == 0);
  CHECK(none.printed.find("give --allow-process to qa-host") != std::string::npos);
  VmFixture some(allowing({"true"}));
  REQUIRE_RUNS(some, R"(
    print(qa.process.is_allowed "true", qa.process.is_allowed "./true", assert(qa.process.run{ argv = { "true" } }).exit_code)
    print(pcall(qa.process.run, { argv = { "false" } })))");
  CHECK(some.printed.find("true\tfalse\t0\nfalse\t") == 0);
  CHECK(some.printed.find("'false' is not among the programs") != std::string::npos);
}

TEST_CASE("qa.process.run gives output and exit code, and fails with kinds of the list", "[bindings][process]") {
  VmFixture fixture(allowing());
  REQUIRE_RUNS(fixture, R"(
    local done = assert(qa.process.run{ argv = { "sh", "-c", "cat; echo \"$A\" >&2; exit 4" }, input = "in", env = { A = "1" } })
    print(done.exit_code, done.stdout, done.stderr, done.is_cut, done.signal)
    local none, err = qa.process.run{ argv = { "no-such-program" } }
    print(none, err.kind, err.op)
    none, err = qa.process.run{ argv = { "sh", "-c", "echo begun; sleep 60" }, timeout_ms = 300 }
    print(none, err.kind, err.detail.stdout)
    print(pcall(qa.process.run, { argv = {} }))
    print(pcall(qa.process.run, { argv = { "true" }, shell = true }))
    print(pcall(qa.process.run, { argv = { "true" }, env = { 1 } }))
    print(qa.process.find "sh" ~= nil, qa.process.find "no-such-program", qa.process.find("./x", "/d")))");
  CHECK(fixture.printed.find("4\tin\t1\n\tfalse\tnil\n") == 0);
  CHECK(fixture.printed.find("nil\tprocess_failed\tqa.process.run\n") != std::string::npos);
  CHECK(fixture.printed.find("nil\ttimeout\tbegun\n") != std::string::npos);
  CHECK(fixture.printed.find("argv must name a program") != std::string::npos);
  CHECK(fixture.printed.find("unknown option 'shell'") != std::string::npos);
  CHECK(fixture.printed.find("env is a table of NAME") != std::string::npos);
  CHECK(fixture.printed.find("true\tnil\t/d/./x\n") != std::string::npos);
}

TEST_CASE("a cancelled task's program is killed, and its group is told", "[bindings][process]") {
  std::vector<int> started, gone;
  VmOptions options = allowing();
  options.on_group_started = [&](int group) { started.push_back(group); };
  options.on_group_gone = [&](int group) { gone.push_back(group); };
  VmFixture fixture(std::move(options));
  REQUIRE_RUNS(fixture, R"(
    local began = qa.now_ms()
    print(qa.with_deadline(200, function() return qa.process.run{ argv = { "sleep", "60" } } end))
    local task = qa.spawn(function() return qa.process.run{ argv = { "sleep", "60" } } end)
    qa.sleep(50)
    task:cancel()
    print(pcall(task.join, task))
    print(qa.now_ms() - began < 5000))");
  CHECK(fixture.printed.find("true\n") != std::string::npos);
  REQUIRE(started.size() == 2);
  CHECK(gone == started);
  for (const int group : started) CHECK(::kill(-group, 0) != 0);
}

TEST_CASE("the event loop turns while programs run, several at once", "[bindings][process]") {
  VmFixture fixture(allowing());
  REQUIRE_RUNS(fixture, R"(
    local ticks, began, is_done = 0, qa.now_ms(), false
    local function nap() return qa.process.run{ argv = { "sleep", "0.3" } } end
    qa.all(function() qa.all(nap, nap, nap, nap) is_done = true end,
      function() while not is_done do qa.sleep(10) ticks = ticks + 1 end end)
    print(ticks >= 10, qa.now_ms() - began < 1100))");
  CHECK(fixture.printed == "true\ttrue\n");
}

TEST_CASE("files of a project are written whole, and a snapshot brings them back", "[bindings][process]") {
  VmFixture fixture;
  fixture.write("project.txt", "one");
  REQUIRE_RUNS(fixture, "local root = '" + fixture.folder + R"('
    local internal = require "qa.internal"
    local before = assert(internal.tree_snapshot(root, root .. "/../objects-of-" .. root:match "[^/]+$", { "runs" }))
    assert(internal.folder_write(root, "project.txt", "two"))
    assert(internal.folder_append(root, "lines", "a\n"))
    assert(internal.tree_restore(root, root .. "/../objects-of-" .. root:match "[^/]+$", "project.txt", before["project.txt"]))
    assert(internal.folder_remove(root, "lines"))
    print(qa.fs.read(root .. "/project.txt"), qa.fs.stat(root .. "/lines"))
    local lock = assert(internal.folder_lock(root, "lock"))
    print(select(2, internal.folder_lock(root, "lock")).kind)
    internal.folder_unlock(lock)
    print(internal.folder_lock(root, "lock") ~= nil)
    print(select(2, internal.folder_write(root, "../out", "x")).kind))");
  std::filesystem::remove_all(fixture.folder + "/../objects-of-" +
                              std::filesystem::path(fixture.folder).filename().string());
  CHECK(fixture.printed.find("one\tnil\t") == 0);
  CHECK(fixture.printed.find("\nstore_locked\ntrue\nio_error\n") != std::string::npos);
}
