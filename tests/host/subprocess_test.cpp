#include "host/subprocess.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>

#include "tests/support/browser_fixture.h"

using namespace qa;
using namespace qa::test;
using std::chrono::milliseconds;

namespace {

Result<SubprocessResult> run(EventLoop& loop, const SubprocessSpec& spec) {
  std::optional<Result<SubprocessResult>> result;
  auto started = Subprocess::start(loop, spec, [&](Result<SubprocessResult> value) { result = std::move(value); });
  if (!started) return started.error();
  CHECK_FALSE(result);
  REQUIRE(run_until(
      loop, [&] { return result.has_value(); }, 20000));
  return std::move(*result);
}

SubprocessSpec shell(const std::string& script) {
  SubprocessSpec spec;
  spec.argv = {"sh", "-c", script};
  return spec;
}

SubprocessResult ran(EventLoop& loop, const SubprocessSpec& spec) {
  auto result = run(loop, spec);
  if (!result) FAIL(result.error().message);
  return std::move(*result);
}

pid_t number_in(const std::string& path) {
  pid_t number = 0;
  std::ifstream(path) >> number;
  return number;
}

/// A process that is a zombie of somebody else counts as gone.
bool is_running(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
  std::string word;
  char state = 'X';
  return static_cast<bool>(status >> word >> word >> state) && state != 'Z' && state != 'X';
}

bool gone_soon(pid_t pid) {
  for (int i = 0; i < 200 && is_running(pid); ++i) std::this_thread::sleep_for(milliseconds(10));
  return !is_running(pid);
}

}  // namespace

TEST_CASE("a program's output, exit code, folder, input and variables", "[process]") {
  EventLoop loop;
  TempFolder folder;
  SubprocessSpec spec = shell("pwd; cat; echo \"$MINE\" >&2; exit 3");
  spec.cwd = folder.path();
  spec.input = "said\n";
  spec.environment = {{"MINE", "yes"}};
  const auto result = ran(loop, spec);
  CHECK(result.out.text == folder.path() + "\nsaid\n");
  CHECK(result.err.text == "yes\n");
  CHECK(result.exit_code == 3);
  CHECK(result.signal == 0);
  CHECK_FALSE(result.timed_out);
  CHECK(ran(loop, shell("kill -TERM $$")).exit_code == 128 + SIGTERM);
  CHECK(ran(loop, shell("cat")).out.text.empty());
}

TEST_CASE("a program gets no variable that is not on the list, and no relative PATH", "[process]") {
  EventLoop loop;
  ::setenv("QA_TEST_API_KEY", "secret", 1);
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", (".:bin:" + before).c_str(), 1);
  const auto result = ran(loop, shell("env"));
  ::setenv("PATH", before.c_str(), 1);
  ::unsetenv("QA_TEST_API_KEY");
  CHECK(result.out.text.find("secret") == std::string::npos);
  CHECK(result.out.text.find("PATH=/") != std::string::npos);
  CHECK(result.out.text.find("PATH=.") == std::string::npos);
}

TEST_CASE("a time-out kills the group, grandchildren included", "[process]") {
  EventLoop loop;
  TempFolder folder;
  SubprocessSpec spec = shell("sh -c 'echo $$ > grandchild; sleep 60' & sh -c 'trap \"\" TERM INT HUP; sleep 60'");
  spec.cwd = folder.path();
  spec.timeout = milliseconds(400);
  const auto began = std::chrono::steady_clock::now();
  const auto result = ran(loop, spec);
  CHECK(result.timed_out);
  CHECK(result.signal == SIGKILL);
  CHECK(std::chrono::steady_clock::now() - began < milliseconds(5000));
  const pid_t grandchild = number_in(folder.path() + "/grandchild");
  REQUIRE(grandchild > 0);
  CHECK(gone_soon(grandchild));
}

TEST_CASE("what a program leaves behind is killed when it ends, and holds nobody up", "[process]") {
  EventLoop loop;
  TempFolder folder;
  SubprocessSpec spec = shell("sh -c 'echo $$ > left; exec sleep 60' & while [ ! -s left ]; do :; done; echo done");
  spec.cwd = folder.path();
  const auto result = ran(loop, spec);
  CHECK(result.exit_code == 0);
  CHECK(result.out.text == "done\n");
  CHECK(result.ms < 20000);
  CHECK(gone_soon(number_in(folder.path() + "/left")));
}

TEST_CASE("of a flood of output the beginning and the end are kept", "[process]") {
  EventLoop loop;
  SubprocessSpec spec = shell("echo first; yes xxxxxxxxxxxxxxx | head -n 400000; echo last");
  spec.output_bytes = 4096;
  const auto result = ran(loop, spec);
  CHECK(result.out.is_cut);
  CHECK(result.out.bytes == 6 + 400000 * 16 + 5);
  CHECK(result.out.text.size() < 4096 + 64);
  CHECK(result.out.text.starts_with("first\n"));
  CHECK(result.out.text.ends_with("xxx\nlast\n"));
  CHECK(result.out.text.find("bytes left out]") != std::string::npos);
}

TEST_CASE("what a program wrote last is there, in order, where the host was busy when it ended", "[process]") {
  EventLoop loop;
  std::optional<Result<SubprocessResult>> result;
  // Less than a pipe holds, more than is read at once.
  auto started = Subprocess::start(loop, shell("seq -f %07g 1 7500"),
                                   [&](Result<SubprocessResult> value) { result = std::move(value); });
  REQUIRE(started);
  siginfo_t ended{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>((*started)->group()), &ended, WEXITED | WNOWAIT) == 0);
  REQUIRE(run_until(
      loop, [&] { return result.has_value(); }, 5000));
  std::string expected;
  for (int i = 1; i <= 7500; ++i) expected += fmt::format("{:07}\n", i);
  CHECK((*result)->out.text == expected);
}

TEST_CASE("a program that is not there fails to start", "[process]") {
  EventLoop loop;
  SubprocessSpec spec;
  spec.argv = {"no-such-program-of-qa"};
  const auto missing = run(loop, spec);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::process_failed);
  CHECK(missing.error().message.find("no-such-program-of-qa") != std::string::npos);
  spec.argv = {"/etc/passwd"};
  CHECK_FALSE(run(loop, spec));
  spec.argv = {"true"};
  spec.cwd = "/no/such/folder";
  CHECK_FALSE(run(loop, spec));
}

TEST_CASE("a process that is stopped is gone and completes nothing", "[process]") {
  EventLoop loop;
  TempFolder folder;
  SubprocessSpec spec = shell("sh -c 'echo $$ > child; sleep 60' & sleep 60");
  spec.cwd = folder.path();
  bool completed = false;
  auto started = Subprocess::start(loop, spec, [&](auto) { completed = true; });
  REQUIRE(started);
  REQUIRE(run_until(
      loop, [&] { return number_in(folder.path() + "/child") > 0; }, 5000));
  const pid_t group = (*started)->group();
  SECTION("by stop()") { (*started)->stop(); }
  SECTION("with its last owner") { started->reset(); }
  CHECK(gone_soon(group));
  CHECK(gone_soon(number_in(folder.path() + "/child")));
  run_until(
      loop, [] { return false; }, 50);
  CHECK_FALSE(completed);
}
