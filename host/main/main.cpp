// The binary: makes the process safe to work in, reads the command line, and
// becomes supervisor, worker, or a native command.

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "host/installation.h"
#include "host/main/cli.h"
#include "host/main/commands.h"
#include "host/main/supervisor.h"
#include "host/main/worker_process.h"
#include "host/text.h"

namespace qa {
namespace {

constexpr int kInternal = 70;

struct WorkerRole {
  int parent = 0, fd = -1, index = 0, count = 1;
};

/// Descriptors 0-2 that the caller closed would be given to sockets, and a print would go into a browser's pipe.
void open_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
  }
}

/// Pictures take megabytes each, and one follows the other: their memory is kept for the next one, for the kernel takes
/// longer to hand out fresh pages than the pixels to be written. Larger blocks than these go back at once.
void keep_memory_of_pictures() {
  constexpr int kLargestKept = 32 << 20, kMostKept = 128 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargestKept);
  mallopt(M_TRIM_THRESHOLD, kMostKept);
}

void prepare_process() {
  keep_memory_of_pictures();
  open_standard_descriptors();
  // A handler and not SIG_IGN, which a browser would inherit.
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigaction(SIGPIPE, &action, nullptr);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

bool take_worker_flag(std::vector<std::string>& words, WorkerRole& role) {
  if (words.empty() || !words.front().starts_with(kWorkerFlag)) return false;
  const std::string values = words.front().substr(std::string(kWorkerFlag).size());
  words.erase(words.begin());
  return std::sscanf(values.c_str(), "%d:%d:%d:%d", &role.parent, &role.fd, &role.index, &role.count) == 4;
}

/// A run that a service started ends with it, however that ends. False when it is gone already.
bool take_run_of_flag(std::vector<std::string>& words) {
  if (words.empty() || !words.front().starts_with(kRunOfFlag)) return true;
  const int parent = std::atoi(words.front().c_str() + std::strlen(kRunOfFlag));
  words.erase(words.begin());
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  return getppid() == parent;
}

SupervisorOptions supervisor_options(const Invocation& run, const std::vector<std::string>& words) {
  SupervisorOptions options;
  options.words = words;
  options.recover_options = {"--share", run.share};
  options.targets = run.targets;
  options.jobs = run.jobs;
  if (run.max_duration_ms) options.max_duration = std::chrono::milliseconds(*run.max_duration_ms);
  options.stdout_is_json = run.reporter == "json";
  return options;
}

int run_here(const Invocation& run) {
  int code = 0;
  const int count = static_cast<int>(run.targets.size());
  for (int index = 0; index == 0 || (index < count && code < 128); ++index) {
    LifeLine line;
    code = worse_exit_code(code, run_worker(run, line, index, count));
  }
  return code;
}

int run_program(std::vector<std::string> words) {
  WorkerRole role;
  const bool is_worker = take_worker_flag(words, role);
  if (!take_run_of_flag(words)) return 128 + SIGTERM;
  const CommandLine parsed = parse_command_line(words, share_folder());
  if (const auto* early = std::get_if<EarlyExit>(&parsed)) {
    std::fputs(early->text.c_str(), early->code == 0 ? stdout : stderr);
    return early->code;
  }
  const auto& run = std::get<Invocation>(parsed);
  if (is_worker) {
    LifeLine line(role.fd, role.parent);
    return run_worker(run, line, role.index, role.count);
  }
  if (run.action == Invocation::Action::diff) return run_diff(run.diff);
  if (run.action == Invocation::Action::trust) return run_trust(run.trust, state_folder(run.state), run.share);
  if (run.action == Invocation::Action::serve) return run_serve(run);
  if (run.action == Invocation::Action::lambda) return run_lambda(run);
  if (!run.project.left_out.empty()) std::fprintf(stderr, "qa-host: %s\n", terminal_safe(run.project.left_out).c_str());
  if (!run.event.empty()) return run_event(run);
  return run.supervised ? supervise(supervisor_options(run, words)) : run_here(run);
}

}  // namespace
}  // namespace qa

int main(int argc, char** argv) {
  qa::prepare_process();
  try {
    return qa::run_program({argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "qa-host: internal error: %s\n", qa::terminal_safe(error.what()).c_str());
    return qa::kInternal;
  }
}
