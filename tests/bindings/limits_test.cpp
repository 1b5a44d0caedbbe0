#include "tests/bindings/vm_fixture.h"

using namespace qa;
using namespace qa::lua;

namespace {

VmOptions short_stretch() {
  VmOptions options;
  options.max_stretch_ms = 60;
  return options;
}

}  // namespace

TEST_CASE("an endless stretch of pure Lua is stopped wherever it hides", "[bindings]") {
  const std::string code =
      GENERATE(as<std::string>{}, "while true do end",
               "local function loop() while true do end end while true do pcall(loop) end",
               "local function loop() while true do end end xpcall(loop, loop) while true do end",
               "local function loop() while true do end end return pcall(loop)",
               "coroutine.wrap(function() while true do pcall(function() while true do end end) end end)()",
               "local t = setmetatable({}, {__index = function() while true do end end}) return t.x",
               "string.gsub('abc', '.', function() while true do end end)",
               "table.sort({3, 2, 1}, function() while true do end end)",
               "qa.sleep(1) repeat local ok = pcall(qa.sleep, 'x') until false",
               "tostring(setmetatable({}, {__tostring = function() while true do end end}))",
               "print(setmetatable({}, {__tostring = function() while true do end end}))");
  VmFixture fixture(short_stretch());
  const auto outcome = fixture.run(code);
  INFO(code);
  CHECK(outcome.exit_code == 3);
  CHECK(outcome.error.find("deadline: ") == 0);
  CHECK(outcome.error.find("a stretch of pure Lua took longer than 0.06 s") != std::string::npos);
  CHECK(fixture.run("qa.sleep(1) return true").exit_code == 0);
}

TEST_CASE("a stopped stretch names the line of the script", "[bindings]") {
  VmFixture fixture(short_stretch());
  const std::string code = "\nlocal function loop() while true do end end\nwhile true do xpcall(loop, loop) end";
  CHECK(fixture.run(code).error.find("deadline: -e:") == 0);
}

TEST_CASE("after a stopped stretch in a task of its own the caller goes on", "[bindings]") {
  VmFixture fixture(short_stretch());
  REQUIRE_RUNS(fixture, R"(
    local ok, err = qa.internal.attempt(function() while true do pcall(function() while true do end end) end end)
    assert(not ok and err.kind == "deadline", tostring(err))
    assert(qa.internal.grace(1000, function() qa.sleep(5) return "concluded" end) == "concluded")
    assert(select(2, qa.internal.attempt(function() return 7 end)) == 7)
    qa.sleep(1)
  )");
}

TEST_CASE("waiting resets the clock of a stretch", "[bindings]") {
  VmFixture fixture(short_stretch());
  REQUIRE_RUNS(fixture, R"(
    for _ = 1, 5 do
      local began = qa.now_ms()
      while qa.now_ms() - began < 25 do end
      qa.sleep(1)
    end
  )");
}

TEST_CASE("a script that takes too much memory gets an error, not the process", "[bindings]") {
  VmOptions options;
  options.memory_bytes = 24 << 20;
  const std::string hog = GENERATE(as<std::string>{}, "local t = {} for i = 1, 1e9 do t[i] = {i} end",
                                   "local s = 'x' while true do s = s .. s end", "return ('x'):rep(1e9)",
                                   "return table.concat({('x'):rep(2e7), ('y'):rep(2e7)})");
  VmFixture fixture(options);
  INFO(hog);
  const auto outcome = fixture.run(hog);
  CHECK(outcome.exit_code == 3);
  CHECK(outcome.error.find("not enough memory") != std::string::npos);
  CHECK(fixture.run("return collectgarbage('count') > 0").exit_code == 0);
  CHECK(fixture.run("local ok = pcall(string.rep, 'x', 1e9) qa.sleep(1) return not ok").exit_code == 0);
}

TEST_CASE("undeclared variables raise at their line", "[bindings]") {
  VmFixture fixture;
  CHECK(fixture.run("\nlocal x = foo").error == "-e:2: undeclared variable 'foo'");
  CHECK(fixture.run("\n\nfoo = 1").error == "-e:3: assignment to undeclared variable 'foo'");
  const auto path = fixture.write("a.lua", "local a = 1\nfunction b() end\n");
  CHECK(fixture.run_file(path).error == path + ":2: assignment to undeclared variable 'b'");
  const auto read = fixture.write("b.lua", "\nreturn pront\n");
  CHECK(fixture.run_file(read).error == read + ":2: undeclared variable 'pront'");
}

TEST_CASE("what could break the process or the engine is not there", "[bindings]") {
  VmFixture fixture;
  REQUIRE_RUNS(fixture, R"(
    for _, name in ipairs {"ffi", "io", "package", "newproxy", "dofile", "loadfile", "module", "jit", "gcinfo"} do
      assert(rawget(_G, name) == nil, name)
    end
    for _, name in ipairs {"execute", "exit", "getenv", "remove", "rename", "tmpname", "setlocale"} do
      assert(os[name] == nil, name)
    end
    local names = {}
    for name in pairs(debug) do names[#names + 1] = name end
    assert(#names == 1 and names[1] == "traceback")
    assert(string.dump == nil)
    assert(not pcall(collectgarbage, "collect") and not pcall(collectgarbage, "stop"))
    assert(not pcall(setmetatable, "", {}) and getmetatable("") == "string")
    assert(not pcall(setmetatable, _G, {}))
    assert(not pcall(require, "ffi") and not pcall(require, "os"))
    assert(load("\27LJ") == nil and loadstring("return 1")() == 1)
    assert(load(function() return nil end)() == nil)
    assert(select(2, load("x =", "=name")):find("name:1:", 1, true))
    assert(load("return y", "n", "t", {y = 5})() == 5)
    assert(xpcall(function(a) return a end, print, 4))
    local ok, handled = xpcall(function() error("e", 0) end, function(e) return e .. "!" end)
    assert(not ok and handled == "e!")
  )");
}

TEST_CASE("print is made of tostring and goes to the host", "[bindings]") {
  VmFixture fixture;
  REQUIRE_RUNS(fixture, "print(1, nil, 'x', setmetatable({}, {__tostring = function() return 'obj' end})) print()");
  CHECK(fixture.printed == "1\tnil\tx\tobj\n\n");
}
