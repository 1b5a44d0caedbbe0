#include <string>

#include "bindings/await.h"
#include "tests/bindings/vm_fixture.h"

using namespace qa;
using namespace qa::lua;

namespace {

std::string prints(const std::string& code) {
  VmFixture fixture;
  const auto outcome = fixture.run(code);
  INFO(outcome.error << "\n" << outcome.traceback);
  REQUIRE(outcome.exit_code == 0);
  return fixture.printed;
}

}  // namespace

TEST_CASE("qa.all runs functions in parallel and gives one value per position, then errors", "[bindings]") {
  CHECK(prints(R"(
    local began = qa.now_ms()
    local a, b, c, errs = qa.all(
      function() qa.sleep(60) return "a", "ignored" end,
      function() qa.sleep(60) return nil, {kind = "timeout"} end,
      function() return 3 end)
    print(a, b, c, errs[1], errs[2].kind, errs[3])
    print(qa.now_ms() - began < 110)
    print(qa.all())
    print(qa.all(function() end))
  )") == "a\tnil\t3\tnil\ttimeout\tnil\ntrue\nnil\nnil\tnil\n");
}

TEST_CASE("a raise in qa.all cancels the siblings, joins them and is raised in the caller", "[bindings]") {
  CHECK(prints(R"(
    local seen = {}
    local ok, err = pcall(qa.all,
      function()
        local slept, why = pcall(qa.sleep, 100000)
        seen.kind = why.kind
        seen.again = select(2, pcall(qa.sleep, 1)).kind
      end,
      function() qa.sleep(5) error({kind = "mine"}) end)
    print(ok, err.kind, seen.kind, seen.again)
  )") == "false\tmine\tcancelled\tcancelled\n");
}

TEST_CASE("qa.race gives the first that returns and cancels the others", "[bindings]") {
  CHECK(prints(R"(
    local lost
    local i, v, w = qa.race(
      function() local ok, e = pcall(qa.sleep, 100000) lost = e.kind end,
      function() qa.sleep(5) return "won", "twice" end)
    print(i, v, w, lost)
  )") == "2\twon\ttwice\tcancelled\n");
}

TEST_CASE("qa.with_deadline gives nil and timeout, sticky for what runs inside", "[bindings]") {
  CHECK(prints(R"(
    local tries = 0
    local value, err = qa.with_deadline(20, function()
      for _ = 1, 5 do if not pcall(qa.sleep, 100000) then tries = tries + 1 end end
      return "swallowed"
    end)
    print(value, err.kind, tostring(err), tries)
    print(qa.with_deadline(1000, function() qa.sleep(1) return 1, nil, 3 end))
    print(pcall(qa.with_deadline, 1000, function() error("boom", 0) end))
    qa.sleep(1)  -- the caller is not touched
  )") == "nil\ttimeout\ttimeout: took longer than 20 ms\t5\n1\tnil\t3\nfalse\tboom\n");
}

TEST_CASE("a spawned task ends with its parent at the latest and can be joined and cancelled", "[bindings]") {
  CHECK(prints(R"(
    local t = qa.spawn(function() qa.sleep(5) return "value" end)
    print(t:join(), t:join())
    local bad = qa.spawn(function() error("inside", 0) end)
    print(pcall(bad.join, bad))
    print(pcall(bad.join, bad))
    local long = qa.spawn(function() qa.sleep(100000) end)
    long:cancel()
    local ok, err = pcall(long.join, long)
    print(ok, err.kind)
    local kind
    qa.all(function() qa.spawn(function() local _, e = pcall(qa.sleep, 100000) kind = e.kind end) qa.sleep(1) end)
    print(kind, qa.internal.leaks().tasks)
    local me
    me = qa.spawn(function() local value = me:join() return value end)
    print(pcall(me.join, me))
  )") == "value\tvalue\nfalse\tinside\nfalse\tinside\nfalse\tcancelled\ncancelled\t0\n"
         "false\t-e:15: task:join(): a task cannot join itself or a task that it runs in\n");
}

TEST_CASE("coroutines of scripts may wait inside, and generators still work", "[bindings]") {
  CHECK(prints(R"(
    local gen = coroutine.wrap(function(a)
      for i = 1, 3 do qa.sleep(1) a = a + coroutine.yield(i + a) end
      return "end"
    end)
    print(gen(10), gen(1), gen(1), gen(1))
    local inner = coroutine.wrap(function()
      local deeper = coroutine.wrap(function() qa.sleep(1) coroutine.yield("deep") qa.sleep(1) return "done" end)
      coroutine.yield(deeper()) coroutine.yield(deeper())
    end)
    print(inner(), inner())
    local co = coroutine.create(function() qa.sleep(1) error({kind = "k"}) end)
    local ok, err = coroutine.resume(co)
    print(ok, err.kind, coroutine.status(co), coroutine.resume(co))
    print(select("#", coroutine.resume(coroutine.create(function() end))))
    print(pcall(coroutine.yield, 1))
    for word in coroutine.wrap(function() coroutine.yield("x") qa.sleep(1) coroutine.yield("y") end) do print(word) end
  )") == "11\t13\t15\tend\ndeep\tdone\nfalse\tk\tdead\tfalse\tcannot resume dead coroutine\n1\n"
         "false\tcoroutine.yield(): not inside a coroutine of the script\nx\ny\n");
}

TEST_CASE("a coroutine that waits for the host cannot be resumed by another task", "[bindings]") {
  CHECK(prints(R"(
    local co = coroutine.create(function() qa.sleep(20) return "slept" end)
    local task = coroutine.running()
    local a, b = qa.all(
      function() return (select(2, coroutine.resume(co))) end,
      function() return (select(2, coroutine.resume(co))) .. "; " .. select(2, coroutine.resume(task)) end)
    print(a) print(b)
  )") == "slept\ncannot resume a coroutine that waits for the host; cannot resume a task\n");
}

TEST_CASE("waiting where one cannot says so at the caller's line", "[bindings]") {
  const std::string sentence = "qa: qa.sleep() cannot wait here (inside table.sort, string.gsub or require)";
  CHECK(prints("print(pcall(table.sort, {3, 2, 1}, function(a, b)\n qa.sleep(1) return a < b end))") ==
        "false\t-e:2: " + sentence + "\n");
  CHECK(prints("print(pcall(string.gsub, 'abc', '.', function()\n qa.sleep(1) end)) qa.sleep(1)") ==
        "false\t-e:2: " + sentence + "\n");
  CHECK(prints(R"(
    print(pcall(string.gsub, "a", ".", function() local w = coroutine.wrap(function() qa.sleep(1) end) w() end))
    qa.sleep(1)
  )") == "false\t-e:2: " + sentence + "\n");
}

TEST_CASE("a cancelled run ends with 128 + signal, whatever pcall does", "[bindings]") {
  VmFixture fixture;
  fixture.loop.after(std::chrono::milliseconds(20), [&] { fixture.vm->cancel(2); });
  const auto outcome = fixture.run(R"(
    local ok, err = pcall(qa.sleep, 100000)
    print(ok, err.kind, err.detail.signal, err.op)
    local again = select(2, pcall(qa.sleep, 1))
    print(again.kind, pcall(qa.spawn, function() end))
    print(qa.internal.grace(1000, function() qa.sleep(5) return "concluded" end))
    print(qa.internal.grace(10, function() qa.sleep(100000) end))
    local inner = select(2, pcall(qa.internal.grace, 500, function() error("in grace", 0) end))
    print(inner)
    return {status = "pass"}
  )");
  CHECK(outcome.exit_code == 130);
  CHECK(fixture.printed ==
        "false\tcancelled\t2\tqa.sleep\ncancelled\tfalse\tcancelled: stopped by signal 2\nconcluded\n"
        "nil\ttimeout: took longer than 10 ms\nin grace\n");
}

TEST_CASE("the deadline of a run is a loss of the whole tree, and grace outlives it", "[bindings]") {
  CHECK(prints(R"(
    qa.internal.deadline_at(20)
    local ok, err = pcall(qa.all, function() qa.sleep(100000) end, function() qa.sleep(100000) end)
    print(ok, err.kind)
    print(select(2, pcall(qa.sleep, 1)).kind)
    print((qa.internal.grace(1000, function() qa.sleep(1) return "report" end)))
    return true
  )") == "false\tdeadline\ndeadline\nreport\n");
}

TEST_CASE("completions of abandoned waits are dropped and counted, references return", "[bindings]") {
  VmFixture fixture;
  REQUIRE_RUNS(fixture, R"(
    for i = 1, 50 do
      qa.race(function() qa.sleep(1) end, function() qa.sleep(100000) end)
      local t = qa.spawn(function() return i end)
      t:join()
    end
  )");
  REQUIRE_RUNS(fixture, "qa.sleep(1)");
  lua_gc(fixture.vm->state().L, LUA_GCCOLLECT, 0);
  CHECK(fixture.vm->state().registry->refs == 0);
  CHECK(fixture.vm->state().scheduler->live_count() == 0);
}

TEST_CASE("work that finds no memory is an error, not the end of the process", "[bindings]") {
  EventLoop loop;
  std::string message;
  compute<int>(
      loop, []() -> Result<int> { throw std::bad_alloc(); },
      [&](const Result<int>& result) {
        message = result ? "none" : result.error().message;
        loop.stop();
      });
  loop.run();
  CHECK(message.find("the work failed: ") == 0);
}

TEST_CASE("what a script returns or raises becomes its exit code", "[bindings]") {
  VmFixture fixture;
  CHECK(fixture.run("").exit_code == 0);
  CHECK(fixture.run("return true").exit_code == 0);
  CHECK(fixture.run("return false").exit_code == 1);
  CHECK(fixture.run("return {status = 'fail'}").exit_code == 1);
  CHECK(fixture.run("return {status = 'inconclusive'}").exit_code == 2);
  CHECK(fixture.run("return {status = 'error'}").exit_code == 3);
  CHECK(fixture.run("return {exit_code = 4}").exit_code == 4);
  CHECK(fixture.run("error({kind = 'browser_lost', message = 'gone'})").exit_code == 4);
  const auto raised = fixture.run("\nerror('oops')");
  CHECK(raised.exit_code == 3);
  CHECK(raised.error == "-e:2: oops");
  CHECK(raised.traceback.find("stack traceback") != std::string::npos);
  CHECK(fixture.run("local x = =").error.find("-e:1: unexpected symbol") == 0);
  CHECK(fixture.run_file("/nonexistent.lua").error == "io_error: /nonexistent.lua: No such file or directory");
}

TEST_CASE("two machines in one process do not know each other", "[bindings]") {
  VmFixture one, two;
  REQUIRE_RUNS(one, "rawset(_G, 'mine', 1)");
  CHECK(two.run("return mine").error == "-e:1: undeclared variable 'mine'");
}

TEST_CASE("a failed spawned task that nobody joined is reported", "[bindings]") {
  VmFixture fixture;
  REQUIRE_RUNS(fixture, "qa.spawn(function() error('lost', 0) end) qa.sleep(5)");
  CHECK(fixture.logged == "warn: a spawned task failed and nobody joined it: lost\n");
}
