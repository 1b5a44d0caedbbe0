#include "host/browser/launcher.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "host/browser/cdp_frame.h"
#include "host/browser/time_slice.h"
#include "host/unique_fd.h"
#include "tests/support/fake_browser.h"

using namespace qa;
using namespace qa::test;
using Reply = CdpConnection::Reply;

namespace {

constexpr char kWebglRenderer[] = R"JS((() => {
  const gl = document.createElement('canvas').getContext('webgl2', {failIfMajorPerformanceCaveat: true});
  return gl ? String(gl.getParameter(gl.VERSION)) : 'none';
})())JS";

/// A browser that runs until the end of the test.
struct Running {
  LaunchedBrowser browser;
  explicit Running(LaunchedBrowser launched) : browser(std::move(launched)) {}
  Running(const Running&) = delete;
  ~Running() {
    if (browser.pid > 0) ::kill(-browser.pid, SIGKILL), ::waitpid(browser.pid, nullptr, 0);
    ::close(browser.stderr_fd);
  }
  /// Waits for the exit that is to come, at most 10 s; -1 when it does not.
  int exit_status() {
    for (int i = 0; i < 1000; ++i) {
      int status = 0;
      if (::waitpid(browser.pid, &status, WNOHANG) == browser.pid) {
        browser.pid = -1;
        return status;
      }
      ::usleep(10000);
    }
    return -1;
  }
};

/// A program in the place of a browser: a shell script that is not one of the known wrappers.
std::string script(const TempFolder& folder, const std::string& body) {
  folder.write("fake", "#!/bin/sh\n" + body + "\n");
  const std::string path = folder.path() + "/fake";
  ::chmod(path.c_str(), 0755);
  return path;
}

