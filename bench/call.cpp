// Runs a command again and again, and prints what one run takes: "wall_ms cpu_ms rss_mib". CPU is the command's own,
// user and system, from its start on: a shell's `time` adds the fork of the shell. Memory is the most of all runs.
// usage: qa-call REPEATS FILE COMMAND...     FILE gets what the last run says
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int count, char** words) {
  const int repeats = count > 3 ? std::atoi(words[1]) : 0;
  if (repeats < 1) return std::fprintf(stderr, "usage: qa-call REPEATS FILE COMMAND...\n"), 3;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, words[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  double cpu = 0;
  long most = 0;
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) {
    pid_t child = 0;
    if (posix_spawnp(&child, words[3], &actions, nullptr, words + 3, environ) != 0) return std::perror(words[3]), 3;
    rusage used{};
    int status = 0;
    if (wait4(child, &status, 0, &used) < 0) return std::perror(words[3]), 3;
    cpu += ms(used.ru_utime) + ms(used.ru_stime);
    most = std::max(most, used.ru_maxrss);
  }
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - began;
  std::printf("%.3f %.3f %.1f\n", wall.count() / repeats, cpu / repeats, static_cast<double>(most) / 1024);
  return 0;
}
