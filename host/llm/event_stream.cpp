#include "host/llm/event_stream.h"

#include <utility>

namespace qa {

bool EventStream::feed(std::string_view bytes, const Handler& handler) {
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

bool EventStream::line(std::string_view text, const Handler& handler) {
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

}  // namespace qa
