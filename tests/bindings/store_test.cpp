#include "tests/bindings/vm_fixture.h"

using namespace qa;
using namespace qa::lua;

TEST_CASE("a script keeps plain data from one Vm to the next", "[bindings][store]") {
  char name[] = "/tmp/qa-store-binding-XXXXXX";
  VmOptions options;
  options.models.state = mkdtemp(name);
  {
    VmFixture fixture(options);
    REQUIRE_RUNS(fixture, R"(
      local store = qa.store.open("notes")
      assert(store:put("a", { text = "kept", list = qa.json.array{}, n = 3 }))
      assert(store:update("n", function(n) return (n or 0) + 1 end) == 1)
    )");
  }
  VmFixture fixture(options);
  REQUIRE_RUNS(fixture, R"(
    local store = qa.store.open("notes")
    assert(qa.json.encode((store:get("a"))) == '{"list":[],"n":3,"text":"kept"}')
    assert(store:update("n", function(n) return n + 1 end) == 2)
    assert(qa.store.open("others"):get("a") == nil)
  )");
  std::filesystem::remove_all(options.models.state);
}

TEST_CASE("without a state folder a store is an outcome that says what to give", "[bindings][store]") {
  VmFixture fixture;
  REQUIRE_RUNS(fixture, R"(
    local value, err = qa.store.open("notes"):get("a")
    assert(value == nil and err.kind == "store_error" and err.message:find("--state", 1, true), tostring(err))
    local ok, raised = pcall(function() for _ in qa.store.open("notes"):each() do end end)
    assert(not ok and raised.kind == "store_error")
  )");
}

TEST_CASE("bytes go to base64 and back, and what is no base64 is nil", "[bindings][store]") {
  VmFixture fixture;
  REQUIRE_RUNS(fixture, R"(
    local internal = require "qa.internal"
    assert(internal.base64("\0\255a") == "AP9h" and internal.from_base64("AP9h") == "\0\255a")
    assert(internal.from_base64("no base64!") == nil)
  )");
}
