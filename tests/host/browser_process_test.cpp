#include "host/browser/browser_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

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

}  // namespace

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
