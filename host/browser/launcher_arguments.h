#pragma once
// What a browser is started with: its flags and its environment. Pure functions, used by the launcher alone.

#include <string>
#include <vector>

#include "host/browser/launcher.h"

namespace qa {

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
