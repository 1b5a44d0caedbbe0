#include "tests/support/live_page.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/browser/cdp_frame.h"

namespace qa::test {

bool run_until(EventLoop& loop, const std::function<bool()>& ready, int limit_ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(limit_ms);
  while (!ready()) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left <= left.zero()) return false;
    loop.io().run_one_for(std::min<std::chrono::steady_clock::duration>(left, std::chrono::milliseconds(50)));
  }
  return true;
}

TempFolder::TempFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "qa-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void TempFolder::write(const std::string& name, const std::string& text) const {
  std::filesystem::create_directories(std::filesystem::path(path_ + "/" + name).parent_path());
  std::ofstream(path_ + "/" + name, std::ios::binary) << text;
}

LivePage::LivePage() {
  auto started = StaticServer::start(loop, site_.path());
  REQUIRE(started);
  server = std::move(*started);
  LaunchOptions options;
  options.directory = profile_.path();
  auto launched = launch_browser(options);
  REQUIRE(launched);
  browser_ = *launched;
  stderr_reader_ = std::thread([fd = browser_.stderr_fd] {
    char buffer[4096];
    pollfd ready{fd, POLLIN, 0};
    while (::poll(&ready, 1, -1) > 0) {
      const ssize_t size = ::read(fd, buffer, sizeof buffer);
      if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) return;
    }
  });
  cdp = std::make_shared<CdpConnection>(loop, make_pipe_wire(loop, browser_.to_browser, browser_.from_browser));
  session = attach();
}

LivePage::~LivePage() {
  cdp->close();
  kill();
  stderr_reader_.join();
  ::close(browser_.stderr_fd);
  // Completions that are still queued run while everything they point to exists.
  loop.io().poll();
}

void LivePage::kill() {
  if (browser_.pid <= 0) return;
  ::kill(-browser_.pid, SIGKILL);
  ::waitpid(browser_.pid, nullptr, 0);
  browser_.pid = -1;
}

std::string LivePage::attach() {
  std::string target, found;
  bool failed = false;
  cdp->call("", "Target.createTarget", R"({"url":"about:blank"})", 20000, [&](auto reply) {
    failed = !reply;
    if (reply) target = reply->result["targetId"].template get<std::string>();
  });
  REQUIRE(run_until(loop, [&] { return failed || !target.empty(); }));
  REQUIRE_FALSE(failed);
  cdp->call("", "Target.attachToTarget", Json({{"targetId", target}, {"flatten", true}}).dump(), 20000,
            [&](auto reply) {
              failed = !reply;
              if (reply) found = reply->result["sessionId"].template get<std::string>();
            });
  REQUIRE(run_until(loop, [&] { return failed || !found.empty(); }));
  REQUIRE_FALSE(failed);
  return found;
}

void LivePage::on_event(Handler handler) {
  cdp->on_events(session, [handler = std::move(handler), id = session](std::string_view method, const Json& params,
                                                                       std::string base64) {
    handler(id, method, params, std::move(base64));
  });
}

Json LivePage::call(const std::string& method, const Json& params) {
  bool done = false;
  Json result;
  std::string problem;
  cdp->call(session, method, params.dump(), 20000, [&](auto reply) {
    done = true;
    if (reply) result = reply->result;
    if (!reply) problem = reply.error().message;
  });
  REQUIRE(run_until(
      loop, [&] { return done; }, 25000));
  INFO(method);
  REQUIRE(problem.empty());
  return result;
}

void LivePage::send(const std::string& method, const Json& params) {
  cdp->call(session, method, params.dump(), 60000, [](const auto&) {});
}

Json LivePage::evaluate(const std::string& expression) {
  const Json reply =
      call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  INFO(reply.dump());
  REQUIRE(reply.count("exceptionDetails") == 0);
  const Json& result = reply.at("result");
  return result.count("value") != 0 ? result.at("value") : Json();
}

std::string LivePage::page(const std::string& name, const std::string& html) {
  site_.write(name, html);
  return server->origin() + "/" + name;
}

}  // namespace qa::test
