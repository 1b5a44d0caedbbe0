#include "tests/support/port_browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "host/browser/launcher.h"

namespace qa::test {

PortBrowser::PortBrowser() {
  int pair[2];
  if (::pipe2(pair, O_CLOEXEC) != 0) return;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, pair[1], STDERR_FILENO);
  posix_spawnattr_t group;
  posix_spawnattr_init(&group);
  posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> words{browser_candidates(false).front(),
                                 "--headless",
                                 "--no-sandbox",
                                 "--disable-gpu",
                                 "--remote-debugging-port=0",
                                 "--site-per-process",
                                 "--no-first-run",
                                 "--user-data-dir=" + profile_.path(),
                                 "about:blank"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::posix_spawn(&pid_, words.front().c_str(), &files, &group, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&group);
  ::close(pair[1]);
  // "DevTools listening on ws://127.0.0.1:PORT/devtools/browser/ID"
  std::string log;
  char byte = 0;
  const std::string mark = "ws://127.0.0.1:";
  while (::read(pair[0], &byte, 1) == 1) {
    log += byte;
    const std::size_t at = log.find(mark);
    if (byte != '\n' || at == std::string::npos) continue;
    port_ = std::atoi(log.c_str() + at + mark.size());
    const std::size_t slash = log.find('/', at + mark.size());
    path_ = log.substr(slash, log.size() - slash - 1);
    break;
  }
  drain_ = std::thread([fd = pair[0]] {
    char buffer[4096];
    while (::read(fd, buffer, sizeof buffer) > 0) continue;
    ::close(fd);
  });
}

PortBrowser::~PortBrowser() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  drain_.join();
}

}  // namespace qa::test
