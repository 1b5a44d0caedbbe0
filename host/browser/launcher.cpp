#include "host/browser/launcher.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "host/browser/time_slice.h"
#include "host/subprocess.h"
#include "host/unique_fd.h"

namespace qa {
namespace {

namespace fs = std::filesystem;

constexpr char kAdvice[] = "install chromium-headless-shell (Debian) or pass --browser PATH";
constexpr int kPipeBytes = 1 << 20;

Error launch_error(const std::string& message) {
  return {ErrorKind::browser_launch_failed, message, "browser.launch", ""};
}

Error system_error(const std::string& what, int code) { return launch_error(what + ": " + std::strerror(code)); }

/// Distributions wrap the browser in a shell script that adds flags (1.7 times the CPU time); the real binary lies in a
/// folder of its own. A script of another kind is left alone.
std::string behind_wrapper(const std::string& path) {
  std::error_code failed;
  const fs::path real = fs::canonical(path, failed);
  if (failed) return path;
  char start[2] = {};
  std::ifstream(real, std::ios::binary).read(start, sizeof start);
  if (start[0] != '#' || start[1] != '!') return path;
  const std::string name = real.filename().string();
  if (name == "chromium" || name == "chromium-headless-shell" || name == "chromium-browser") {
    const std::string binary = name == "chromium-headless-shell" ? name : "chromium";
    for (const char* folder : {"/usr/lib/chromium/", "/usr/lib/chromium-browser/"}) {
      if (is_program(folder + binary)) return folder + binary;
    }
  }
  if (name == "google-chrome" && is_program((real.parent_path() / "chrome").string())) {
    return (real.parent_path() / "chrome").string();
  }
  return path;
}

Result<std::string> choose_browser(const LaunchOptions& options) {
  if (!options.path.empty()) {
    const char* variable = std::getenv("PATH");
    std::string path = find_program(options.path, variable != nullptr ? variable : "/usr/bin:/bin");
    if (path.empty()) path = options.path;
    std::error_code failed;
    if (!fs::exists(path, failed)) return launch_error("no browser at " + options.path + "; " + kAdvice);
    if (!is_program(path)) return launch_error(path + " is not an executable file; " + kAdvice);
    return behind_wrapper(path);
  }
  std::string tried;
  for (const std::string& path : browser_candidates(options.headed)) {
    if (is_program(path)) return path;
    tried += (tried.empty() ? "" : ", ") + path;
  }
  return launch_error("no browser found (tried " + tried + "); " + kAdvice);
}

/// The channels, each with our end and the browser's. Everything is close-on-exec.
struct Channels {
  UniqueFd to_browser, browser_input;  // A socket pair: send() can suppress SIGPIPE, write() to a pipe cannot.
  UniqueFd from_browser, browser_output;
  UniqueFd stderr_read, stderr_write;
  UniqueFd temporary, nothing;
};

Result<Channels> open_channels(const std::string& temporary_folder) {
  Channels channels;
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return system_error("socketpair", errno);
  channels.to_browser.reset(pair[0]);
  channels.browser_input.reset(pair[1]);
  if (::pipe2(pair, O_CLOEXEC) != 0) return system_error("pipe", errno);
  channels.from_browser.reset(pair[0]);
  channels.browser_output.reset(pair[1]);
  if (::pipe2(pair, O_CLOEXEC) != 0) return system_error("pipe", errno);
  channels.stderr_read.reset(pair[0]);
  channels.stderr_write.reset(pair[1]);
  channels.temporary.reset(::open(temporary_folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!channels.temporary) return system_error("cannot open " + temporary_folder, errno);
  channels.nothing.reset(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!channels.nothing) return system_error("cannot open /dev/null", errno);
  // Larger buffers mean fewer wake-ups for screenshots; refused above the system's limit, which is no error.
  ::fcntl(channels.from_browser.get(), F_SETPIPE_SZ, kPipeBytes);
  ::fcntl(channels.stderr_read.get(), F_SETFL, O_NONBLOCK);
  return channels;
}

Result<std::string> prepare_directory(const std::string& directory) {
  std::error_code failed;
  const fs::path absolute = fs::absolute(directory.empty() ? "." : directory, failed);
  for (const char* name : {"profile", "tmp"}) {
    fs::create_directories(absolute / name, failed);
    if (failed) {
      return launch_error("cannot create " + (absolute / name).string() + " for the browser: " + failed.message());
    }
  }
  return absolute.string();
}

}  // namespace

std::vector<std::string> browser_candidates(bool headed) {
  std::vector<std::string> paths;
  if (!headed) paths.emplace_back("/usr/lib/chromium/chromium-headless-shell");
  paths.emplace_back("/usr/lib/chromium/chromium");
  paths.emplace_back("/usr/lib/chromium-browser/chromium-browser");
  paths.emplace_back("/opt/google/chrome/chrome");
  return paths;
}

Result<LaunchedBrowser> launch_browser(const LaunchOptions& options) {
  const auto path = choose_browser(options);
  if (!path) return path.error();
  const auto directory = prepare_directory(options.directory);
  if (!directory) return directory.error();
  if (options.headed && is_headless_shell(*path)) {
    return launch_error(*path + " cannot show a window; for --headed install chromium or pass --browser PATH");
  }
  std::string temporary = *directory + "/tmp";
  auto channels = open_channels(temporary);
  if (!channels) return channels.error();
  if (temporary.size() > kLongestTemporaryPath) temporary = "/proc/self/fd/" + std::to_string(kTemporaryFd);

  LaunchedBrowser browser;
  browser.path = *path;
  // Chromium's sandbox refuses to run as root.
  browser.no_sandbox = ::geteuid() == 0;
  const std::vector<int> files = {channels->nothing.get(),        channels->nothing.get(),
                                  channels->stderr_write.get(),   channels->browser_input.get(),
                                  channels->browser_output.get(), channels->temporary.get()};
  static_assert(kTemporaryFd == 5, "the last of the files");
  // The browser inherits it: its frames are late by what each of its many threads waits.
  const ShortTimeSlice inherited;
  const int failed = spawn_group(browser.pid, *path, browser_arguments(options, *path, *directory, browser.no_sandbox),
                                 browser_environment(*directory, temporary, options.headed), files);
  if (failed != 0) return system_error("cannot run " + *path, failed);
  browser.to_browser = channels->to_browser.release();
  browser.from_browser = channels->from_browser.release();
  browser.stderr_fd = channels->stderr_read.release();
  return browser;
}

}  // namespace qa
