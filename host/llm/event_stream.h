#pragma once
// EventStream: splits a body of server-sent events (WHATWG HTML, 9.2) into events: CR, LF and CRLF, comments, several
// data lines of one event, text cut anywhere, even inside a character. Any thread.

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace qa {

class EventStream {
 public:
  using Handler = std::function<bool(std::string_view name, std::string_view data)>;  ///< False stops.

  /// Takes the next bytes; calls `handler` for each event that they complete. False: stopped, or an event is longer
  /// than `limit` bytes.
  bool feed(std::string_view bytes, const Handler& handler) {
    while (!bytes.empty()) {
      if (after_cr_) {
        after_cr_ = false;
        if (bytes.front() == '\n') {
          bytes.remove_prefix(1);
          continue;
        }
      }
      const std::size_t end = bytes.find_first_of("\r\n");
      if (end == std::string_view::npos) {
        pending_ += bytes;
        return pending_.size() + data_.size() <= kLimit;
      }
      after_cr_ = bytes[end] == '\r';
      bool go_on = true;
      if (pending_.empty()) {
        go_on = line(bytes.substr(0, end), handler);
      } else {
        pending_ += bytes.substr(0, end);
        go_on = line(pending_, handler);
        pending_.clear();
      }
      if (!go_on || data_.size() > kLimit) return false;
      bytes.remove_prefix(end + 1);
    }
    return true;
  }

  static constexpr std::size_t kLimit = std::size_t{4} << 20;

 private:
  bool line(std::string_view text, const Handler& handler) {
    if (std::exchange(first_, false) && text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
    if (text.empty()) {
      const bool go_on = !has_data_ || handler(name_, data_);
      name_.clear();
      data_.clear();
      has_data_ = false;
      return go_on;
    }
    if (text.front() == ':') return true;
    const std::size_t colon = text.find(':');
    const std::string_view field = text.substr(0, colon);
    std::string_view value = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    if (field == "data") {
      if (has_data_) data_ += '\n';
      data_ += value;
      has_data_ = true;
    } else if (field == "event") {
      name_ = value;
    }
    return true;
  }

  std::string pending_, name_, data_;
  bool has_data_ = false, after_cr_ = false, first_ = true;
};

}  // namespace qa
