#pragma once
// EventStream: splits a body of server-sent events (WHATWG HTML, 9.2) into events: CR, LF and CRLF, comments, several
// data lines of one event, text cut anywhere, even inside a character. Any thread.

#include <functional>
#include <string>
#include <string_view>

namespace qa {

class EventStream {
 public:
  using Handler = std::function<bool(std::string_view name, std::string_view data)>;  ///< False stops.

  /// Takes the next bytes; calls `handler` for each event that they complete. False: stopped, or an event is longer
  /// than `limit` bytes.
  bool feed(std::string_view bytes, const Handler& handler);

  static constexpr std::size_t kLimit = std::size_t{4} << 20;

 private:
  bool line(std::string_view text, const Handler& handler);

  std::string pending_, name_, data_;
  bool has_data_ = false, after_cr_ = false, first_ = true;
};

}  // namespace qa
