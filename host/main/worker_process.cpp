#include "host/main/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "host/folder.h"

extern char** environ;

namespace qa {
namespace {

constexpr std::size_t kLongestMessage = 8192;

/// The text after the first blank.
std::string_view rest_of(std::string_view text) {
  const auto blank = text.find(' ');
  return blank == std::string_view::npos ? std::string_view() : text.substr(blank + 1);
}

int number_of(std::string_view text) { return std::atoi(std::string(text.substr(0, text.find(' '))).c_str()); }

void take_message(WorkerProcess& worker, std::string_view message, SteadyTime now) {
  const std::string_view word = message.substr(0, message.find(' '));
  const std::string_view rest = rest_of(message);
  worker.last_beat = now;
  if (word == "group") {
    // Group 1 or 0 would be init's or our own.
    if (const pid_t group = number_of(rest); group > 1) worker.groups.push_back(group);
  } else if (word == "group_gone") {
    std::erase(worker.groups, number_of(rest));
  } else if (word == "run") {
    worker.run_directory = rest;
    worker.has_result = false;
  } else if (word == "result") {
    worker.status = rest.substr(0, rest.find(' '));
    worker.score = number_of(rest_of(rest));
    worker.report = rest_of(rest_of(rest));
    worker.has_result = true;
  } else if (word == "error") {
    worker.error = rest;
  }
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

/// Signals as a fresh program expects them: none blocked, none ignored but SIGPIPE.
void set_signals(posix_spawnattr_t& attributes) {
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&defaults, number);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

}  // namespace

bool start_worker(WorkerProcess& worker, const std::vector<std::string>& words, int count, int stdout_fd) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
  worker.line.reset(ends[0]);
  UniqueFd theirs(ends[1]);
  std::vector<std::string> all{"qa-host", kWorkerFlag + std::to_string(getpid()) + ":" + std::to_string(kLineFd) + ":" +
                                              std::to_string(worker.index) + ":" + std::to_string(count)};
  all.insert(all.end(), words.begin(), words.end());
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if (stdout_fd >= 0) posix_spawn_file_actions_adddup2(&actions, stdout_fd, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), kLineFd);
  set_signals(attributes);
  auto arguments = pointers(all);
  const int failed = posix_spawn(&worker.pid, "/proc/self/exe", &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  worker.started = worker.last_beat = std::chrono::steady_clock::now();
  if (failed != 0) worker.pid = -1;
  return failed == 0;
}

void read_messages(WorkerProcess& worker, SteadyTime now) {
  std::array<char, kLongestMessage> buffer;
  while (worker.line) {
    const ssize_t length = recv(worker.line.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (length > 0) {
      take_message(worker, {buffer.data(), static_cast<std::size_t>(length)}, now);
      continue;
    }
    const bool is_over = length == 0 || (errno != EAGAIN && errno != EINTR);
    // The worker is told apart from its line: SIGCHLD says when it is dead.
    if (is_over) worker.line.reset();
    return;
  }
}

void send_cancel(const WorkerProcess& worker, int signal_number) {
  const std::string message = "cancel " + std::to_string(signal_number);
  if (worker.line) send(worker.line.get(), message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void kill_browsers(WorkerProcess& worker) {
  for (const pid_t group : worker.groups) kill(-group, SIGKILL);
  worker.groups.clear();
}

std::vector<pid_t> child_processes() {
  std::vector<pid_t> pids;
  const std::string list = "/proc/self/task/" + std::to_string(getpid()) + "/children";
  if (FILE* children = std::fopen(list.c_str(), "re")) {
    int pid = 0;
    while (std::fscanf(children, "%d", &pid) == 1) pids.push_back(pid);
    std::fclose(children);
  }
  return pids;
}

void kill_orphans(const std::vector<pid_t>& spared, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < end) {
    // Each kill may hand over grandchildren: read the list again until nobody is left.
    std::vector<pid_t> orphans = child_processes();
    std::erase_if(orphans, [&](pid_t pid) { return std::count(spared.begin(), spared.end(), pid) > 0; });
    if (orphans.empty()) return;
    for (const pid_t pid : orphans) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, WNOHANG);
    }
    poll(nullptr, 0, 5);
  }
}

void copy_output(const WorkerProcess& worker) {
  if (!worker.output || lseek(worker.output.get(), 0, SEEK_SET) != 0) return;
  std::array<char, 65536> buffer;
  std::fflush(stdout);
  for (ssize_t length = 0; (length = read(worker.output.get(), buffer.data(), buffer.size())) > 0;) {
    if (!write_all(STDOUT_FILENO, {buffer.data(), static_cast<std::size_t>(length)})) return;
  }
}

}  // namespace qa
