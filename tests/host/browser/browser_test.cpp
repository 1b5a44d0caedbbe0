// Browser against a real Chromium: start, loss, freezing, closing, popups.

#include <signal.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/browser_fixture.h"

using namespace qa;
using namespace qa::test;

namespace {

bool group_runs(int pid) { return ::kill(-pid, 0) == 0; }

/// A program that stands in for a browser.
std::string fake_program(const TempFolder& folder, const std::string& script) {
  folder.write("fake-browser", "#!/bin/sh\n" + script + "\n");
  const std::string path = folder.path() + "/fake-browser";
  ::chmod(path.c_str(), 0755);
  return path;
}

Result<std::shared_ptr<Browser>> launch_fake(EventLoop& loop, const TempFolder& folder, const std::string& script) {
  LaunchOptions options;
  options.path = fake_program(folder, script);
  options.directory = folder.path();
  return await<std::shared_ptr<Browser>>(loop, [&](auto done) { Browser::launch(loop, options, done); });
}

}  // namespace

TEST_CASE("a browser starts, tells who it is, and leaves nothing behind when closed", "[browser]") {
  BrowserFixture fixture;
  CHECK(fixture.browser->info().product.find("Chrome") != std::string::npos);
  CHECK(fixture.browser->info().pid > 0);
  CHECK_FALSE(fixture.browser->lost());
  const int pid = fixture.browser->info().pid;
  auto page = fixture.open();
  CHECK(fixture.browser->pages().size() == 1);

  for (int round = 0; round < 2; ++round) {  // Closing twice is one closing.
    CHECK(await<Unit>(fixture.loop, [&](auto done) { fixture.browser->close(done); }));
  }
  CHECK(fixture.browser->lost());
  CHECK(fixture.browser->pages().empty());
  CHECK(page->closed());
  CHECK(fixture.kind(fixture.run(page, {"1", {}, false, "", 1000})) == "page_closed");
  REQUIRE(run_until(
      fixture.loop, [&] { return !group_runs(pid); }, 3000));
  CHECK(std::filesystem::is_empty(fixture.folder.path()));
  auto late = await<std::shared_ptr<Page>>(fixture.loop, [&](auto done) { fixture.browser->new_page({}, done); });
  CHECK(fixture.kind(late) == "browser_lost");
}

TEST_CASE("a missing browser is refused with the path that was tried", "[browser]") {
  EventLoop loop;
  TempFolder folder;
  LaunchOptions options;
  options.path = "/nope/chromium";
  options.directory = folder.path();
  auto result = await<std::shared_ptr<Browser>>(loop, [&](auto done) { Browser::launch(loop, options, done); });
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::browser_launch_failed);
  CHECK(result.error().message.find("/nope/chromium") != std::string::npos);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a browser that ends at once is reported with its exit status and last words", "[browser]") {
  EventLoop loop;
  TempFolder folder;
  auto result = launch_fake(loop, folder, "echo 'cannot find the display' >&2; exit 7");
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::browser_launch_failed);
  CHECK(result.error().message.find("status 7") != std::string::npos);
  const Json detail = Json::parse(result.error().detail);
  CHECK(detail["exit_status"] == 7);
  CHECK(detail["stderr"].get<std::string>().find("cannot find the display") != std::string::npos);
}

TEST_CASE("a browser that floods its stderr neither blocks nor grows", "[browser]") {
  EventLoop loop;
  TempFolder folder;
  auto result = launch_fake(loop, folder, "head -c 20000000 /dev/zero | tr '\\0' 'x' >&2; echo end >&2; exit 1");
  REQUIRE_FALSE(result);
  const std::string shown = Json::parse(result.error().detail)["stderr"];
  CHECK(shown.size() <= 4096);
  CHECK(shown.substr(shown.size() - 4) == "end\n");
}

