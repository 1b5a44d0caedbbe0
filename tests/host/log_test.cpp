#include "host/log.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>
#include <string>

using qa::Log;
using qa::log_level_from;
using qa::LogLevel;

namespace {

/// What `say` writes to a log of `level`.
std::string written(LogLevel level, const std::function<void(const Log&)>& say) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  say(Log(ends[1], level));
  ::close(ends[1]);
  std::string text(4096, '\0');
  const ssize_t got = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace

TEST_CASE("LOG_LEVEL and DEBUG choose the level", "[log]") {
  CHECK(log_level_from("", "") == LogLevel::info);
  CHECK(log_level_from("trace", "") == LogLevel::trace);
  CHECK(log_level_from("FATAL", "1") == LogLevel::fatal);
  CHECK(log_level_from("off", "") == LogLevel::off);
  CHECK(log_level_from("", "true") == LogLevel::debug);
  CHECK(log_level_from("", "0") == LogLevel::info);
  CHECK(log_level_from("", "False") == LogLevel::info);
  CHECK(log_level_from("nonsense", "1") == LogLevel::debug);
}

TEST_CASE("a log message is one safe line", "[log]") {
  CHECK(written(LogLevel::info, [](const Log& log) { log.warn("two\nlines \x1b[31m"); }) ==
        "warn: two\\nlines \\x1B[31m\n");
  CHECK(written(LogLevel::off, [](const Log& log) { log.line("step 1\n  detail\x07"); }) == "step 1\n  detail\\x07\n");
}

TEST_CASE("messages below the level are dropped", "[log]") {
  CHECK(written(LogLevel::warn, [](const Log& log) { log.info("no"); }).empty());
  CHECK(written(LogLevel::warn, [](const Log& log) { log.error("yes"); }) == "error: yes\n");
  CHECK(written(LogLevel::off, [](const Log& log) { log.write(LogLevel::fatal, "no"); }).empty());
  CHECK(written(LogLevel::off, [](const Log& log) { log.write(LogLevel::off, "no"); }).empty());
  Log(-1, LogLevel::trace).error("nowhere");
}