std::string read_all(int fd) {
  ::fcntl(fd, F_SETFL, 0);
  std::string text;
  char buffer[4096];
  for (ssize_t size; (size = ::read(fd, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(size));
  return text;
}

/// Whether a signal is in a mask as /proc/PID/status prints it.
bool signal_in(const std::string& status, const std::string& name, int signal) {
  const auto at = status.find(name);
  REQUIRE(at != std::string::npos);
  return (std::stoull(status.substr(at + name.size()), nullptr, 16) >> (signal - 1) & 1) != 0;
}

Json call(EventLoop& loop, CdpConnection& cdp, const std::string& session, const std::string& method,
          const Json& params) {
  std::optional<Result<Reply>> answer;
  cdp.call(session, method, params.dump(), 20000, [&](Result<Reply> reply) { answer = std::move(reply); });
  REQUIRE(run_until(
      loop, [&] { return answer.has_value(); }, 25000));
  INFO((*answer ? "" : answer->error().message));
  REQUIRE(*answer);
  return (*answer)->result;
}

}  // namespace

TEST_CASE("a browser that is missing is named with what to do", "[launcher]") {
  TempFolder folder;
  LaunchOptions options;
  options.directory = folder.path();
  SECTION("a path that does not exist") { options.path = "/nope/chromium"; }
  SECTION("a file that is no program") {
    folder.write("chromium", "text");
    options.path = folder.path() + "/chromium";
  }
  SECTION("a folder") { options.path = "/usr"; }
  SECTION("a name that is not in PATH") { options.path = "no-such-browser"; }
  const auto launched = launch_browser(options);
  REQUIRE_FALSE(launched);
  CHECK(launched.error().kind == ErrorKind::browser_launch_failed);
  CHECK(launched.error().message.find(options.path) != std::string::npos);
  CHECK(launched.error().message.find("install chromium-headless-shell") != std::string::npos);
}

TEST_CASE("a file that the system cannot run is a launch failure", "[launcher]") {
  TempFolder folder;
  folder.write("chromium", "no program at all");
  ::chmod((folder.path() + "/chromium").c_str(), 0755);
  LaunchOptions options;
  options.directory = folder.path();
  options.path = folder.path() + "/chromium";
  const auto launched = launch_browser(options);
  REQUIRE_FALSE(launched);
  CHECK(launched.error().message.find("cannot run " + options.path) != std::string::npos);
}

TEST_CASE("a browser directory that cannot be made is a launch failure", "[launcher]") {
  LaunchOptions options;
  options.directory = "/proc/nowhere";
  const auto launched = launch_browser(options);
  REQUIRE_FALSE(launched);
  CHECK(launched.error().message.find("/proc/nowhere/profile") != std::string::npos);
}

TEST_CASE("the distribution's wrapper resolves to the real binary", "[launcher]") {
  TempFolder folder;
  LaunchOptions options;
  options.directory = folder.path();
  options.path = GENERATE("/usr/bin/chromium", "/usr/bin/chromium-headless-shell", "chromium");
  const auto launched = launch_browser(options);
  REQUIRE(launched);
  Running running(*launched);
  CHECK(running.browser.path.rfind("/usr/lib/chromium/", 0) == 0);
  ::close(running.browser.to_browser);
  ::close(running.browser.from_browser);
}

TEST_CASE("a browser gets its own group, the allowed environment and no descriptor of ours", "[launcher]") {
  TempFolder folder;
  LaunchOptions options;
  options.directory = folder.path();
  options.path = script(folder,
                        "env >&2; echo \"fds: $(cd /proc/$$/fd; echo *)\" >&2;"
                        "echo \"stdin: $(readlink /proc/$$/fd/0)\" >&2;"
                        // No child: while a shell starts one, its own mask is another.
                        "while read -r line; do case $line in Sig*) echo \"$line\" >&2;; esac; done "
                        "< /proc/$$/status; echo group: $(ps -o pgid= -p $$) >&2");
  ::setenv("QA_SECRET_KEY", "hunter2", 1);
  ::setenv("HTTP_PROXY", "http://localhost:1", 1);
  ::setenv("FONTCONFIG_FILE", "/etc/fonts/fonts.conf", 1);
  const int leak = ::dup2(STDERR_FILENO, 77);  // Not close-on-exec, as an embedder's may be.
  struct sigaction before {};
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGTERM, &ignore, &before);
  sigset_t block, unblocked;
  sigemptyset(&block);
  sigaddset(&block, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &block, &unblocked);
  const auto launched = launch_browser(options);
  ::pthread_sigmask(SIG_SETMASK, &unblocked, nullptr);
  ::sigaction(SIGTERM, &before, nullptr);
  ::unsetenv("QA_SECRET_KEY");
  ::unsetenv("HTTP_PROXY");
  ::unsetenv("FONTCONFIG_FILE");
  ::close(leak);
  REQUIRE(launched);
  Running running(*launched);
  const std::string text = read_all(running.browser.stderr_fd);
  INFO(text);
  CHECK(text.find("hunter2") == std::string::npos);
  CHECK(text.find("HTTP_PROXY") == std::string::npos);
  CHECK(text.find("FONTCONFIG_FILE=/etc/fonts/fonts.conf") != std::string::npos);
  CHECK(text.find("HOME=" + folder.path() + "\n") != std::string::npos);
  CHECK(text.find("TMPDIR=" + folder.path() + "/tmp\n") != std::string::npos);
  CHECK(text.find("stdin: /dev/null") != std::string::npos);
  CHECK(text.find(" 77") == std::string::npos);
  CHECK_FALSE(signal_in(text, "SigIgn:", SIGTERM));
  CHECK_FALSE(signal_in(text, "SigBlk:", SIGUSR1));
  CHECK(text.find("group: " + std::to_string(running.browser.pid)) != std::string::npos);
  CHECK((::fcntl(running.browser.to_browser, F_GETFD) & FD_CLOEXEC) != 0);
  CHECK((::fcntl(running.browser.from_browser, F_GETFD) & FD_CLOEXEC) != 0);
  ::close(running.browser.to_browser);
  ::close(running.browser.from_browser);
}