TEST_CASE("every pending call fails at once when the browser is killed", "[browser]") {
  BrowserFixture fixture;
  auto page = fixture.open();
  int failed = 0;
  std::string detail;
  for (int i = 0; i < 3; ++i) {
    page->evaluate({"new Promise(() => {})", {}, false, "", 60000},
                   [&](Result<Json> result) { failed += fixture.kind(result) == "browser_lost" ? 1 : 0; });
  }
  CHECK(fixture.value(page, "1") == 1);  // The three are under way by now.
  const double start = fixture.loop.now_ms();
  ::kill(fixture.browser->info().pid, SIGKILL);
  REQUIRE(run_until(
      fixture.loop, [&] { return failed == 3; }, 5000));
  CHECK(fixture.loop.now_ms() - start < 2000);
  CHECK(fixture.browser->lost());
  auto after = fixture.run(page, {"1", {}, false, "", 1000});
  CHECK(fixture.kind(after) == "browser_lost");
  REQUIRE(run_until(
      fixture.loop, [&] { return !group_runs(fixture.browser->info().pid); }, 5000));
  after = fixture.run(page, {"1", {}, false, "", 1000});
  CHECK(fixture.kind(after) == "browser_lost");
}

TEST_CASE("a frozen browser is lost after two missed heartbeats, and killed", "[browser]") {
  BrowserFixture fixture;
  auto page = fixture.open();
  const int pid = fixture.browser->info().pid;
  ::kill(-pid, SIGSTOP);
  std::string kind, detail;
  page->evaluate({"1", {}, false, "", 60000}, [&](Result<Json> result) {
    kind = fixture.kind(result);
    detail = result ? "" : result.error().detail;
  });
  REQUIRE(run_until(
      fixture.loop, [&] { return !kind.empty(); }, 20000));
  CHECK(kind == "browser_lost");
  CHECK(detail.find("frozen") != std::string::npos);
  REQUIRE(run_until(
      fixture.loop, [&] { return !group_runs(pid); }, 5000));
}

TEST_CASE("kill() ends the group before it returns, and what is pending fails", "[browser]") {
  BrowserFixture fixture;
  auto page = fixture.open();
  const int pid = fixture.browser->info().pid;
  std::string kind;
  page->evaluate({"new Promise(() => {})", {}, false, "", 60000},
                 [&](Result<Json> result) { kind = fixture.kind(result); });
  CHECK(fixture.value(page, "1") == 1);
  fixture.browser->kill();
  CHECK(kind.empty());
  CHECK(std::filesystem::is_empty(fixture.folder.path()));
  REQUIRE(run_until(
      fixture.loop, [&] { return !kind.empty(); }, 1000));
  CHECK(kind == "browser_lost");
  CHECK(page->closed());
  REQUIRE(run_until(
      fixture.loop, [&] { return !group_runs(pid); }, 3000));
}

TEST_CASE("a popup becomes a page, and the eleventh is closed", "[browser]") {
  BrowserFixture fixture;
  fixture.server.page("/popup.html", "<title>popup</title>");
  auto page = fixture.open("<button onclick=\"window.open('/popup.html')\">open</button>");
  auto opened =
      fixture.run(page, {"for (let i = 0; i < 11; i++) window.open('/popup.html?' + i); 'done'", {}, false, "", 10000});
  CHECK(fixture.kind(opened) == "ok");
  const auto popups = [&] {
    int count = 0;
    for (const Json& event : page->health().events_after(0)) count += event["kind"] == "popup" ? 1 : 0;
    return count;
  };
  REQUIRE(run_until(
      fixture.loop, [&] { return popups() >= 11; }, 20000));
  CHECK(popups() == 11);
  CHECK(fixture.browser->pages().size() == 11);  // The page itself and ten popups.
  auto popup = fixture.browser->pages()[1];
  CHECK(fixture.value(popup, "1 + 1") == 2);
  CHECK(await<Unit>(fixture.loop, [&](auto done) { popup->close(done); }));
  CHECK(popup->closed());
  CHECK(fixture.browser->pages().size() == 10);
}

TEST_CASE("two browsers share one folder and do not disturb each other", "[browser]") {
  BrowserFixture fixture;
  auto second = fixture.launch();
  auto page = fixture.open();
  CHECK(await<Unit>(fixture.loop, [&](auto done) { second->close(done); }));
  CHECK(fixture.value(page, "6 * 7") == 42);
}
