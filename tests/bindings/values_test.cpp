#include <nlohmann/json.hpp>

#include "bindings/convert.h"
#include "host/files.h"
#include "host/image/image.h"
#include "host/text.h"
#include "tests/bindings/vm_fixture.h"
#include "tests/support/hostile_text.h"

using namespace qa;
using namespace qa::lua;

TEST_CASE("JSON makes the round trip through Lua", "[bindings]") {
  VmFixture fixture;
  REQUIRE_RUNS(fixture, R"(
    local json = qa.json
    local texts = {
      '{"a":[1,2.5,-3,1e+300],"b":{},"c":[],"d":null,"e":[null,true,false],"f":"\\u0000\\"é"}',
      "[]", "{}", "null", "true", "1", "-1", "0.5", '""', "9007199254740992", "[[[]]]",
    }
    for _, text in ipairs(texts) do
      local once = json.encode(json.decode(text))
      assert(json.encode(json.decode(once)) == once, once)
    end
    assert(json.encode({b = 1, a = 2, c = {1, 2}}) == '{"a":2,"b":1,"c":[1,2]}')
    assert(json.encode({}) == "{}" and json.encode(json.array {}) == "[]" and json.encode(json.decode("[]")) == "[]")
    assert(json.encode(1) == "1" and json.encode(1.5) == "1.5" and json.encode(-0.0) == "0")
    assert(json.encode(2 ^ 40) == "1099511627776")
    assert(json.encode(nil) == "null" and json.encode({json.null}) == "[null]" and tostring(json.null) == "null")
    assert(json.encode("\255x") == '"\239\191\189x"')
    assert(json.decode(json.encode("\0a")) == "\0a")
  )");
}

TEST_CASE("JSON that is printed is JSON whatever a page put into it", "[bindings]") {
  for (const std::string& text : test::hostile_texts()) {
    const Json value = {{text, {text, 1}}};
    const std::string line = dump_json(value);
    CHECK(terminal_safe(line) == line);
    CHECK(line.find('\n') == std::string::npos);
    // What was no UTF-8 was replaced once and stays.
    CHECK(dump_json(Json::parse(line)) == line);
  }
}

TEST_CASE("values without a JSON form are refused with a sentence", "[bindings]") {
  VmFixture fixture;
  REQUIRE_RUNS(fixture, R"(
    local function refused(value, pattern)
      local ok, err = pcall(qa.json.encode, value)
      assert(not ok and err:find(pattern), tostring(err))
    end
    refused(0 / 0, "NaN and infinity") refused(1 / 0, "NaN and infinity")
    refused({print}, "a function has no JSON form")
    refused({1, nil, 3, [10] = 1}, "holes") refused({1, x = 2}, "both a list and named")
    refused({[true] = 1}, "key must be a string")
    local cycle = {} cycle.me = cycle
    refused(cycle, "contains itself")
    local deep = {} for _ = 1, 250 do deep = {deep} end
    refused(deep, "deeper than 200")
    local shared = {1}
    assert(qa.json.encode({shared, shared}) == "[[1],[1]]")
    local function malformed(text, pattern)
      local ok, err = pcall(qa.json.decode, text)
      assert(not ok and err:find(pattern), tostring(err))
    end
    malformed("{", "qa.json.decode%(%): .* at byte 2") malformed("", "at byte 1") malformed("[1,]", "at byte 4")
    malformed("nul", "at byte") malformed("1e999", "out of range") malformed('"\\ud800"', "at byte")
    malformed(("["):rep(100000), "nested deeper than 200 at byte 201")
  )");
}

TEST_CASE("misuse is raised at the caller's line with the public name", "[bindings]") {
  VmFixture fixture;
  CHECK(fixture.run("\nqa.sleep('soon')").error ==
        "-e:2: qa.sleep(): ms must be a number from 0 to 1000000000, got string");
  CHECK(fixture.run("\n\nqa.sleep(-1)").error ==
        "-e:3: qa.sleep(): ms must be a number from 0 to 1000000000, got the number -1");
  CHECK(fixture.run("qa.browser.launch{head = true}").error ==
        "-e:1: qa.browser.launch(): unknown option 'head' (did you mean 'headed'?)");
  CHECK(fixture.run("qa.browser.launch{headed = 1}").error ==
        "-e:1: qa.browser.launch(): option 'headed' must be a boolean, got the number 1");
  CHECK(fixture.run("qa.all(1)").error == "-e:1: qa.all(): argument 1 must be a function, got the number 1");
  CHECK(fixture.run("qa.run.event('x')").error == "-e:1: qa.run.event(): no run is open; call qa.run.open first");
}

