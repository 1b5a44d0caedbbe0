#include "host/log.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <string>

#include "host/text.h"

namespace qa {
namespace {

constexpr std::array<std::string_view, 7> kNames = {"trace", "debug", "info", "warn", "error", "fatal", "off"};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

/// A log that cannot be written must not stop a run: errors other than interruption end the line.
void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::string_view log_level_name(LogLevel level) { return kNames[static_cast<std::size_t>(level)]; }

LogLevel log_level_from(std::string_view log_level, std::string_view debug) {
  const auto known = std::find(kNames.begin(), kNames.end(), lower(log_level));
  if (known != kNames.end()) return static_cast<LogLevel>(known - kNames.begin());
  const std::string flag = lower(debug);
  const bool off = flag.empty() || flag == "0" || flag == "false" || flag == "no" || flag == "off";
  return off ? LogLevel::info : LogLevel::debug;
}

void Log::write(LogLevel level, std::string_view text) const {
  if (!enabled(level)) return;
  std::string line(log_level_name(level));
  line += ": ";
  for (const char c : terminal_safe(text)) {
    if (c == '\n') {
      line += "\\n";
    } else {
      line += c;
    }
  }
  line += '\n';
  write_all(fd_, line);
}

void Log::line(std::string_view text) const {
  if (fd_ < 0) return;
  write_all(fd_, terminal_safe(text) + '\n');
}

}  // namespace qa
