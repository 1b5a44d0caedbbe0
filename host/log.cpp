#include "host/log.h"

#include <algorithm>
#include <array>
#include <string>

#include "host/folder.h"
#include "host/text.h"

namespace qa {
namespace {

constexpr std::array<std::string_view, 7> kNames = {"trace", "debug", "info", "warn", "error", "fatal", "off"};

}  // namespace

LogLevel log_level_from(std::string_view log_level, std::string_view debug) {
  const auto known = std::find(kNames.begin(), kNames.end(), lower(log_level));
  if (known != kNames.end()) return static_cast<LogLevel>(known - kNames.begin());
  const std::string flag = lower(debug);
  const bool off = flag.empty() || flag == "0" || flag == "false" || flag == "no" || flag == "off";
  return off ? LogLevel::info : LogLevel::debug;
}

void Log::write(LogLevel level, std::string_view text) const {
  if (!enabled(level)) return;
  std::string line(kNames[static_cast<std::size_t>(level)]);
  line += ": ";
  for (const char c : terminal_safe(text)) {
    if (c == '\n') {
      line += "\\n";
    } else {
      line += c;
    }
  }
  line += '\n';
  write_all(fd_, line);  // A log that cannot be written must not stop a run.
}

void Log::line(std::string_view text) const {
  if (fd_ < 0) return;
  write_all(fd_, terminal_safe(text) + '\n');
}

}  // namespace qa
