#include "host/browser/launcher.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "host/browser/time_slice.h"
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

bool is_program(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

/// A name without a slash is looked up in PATH, as a shell does.
std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* variable = std::getenv("PATH");
  const std::string path = variable != nullptr ? variable : "/usr/bin:/bin";
  for (std::size_t start = 0; start <= path.size();) {
    std::size_t end = path.find(':', start);
    if (end == std::string::npos) end = path.size();
    const std::string candidate = path.substr(start, end - start) + "/" + name;
    if (end > start && is_program(candidate)) return candidate;
    start = end + 1;
  }
  return name;
}

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
    const std::string path = find_program(options.path);
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

/// The four channels, each with our end and the browser's. Everything is close-on-exec, and the browser's ends lie
/// above the numbers they are moved to, so that no move overwrites another's source.
struct Channels {
  UniqueFd to_browser, browser_input;  // A socket pair: send() can suppress SIGPIPE, write() to a pipe cannot.
  UniqueFd from_browser, browser_output;
  UniqueFd stderr_read, stderr_write;
  UniqueFd temporary;
};

Result<Unit> raise_fd(UniqueFd& fd) {
  const int moved = ::fcntl(fd.get(), F_DUPFD_CLOEXEC, kTemporaryFd + 1);
  if (moved < 0) return system_error("cannot start a browser", errno);
  fd.reset(moved);
  return Unit{};
}

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
  // Larger buffers mean fewer wake-ups for screenshots; refused above the system's limit, which is no error.
  ::fcntl(channels.from_browser.get(), F_SETPIPE_SZ, kPipeBytes);
  ::fcntl(channels.stderr_read.get(), F_SETFL, O_NONBLOCK);
  for (UniqueFd* fd :
       {&channels.browser_input, &channels.browser_output, &channels.stderr_write, &channels.temporary}) {
    if (auto moved = raise_fd(*fd); !moved) return moved.error();
  }
  return channels;
}

/// posix_spawn's two attribute objects, destroyed together.
struct SpawnPlan {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
};

void plan_files(SpawnPlan& plan, const Channels& channels) {
  posix_spawn_file_actions_addopen(&plan.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&plan.actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&plan.actions, channels.stderr_write.get(), STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&plan.actions, channels.browser_input.get(), 3);
  posix_spawn_file_actions_adddup2(&plan.actions, channels.browser_output.get(), 4);
  posix_spawn_file_actions_adddup2(&plan.actions, channels.temporary.get(), kTemporaryFd);
  // Descriptors of the embedding program that are not close-on-exec must not keep its sockets alive in a browser.
  posix_spawn_file_actions_addclosefrom_np(&plan.actions, kTemporaryFd + 1);
}

/// A group of its own, and no signal ignored or blocked: those would be inherited from us.
void plan_process(SpawnPlan& plan) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setpgroup(&plan.attributes, 0);
  posix_spawnattr_setsigmask(&plan.attributes, &none);
  posix_spawnattr_setsigdefault(&plan.attributes, &all);
  posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
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
  auto arguments = browser_arguments(options, *path, *directory, browser.no_sandbox);
  auto environment = browser_environment(*directory, temporary, options.headed);
  SpawnPlan plan;
  plan_files(plan, *channels);
  plan_process(plan);
  // The browser inherits it: its frames are late by what each of its many threads waits.
  const ShortTimeSlice inherited;
  const int failed = posix_spawn(&browser.pid, path->c_str(), &plan.actions, &plan.attributes,
                                 pointers(arguments).data(), pointers(environment).data());
  if (failed != 0) return system_error("cannot run " + *path, failed);
  browser.to_browser = channels->to_browser.release();
  browser.from_browser = channels->from_browser.release();
  browser.stderr_fd = channels->stderr_read.release();
  return browser;
}

}  // namespace qa
