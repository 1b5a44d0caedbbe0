#pragma once
// Launcher: starts a real Chromium with a debugging pipe, in a process group of
// its own, with a private profile and TMPDIR and an environment from an allow-list.

#include <sys/types.h>

#include <string>
#include <vector>

#include "host/error.h"

namespace qa {

struct LaunchOptions {
  std::string path;  ///< Binary to run; "" looks for chromium-headless-shell (headless) or chromium (headed).
  bool headed = false;
  bool game_clock = false;  ///< For pages with PageOptions::clock: nothing moves in pictures by real time.
  std::string directory;    ///< Existing folder that gets profile/ and tmp/ (TMPDIR).
  std::vector<std::string> extra_arguments;
};

struct LaunchedBrowser {
  pid_t pid = -1;         ///< Also the process group id.
  int to_browser = -1;    ///< Chromium's fd 3; owned by the caller.
  int from_browser = -1;  ///< Chromium's fd 4; owned by the caller.
  int stderr_fd = -1;     ///< Read end, non-blocking; owned by the caller, who must drain it.
  std::string path;
  bool no_sandbox = false;  ///< True when started as root: the report must say so.
};

/// Paths that are tried for a browser, in order, for headless or headed use.
std::vector<std::string> browser_candidates(bool headed);

/// Starts the browser. browser_launch_failed names the path tried and what to do.
/// The wrapper script /usr/bin/chromium resolves to the real binary behind it.
Result<LaunchedBrowser> launch_browser(const LaunchOptions& options);

// What a browser is started with: launcher_arguments.cpp.

/// TMPDIR by descriptor: Chromium binds a socket below TMPDIR, and a socket's path may have 107 bytes at most.
inline constexpr int kTemporaryFd = 5;
inline constexpr std::size_t kLongestTemporaryPath = 56;

/// argv for the browser. `directory` is absolute.
std::vector<std::string> browser_arguments(const LaunchOptions& options, const std::string& path,
                                           const std::string& directory, bool no_sandbox);

/// The flags of a browser that another machine starts for us, without a window.
std::vector<std::string> remote_arguments();

/// NAME=value lines from the allow-list: nothing else of our environment (keys, proxies, sessions) reaches the browser.
std::vector<std::string> browser_environment(const std::string& directory, const std::string& temporary, bool headed);

/// True for chromium-headless-shell, which knows only the old headless mode.
bool is_headless_shell(const std::string& path);

}  // namespace qa
