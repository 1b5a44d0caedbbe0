#pragma once
// A real browser behind Browser and Page, its folder, and a server that answers byte for byte what a test says.

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "host/browser/browser.h"
#include "host/browser/page.h"
#include "tests/support/live_page.h"
#include "tests/support/stub_server.h"

namespace qa::test {

/// Starts an operation, runs the loop until it completes, and checks that its completion was not called inline.
template <class T>
Result<T> await(EventLoop& loop, const std::function<void(Callback<T>)>& start, int limit_ms = 40000) {
  auto result = std::make_shared<std::optional<Result<T>>>();
  auto calls = std::make_shared<int>(0);
  start([result, calls](Result<T> value) {
    ++*calls;
    *result = std::move(value);
  });
  CHECK(*calls == 0);
  REQUIRE(run_until(
      loop, [&] { return *calls > 0; }, limit_ms));
  CHECK(*calls == 1);
  return std::move(**result);
}

struct BrowserFixture {
  EventLoop loop;
  TempFolder folder;
  StubServer server;
  std::shared_ptr<Browser> browser;

  BrowserFixture() { browser = launch(); }
  ~BrowserFixture() {
    if (browser) browser->kill();
    drain();
  }

  /// Runs what is ready now.
  void drain() {
    run_until(
        loop, [] { return false; }, 5);
  }
  std::shared_ptr<Browser> launch(LaunchOptions options = {}) {
    options.directory = folder.path();
    auto launched = await<std::shared_ptr<Browser>>(loop, [&](auto done) { Browser::launch(loop, options, done); });
    if (!launched) FAIL(launched.error().message);
    return *launched;
  }
  std::shared_ptr<Page> open(PageOptions options = {}) {
    auto page = await<std::shared_ptr<Page>>(loop, [&](auto done) { browser->new_page(options, done); });
    if (!page) FAIL(page.error().message);
    return *page;
  }
  /// Opens a page and loads this HTML.
  std::shared_ptr<Page> open(const std::string& html, PageOptions options = {}) {
    auto page = open(options);
    server.page("/opened.html", html);
    auto loaded = go(page, server.url("/opened.html"));
    if (!loaded) FAIL(loaded.error().message);
    return page;
  }
  Result<NavigationResult> go(const std::shared_ptr<Page>& page, const std::string& url, NavigateOptions options = {}) {
    return await<NavigationResult>(loop, [&](auto done) { page->navigate(url, options, done); });
  }
  Result<Json> run(const std::shared_ptr<Page>& page, EvaluateRequest request) {
    return await<Json>(loop, [&](auto done) { page->evaluate(request, done); });
  }
  Json value(const std::shared_ptr<Page>& page, const std::string& source) {
    auto result = run(page, {source, {}, false, "", 10000});
    if (!result) FAIL(source + ": " + result.error().message);
    return *result;
  }
  /// The kind word of a failed result, or "ok".
  template <class T>
  static std::string kind(const Result<T>& result) {
    return result ? "ok" : std::string(kind_name(result.error().kind));
  }
  static Json detail(const Error& error) { return Json::parse(error.detail, nullptr, false); }
};

}  // namespace qa::test