TEST_CASE("every function refuses any wrong value with an error and goes on", "[bindings]") {
  VmFixture fixture;
  REQUIRE_RUNS(fixture, R"(
    local mangled = setmetatable({}, {__index = function() error("metamethod ran") end})
    local cycle = {} cycle.x = cycle
    local values = {false, true, 0, -1, 0 / 0, 1 / 0, 2 ^ 60, "", "x", "\0\255", {}, {1}, {x = 1, y = 2}, cycle,
      mangled,
      print, qa.json.null, coroutine.create(print), qa.spawn(function() end)}
    local functions = {}
    local function gather(prefix, t, seen)
      for name, value in pairs(t) do
        if type(value) == "function" then functions[#functions + 1] = {prefix .. name, value} end
        if type(value) == "table" and not seen[value] then
          seen[value] = true
          gather(prefix .. name .. ".", value, seen)
        end
      end
    end
    local skipped = {["qa.browser.launch"] = true, ["qa.run.open"] = true}
    gather("qa.", qa, {[qa.json.array] = true})
    assert(#functions > 35, #functions)
    for _, entry in ipairs(functions) do
      local name, fn = entry[1], entry[2]
      if not skipped[name] then
        for i = 0, #values do
          for j = 0, 3 do
            local other = values[(i * 7 + j) % (#values + 1)]
            qa.with_deadline(20, function() return pcall(fn, values[i], other, values[j + 1]) end)
          end
        end
      end
    end
  )");
}

TEST_CASE("methods refuse any wrong value of self and arguments", "[bindings]") {
  VmFixture fixture;
  // Methods are reached through the metatables: a script cannot, so the test goes below the sandbox.
  lua_State* L = fixture.vm->state().L;
  lua_newtable(L);
  for (const char* kind : {"browser", "page", "image", "task"}) {
    luaL_getmetatable(L, (std::string("qa.handle.") + kind).c_str());
    lua_getfield(L, -1, "__index");
    lua_setfield(L, -3, kind);
    lua_pop(L, 1);
  }
  lua_pushliteral(L, "methods");
  lua_insert(L, -2);
  lua_rawset(L, LUA_GLOBALSINDEX);
  REQUIRE_RUNS(fixture, R"(
    local task = qa.spawn(function() qa.sleep(1) end)
    local values = {false, true, 0, -1, 0 / 0, 1 / 0, "", "x", "\0", {}, {1}, {x = 1, y = 2}, print, qa.json.null, task}
    local count = 0
    -- Written in Lua; their arguments are checked by scripts/qa/page/methods.lua.
    for _, name in ipairs {"find", "click", "wait_for", "drag", "screenshot", "content", "clickables"} do
      methods.page[name] = nil
    end
    for kind, list in pairs(methods) do
      for name, method in pairs(list) do
        for i = 0, #values do
          local ok = pcall(method, values[i], values[i], values[(i + 3) % 15], values[(i + 7) % 15])
          assert(not ok or kind == "task", kind .. ":" .. name)
          count = count + 1
        end
      end
    end
    assert(count > 300)
    local ok, err = pcall(methods.page.navigate, 1, "x")
    assert(err:find "page:navigate%(%): call it with ':' on a page, got the number 1", err)
    ok, err = pcall(function() return task.cancell end)
    assert(err:find "a task has no method 'cancell'", err)
  )");
}

TEST_CASE("images live in the host and are refused after close", "[bindings]") {
  VmFixture fixture;
  Image image(8, 8, 4);
  std::fill(image.pixels.begin(), image.pixels.end(), std::uint8_t{200});
  fixture.write("a.png", encode_png(image));
  image.pixels[0] = 0;
  fixture.write("b.png", encode_png(image));
  REQUIRE_RUNS(fixture, "local dir = '" + fixture.folder + R"('
    local a, b = assert(qa.image.load(dir .. "/a.png")), assert(qa.image.decode(qa.fs.read(dir .. "/b.png")))
    local w, h = a:size()
    assert(w == 8 and h == 8 and tostring(a):find "^image %d+$")
    local diff = a:diff(b)
    assert(not diff.identical and diff.changed_pixels == 1 and #diff.regions == 1, qa.json.encode(diff))
    assert(a:diff(a, {metric = "exact"}).identical)
    assert(#a:grid() == 64 * 36 and #a:grid(2, 2) == 4)
    local c = assert(a:crop(2, 2, 3, 4))
    assert(qa.json.encode({c:size()}) == "[3,4]")
    local none, err = a:diff(c)
    assert(none == nil and err.kind == "image_size" and err.op == "image:diff", tostring(err))
    local run = assert(qa.run.open {slug = "pictures"})
    assert(c:save("shots/c.png") and qa.fs.stat(run .. "/shots/c.png").kind == "file")
    assert(qa.run.journal()[1].files[1] == "shots/c.png", qa.json.encode(qa.run.journal()))
    assert(c:save(dir .. "/new/c.png") and qa.fs.stat(dir .. "/new/c.png").kind == "file")
    none, err = qa.image.decode("nonsense")
    assert(err.kind == "image_decode")
    none, err = qa.image.load(dir .. "/none.png")
    assert(err.kind == "io_error" and tostring(err):find "none.png", tostring(err))
    a:close() a:close()
    local ok, why = pcall(a.size, a)
    assert(why == "image:size(): image is closed", why)
    assert(select(2, pcall(b.diff, b, a)):find "image is closed")
    assert(select(2, pcall(b.diff, b, "a")):find "other must be an image, got string")
    dir, a, b, c = nil
  )");
  lua_gc(fixture.vm->state().L, LUA_GCCOLLECT, 0);
  lua_gc(fixture.vm->state().L, LUA_GCCOLLECT, 0);
  CHECK(fixture.vm->state().handles.images.empty());
}

TEST_CASE("a picture is not saved through a link in its run", "[bindings]") {
  VmFixture fixture;
  fixture.write("a.png", encode_png(Image(8, 8, 4)));
  fixture.write("precious", "as it was");
  const std::string load = "local a = assert(qa.image.load('" + fixture.folder + "/a.png')) ";
  REQUIRE_RUNS(fixture, load + "qa.run.open{ slug = 'links' } assert(a:save './plain.png')");
  std::filesystem::create_symlink(fixture.folder + "/precious", fixture.run_directory + "/file.png");
  std::filesystem::create_directory_symlink(fixture.folder, fixture.run_directory + "/linked");
  REQUIRE_RUNS(fixture, load + R"(
    local none, err = a:save "linked/new.png"
    assert(none == nil and err.kind == "io_error", tostring(err))
    assert(a:save "file.png")
  )");
  CHECK_FALSE(std::filesystem::exists(fixture.folder + "/new.png"));
  CHECK(*read_file(fixture.folder + "/precious") == "as it was");
  CHECK_FALSE(std::filesystem::is_symlink(fixture.run_directory + "/file.png"));
}

TEST_CASE("the run directory takes events, steps and finished primitives", "[bindings]") {
  VmFixture fixture;
  REQUIRE_RUNS(fixture, "local dir = '" + fixture.folder + R"('
    assert(qa.run.dir() == nil)
    local path = assert(qa.run.open {slug = "My Game"})
    assert(qa.run.dir() == path and path:find "my%-game")
    local line = qa.run.event("phase", {name = "load", list = {1, 2}})
    assert(line.seq == 1 and line.op == "event" and line.ok == true and line.args.data.list[2] == 2 and line.step == 0)
    qa.run.step(3)
    qa.sleep(1)
    qa.image.load(("x"):rep(500))
    local lines = assert(qa.run.journal())
    assert(#lines == 2)
    local last = lines[2]
    assert(last.op == "qa.image.load" and last.ok == false and last.err.kind == "io_error" and last.step == 3)
    assert(last.seq == 2 and last.ms >= 0 and last.t_ms >= 0 and last.game_ms == qa.json.null and #last.args[1] < 260)
    assert(qa.run.publish("report.json", "{}") == true and qa.fs.read(path .. "/report.json") == "{}")
    local none, err = qa.run.publish("../x", "")
    assert(err.kind == "io_error")
    qa.run.result("pass", 80, path .. "/report.json")
    assert(qa.run.open {reopen = path} == path and #qa.run.journal() == 2)
    assert(qa.run.open {slug = "second"} ~= path and #qa.run.journal() == 0)
  )");
  CHECK(fixture.run_directory.find("second") != std::string::npos);
}

TEST_CASE("files, time and the local server", "[bindings]") {
  VmFixture fixture;
  fixture.write("index.html", "<p>hi");
  fixture.write("my page.html", "<p>hi");
  REQUIRE_RUNS(fixture, "local dir = '" + fixture.folder + R"('
    assert(table.concat(qa.fs.list(dir), " ") == "index.html my page.html")
    assert(qa.fs.sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    local none, err = qa.fs.read(dir)
    assert(err.kind == "io_error" and err.op == "qa.fs.read", tostring(err))
    assert(qa.utc():match "^%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%d%.%d%d%dZ$")
    local server = assert(qa.serve(dir))
    assert(server.url == server.origin .. "/")
    assert(qa.serve(dir .. "/my page.html").url == server.origin .. "/my%20page.html")
    none, err = qa.serve(dir .. "/none")
    assert(err.kind == "io_error")
    assert(qa.fs.stat(dir).kind == "folder" and qa.fs.share() ~= "")
    local chunk, why = qa.load_chunk(dir .. "/index.html")
    assert(chunk == nil and why.kind == "script_error" and why.message:find "index.html:1:", tostring(why))
  )");
}
