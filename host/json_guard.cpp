#include "host/json_guard.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "host/text.h"

namespace qa {
namespace {

constexpr int kMaxDepth = 256;

/// The value of four hex digits at `at`, or -1.
int hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    const char c = text[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/// `at` is a backslash inside a string. Repairs a lone surrogate there; returns the index behind the escape.
std::size_t pass_escape(std::string& text, std::size_t at) {
  if (at + 1 >= text.size() || text[at + 1] != 'u') return at + 2;
  const int code = hex4(text, at + 2);
  if (code < 0xD800 || code > 0xDFFF) return at + 2;  // The digits, if any, are ordinary characters for this pass.
  const bool is_high = code <= 0xDBFF;
  if (is_high && text.compare(at + 6, 2, "\\u") == 0) {
    const int low = hex4(text, at + 8);
    if (low >= 0xDC00 && low <= 0xDFFF) return at + 12;
  }
  text.replace(at, 6, "\\ufffd");
  return at + 6;
}

/// Index behind the string that opens at `at`, or the end of the text.
std::size_t pass_string(std::string& text, std::size_t at) {
  for (++at; at < text.size();) {
    if (text[at] == '"') return at + 1;
    at = text[at] == '\\' ? pass_escape(text, at) : at + 1;
  }
  return at;
}

/// False when arrays and objects nest deeper than kMaxDepth.
bool guard(std::string& text) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = pass_string(text, at);
      continue;
    }
    if ((c == '[' || c == '{') && ++depth > kMaxDepth) return false;
    if (c == ']' || c == '}') --depth;
    ++at;
  }
  return true;
}

}  // namespace

Result<nlohmann::json> parse_foreign_json(std::string& text) {
  if (!guard(text)) {
    return Error{ErrorKind::cdp_too_large,
                 "the JSON received nests deeper than " + std::to_string(kMaxDepth) + " levels"};
  }
  nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  // A byte that is no UTF-8 is rare, and costs a second pass. No quote or bracket is one, so the guard saw them all.
  if (value.is_discarded()) value = nlohmann::json::parse(text = valid_utf8(text), nullptr, false);
  if (value.is_discarded()) {
    return Error{ErrorKind::cdp_error,
                 "the text received (" + std::to_string(text.size()) + " bytes) is not valid JSON"};
  }
  return Result<nlohmann::json>(std::move(value));
}

}  // namespace qa
