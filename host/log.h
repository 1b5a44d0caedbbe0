#pragma once
// Log: one line per message, made safe for terminals, to one file descriptor. Passed around by reference; there is no
// global logger, so that several hosts can live in one process. A line leaves in one write(), so that lines of two
// processes on one terminal do not mix. Any thread.

#include <string_view>

namespace qa {

enum class LogLevel { trace, debug, info, warn, error, fatal, off };

/// The level that the values of LOG_LEVEL and DEBUG ask for. A known LOG_LEVEL ("trace" .. "fatal", "off", any case)
/// wins; else DEBUG that is not "", "0", "false", "no" or "off" means debug; else info.
LogLevel log_level_from(std::string_view log_level, std::string_view debug);

class Log {
 public:
  /// `fd` stays open and owned by the caller, e.g. 2. A negative one drops everything.
  Log(int fd, LogLevel level) : fd_(fd), level_(level) {}

  bool enabled(LogLevel level) const { return fd_ >= 0 && level >= level_ && level != LogLevel::off; }

  /// Writes "level: text" if the level is enabled. Line breaks in `text` are written as \n.
  void write(LogLevel level, std::string_view text) const;
  void debug(std::string_view text) const { write(LogLevel::debug, text); }
  void info(std::string_view text) const { write(LogLevel::info, text); }
  void warn(std::string_view text) const { write(LogLevel::warn, text); }
  void error(std::string_view text) const { write(LogLevel::error, text); }

  /// Writes a progress line whatever the level: made safe for terminals, its own line breaks kept.
  void line(std::string_view text) const;

 private:
  int fd_;
  LogLevel level_;
};

}  // namespace qa