TEST_CASE("a browser gets the shortest time slices, and we keep ours", "[launcher]") {
  TempFolder folder;
  LaunchOptions options;
  options.directory = folder.path();
  options.path = script(folder, "while read -r line; do :; done <&3");
  const auto usual = time_slice_ns(0);
  const auto launched = launch_browser(options);
  REQUIRE(launched);
  Running running(*launched);
  const UniqueFd to_browser(launched->to_browser), from_browser(launched->from_browser);
  CHECK(time_slice_ns(0) == usual);
  // Kernels before 6.12 tell of none.
  CHECK(time_slice_ns(running.browser.pid) == (usual == 0 ? 0 : 100'000));
}

TEST_CASE("only root runs without a sandbox, and the result says so", "[launcher]") {
  LaunchOptions options;
  for (const bool root : {false, true}) {
    const auto arguments = browser_arguments(options, "/usr/lib/chromium/chromium", "/d", root);
    CHECK((std::count(arguments.begin(), arguments.end(), "--no-sandbox") == 1) == root);
  }
}

TEST_CASE("headless mode is spelt as the binary knows it", "[launcher]") {
  const auto has = [](const LaunchOptions& options, const char* path, const char* flag) {
    const auto arguments = browser_arguments(options, path, "/d", false);
    return std::count(arguments.begin(), arguments.end(), flag) == 1;
  };
  LaunchOptions options;
  CHECK(has(options, "/usr/lib/chromium/chromium-headless-shell", "--headless"));
  CHECK(has(options, "/usr/lib/chromium/chromium", "--headless=new"));
  CHECK(has(options, "/usr/lib/chromium/chromium", "--site-per-process"));
  CHECK(has(options, "/usr/lib/chromium/chromium", "--user-data-dir=/d/profile"));
  options.headed = true;
  options.extra_arguments = {"--lang=de"};
  CHECK_FALSE(has(options, "/usr/lib/chromium/chromium", "--headless=new"));
  CHECK(has(options, "/usr/lib/chromium/chromium", "--lang=de"));
}

TEST_CASE("the shell is refused for a window", "[launcher]") {
  TempFolder folder;
  LaunchOptions options;
  options.directory = folder.path();
  options.headed = true;
  options.path = "/usr/lib/chromium/chromium-headless-shell";
  const auto launched = launch_browser(options);
  REQUIRE_FALSE(launched);
  CHECK(launched.error().message.find("--headed") != std::string::npos);
}

TEST_CASE("a real browser answers, draws WebGL, keeps its files inside, and ends with the pipe",
          "[launcher][chromium]") {
  TempFolder folder;
  LaunchOptions options;
  options.path = GENERATE("/usr/lib/chromium/chromium-headless-shell", "/usr/lib/chromium/chromium");
  // Deeper than the path of a socket may be: Chromium puts one below TMPDIR.
  options.directory = folder.path() + GENERATE("/run",
                                               "/a-very-long-name-0123456789/0123456789-0123456789-0123456789/"
                                               "0123456789-0123456789-0123456789-0123456789-0123456789");
  std::filesystem::create_directories(options.directory);
  const auto launched = launch_browser(options);
  REQUIRE(launched);
  Running running(*launched);
  CHECK(running.browser.no_sandbox == (::geteuid() == 0));
  EventLoop loop;
  CdpConnection cdp(loop, make_pipe_wire(loop, running.browser.to_browser, running.browser.from_browser));
  const Json version = call(loop, cdp, "", "Browser.getVersion", Json::object());
  CHECK(version["product"].get<std::string>().find("Chrome/") != std::string::npos);
  const Json target = call(loop, cdp, "", "Target.createTarget", {{"url", "about:blank"}});
  const Json session =
      call(loop, cdp, "", "Target.attachToTarget", {{"targetId", target["targetId"]}, {"flatten", true}});
  const Json value = call(loop, cdp, session["sessionId"], "Runtime.evaluate", {{"expression", kWebglRenderer}});
  CHECK(value["result"]["value"].get<std::string>().rfind("WebGL 2.0", 0) == 0);
  CHECK(std::filesystem::exists(options.directory + "/profile"));
  cdp.close();
  CHECK(running.exit_status() == 0);
}

TEST_CASE("every pending call fails within moments of the browser's death", "[launcher][chromium]") {
  TempFolder folder;
  LaunchOptions options;
  options.directory = folder.path();
  const auto launched = launch_browser(options);
  REQUIRE(launched);
  Running running(*launched);
  EventLoop loop;
  CdpConnection cdp(loop, make_pipe_wire(loop, running.browser.to_browser, running.browser.from_browser));
  const Json target = call(loop, cdp, "", "Target.createTarget", {{"url", "about:blank"}});
  const Json session =
      call(loop, cdp, "", "Target.attachToTarget", {{"targetId", target["targetId"]}, {"flatten", true}});
  int failed = 0;
  bool lost = false;
  cdp.on_lost([&](const Error&) { lost = true; });
  for (int i = 0; i < 10; ++i) {
    cdp.call(session["sessionId"].get<std::string>(), "Runtime.evaluate",
             R"JS({"expression":"new Promise(() => {})","awaitPromise":true})JS", 60000,
             [&](const Result<Reply>& reply) { failed += !reply && reply.error().kind == ErrorKind::browser_lost; });
  }
  const auto start = std::chrono::steady_clock::now();
  ::kill(-running.browser.pid, SIGKILL);
  REQUIRE(run_until(loop, [&] { return lost; }));
  CHECK(failed == 10);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
}
