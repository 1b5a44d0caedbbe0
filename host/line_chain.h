#pragma once
// LineChain: lines of JSON objects, each with a sum of itself and of all before it, so that a byte that was changed, a
// line taken out and lines exchanged are found, and where. It guards against damage, not against somebody who makes new
// sums. Any thread.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace qa {

class LineChain {
 public:
  /// The object's text with "sum" as its last member: 16 hex digits of the SHA-256 of the sum before and this text.
  std::string seal(std::string object);
  /// Goes on after a line that is there; false when its sum is not the one that follows.
  bool follow(std::string_view line);
  /// Of the last line, "" before the first.
  const std::string& sum() const { return sum_; }

 private:
  std::string sum_;
};

struct BrokenLine {
  std::size_t number = 0, offset = 0;  ///< From 1, and in bytes from the beginning.
};

/// The first line that does not follow those before it, where there is one. A last line without its end is one.
std::optional<BrokenLine> find_broken_line(std::string_view text);

}  // namespace qa
