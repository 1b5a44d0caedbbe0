#include "tests/bindings/vm_fixture.h"
#include "tests/support/gate_server.h"

using namespace qa;
using namespace qa::lua;
using qa::test::GateServer;

namespace {

const char* const kPlanted[] = {"planted-header-1", "planted-cookie-1", "sesame-opens", "YW5uYTpzZXNhbWUtb3BlbnM"};

/// All that a run wrote: files, prints and log lines.
std::string written(const VmFixture& fixture) {
  std::string all = fixture.printed + fixture.logged;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(fixture.folder + "/runs")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    all.append(std::istreambuf_iterator<char>(file), {});
  }
  return all;
}

VmOptions options_for(const GateServer& gate, const std::string& jar) {
  std::ofstream(jar) << "127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tplanted-cookie-1\n";
  const auto read = read_credentials({{"X-Gate: planted-header-1"}, jar, "anna:sesame-opens"}, gate.origin() + "/", 1);
  std::filesystem::remove(jar);
  if (!read) FAIL(read.error().message);
  VmOptions options;
  options.credentials = *read;
  return options;
}

}  // namespace

TEST_CASE("credentials open the target, and no output holds them", "[bindings][credentials]") {
  GateServer gate;
  // A page may know what it was opened with, and say so in every way that it has.
  const std::string all = "planted-header-1 planted-cookie-1 sesame-opens YW5uYTpzZXNhbWUtb3BlbnM=";
  gate.locked("/");
  gate.page("/", "<title>" + all + "</title><body>" + all + "<button id='planted-header-1'>" + all +
                     "</button><script>console.error('" + all + "'); fetch('/gone?' + '" + all +
                     "'); setTimeout(() => { alert('" + all + "'); throw new Error('" + all + "') })</script>");
  VmFixture fixture(options_for(gate, "/tmp/qa-jar-" + std::to_string(getpid())));
  REQUIRE_RUNS(fixture, "local url = '" + gate.origin() + R"lua('
    local page = assert(assert(qa.browser.launch {}):new_page {})
    local reached = assert(page:navigate(url .. "/"))
    assert(reached.status == 200, reached.status)
    for _, kind in ipairs {"console_error", "request_failed", "dialog", "exception"} do
      print(qa.json.encode(assert(page:next_event {kind = kind, timeout_ms = 10000})))
    end
    print(page:content(), qa.json.encode(page:evaluate "[document.title, document.cookie]"))
    print(qa.json.encode(page:cdp("Network.getCookies", {}).cookies))
    local none, err = page:evaluate "throw new Error(document.title)"
    print(tostring(err), qa.json.encode(err))
    none, err = page:navigate("http://127.0.0.1:1/" .. page:evaluate "document.cookie")
    print(tostring(err))
    qa.log.warn(page:evaluate "document.title")
    assert(qa.run.publish("kept.txt", page:content()))
    qa.run.event("seen", {text = page:content()})
  )lua");
  CHECK_THAT(gate.last("/"), Catch::Contains("cookie: sid=planted-cookie-1"));
  const std::string output = written(fixture);
  CHECK(output.find("***") != output.npos);
  CHECK(output.find(R"("op":"page:navigate")") != output.npos);
  for (const char* planted : kPlanted) {
    INFO(planted);
    CHECK(output.find(planted) == output.npos);
  }
}
