#include "host/browser/browser_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "tests/support/browser_fixture.h"

using namespace qa;
using namespace qa::test;

namespace {

/// A process that waits to be killed, in a group of its own.
pid_t waiting_process() {
  const pid_t pid = ::fork();
  if (pid != 0) return ::setpgid(pid, pid), pid;
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  for (;;) ::pause();
}

/// A process that traces `pid` and looks away for a while once that has died; 0 where tracing is forbidden.
pid_t sleepy_tracer(pid_t pid) {
  int ready[2];
  if (::pipe(ready) != 0) return 0;
  const pid_t tracer = ::fork();
  if (tracer == 0) {
    const char traces = ::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) == 0 ? 'y' : 'n';
    if (::write(ready[1], &traces, 1) != 1) ::_exit(1);
    siginfo_t died{};
    ::waitid(P_PID, static_cast<id_t>(pid), &died, WEXITED | WNOWAIT);
    ::usleep(300'000);
    ::_exit(0);
  }
  char traces = 'n';
  const bool told = ::read(ready[0], &traces, 1) == 1;
  ::close(ready[0]);
  ::close(ready[1]);
  if (told && traces == 'y') return tracer;
  ::waitpid(tracer, nullptr, 0);
  return 0;
}

/// A leader, and a member of its group that needs a while to die: it has 256 MiB to give back before its end of the
/// pipe is closed. Returns once the member is ready.
pid_t group_that_dies_slowly(int write_end) {
  int ready[2];
  if (::pipe(ready) != 0) return 0;
  const pid_t leader = ::fork();
  if (leader == 0) {
    ::setpgid(0, 0);
    if (::fork() == 0) {
      std::vector<char> ballast(std::size_t{256} << 20, 'x');
      if (::write(ready[1], &ballast[ballast.size() / 2], 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    ::close(write_end);
    for (;;) ::pause();
  }
  ::setpgid(leader, leader);
  char byte = 0;
  if (::read(ready[0], &byte, 1) != 1) WARN("the member of the group did not start");
  ::close(ready[0]);
  ::close(ready[1]);
  return leader;
}

bool closed_at_the_other_end(int fd) {
  pollfd seen{fd, POLLIN, 0};
  return ::poll(&seen, 1, 0) == 1 && (seen.revents & POLLHUP) != 0;
}

}  // namespace

TEST_CASE("the folder of a browser is removed after the last process of its group", "[browser]") {
  EventLoop loop;
  TempFolder parent;
  const std::string folder = parent.path() + "/browser";
  std::filesystem::create_directory(folder);
  int alive[2];
  REQUIRE(::pipe2(alive, O_CLOEXEC) == 0);
  const pid_t leader = group_that_dies_slowly(alive[1]);
  ::close(alive[1]);
  BrowserProcess process(loop, leader, ::open("/dev/null", O_RDONLY), folder);
  CHECK_FALSE(closed_at_the_other_end(alive[0]));
  SECTION("at the end of a process") {
    process.destroy_now();
    CHECK(closed_at_the_other_end(alive[0]));
  }
  SECTION("on the pool") {
    bool removed = false, gone = false;
    process.on_exit([&] {
      process.remove_folder([&] {
        gone = closed_at_the_other_end(alive[0]);
        removed = true;
      });
    });
    process.kill_group();
    CHECK(run_until(
        loop, [&] { return removed; }, 3000));
    CHECK(gone);
  }
  CHECK_FALSE(std::filesystem::exists(folder));
  ::close(alive[0]);
}

TEST_CASE("the end of a browser that somebody traces is seen once the tracer has seen it", "[browser]") {
  EventLoop loop;
  TempFolder folder;
  const pid_t pid = waiting_process();
  const pid_t tracer = sleepy_tracer(pid);
  BrowserProcess process(loop, pid, ::open("/dev/null", O_RDONLY), folder.path());
  bool exited = false;
  process.on_exit([&] { exited = true; });
  process.kill_group();
  CHECK(run_until(
      loop, [&] { return exited; }, 3000));
  CHECK(process.exit_text() == "was killed by signal 9");
  if (tracer == 0) WARN("tracing is forbidden here: nothing was held up");
  if (tracer != 0) ::waitpid(tracer, nullptr, 0);
}
