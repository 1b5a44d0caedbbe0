#include "host/json_guard.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "host/text.h"

namespace qa {
namespace {

constexpr int kMaxDepth = 256;

/// `at` is a backslash inside a string. Repairs a lone surrogate there; returns the index behind the escape.
std::size_t pass_escape(std::string& text, std::size_t at) {
  if (at + 1 >= text.size() || text[at + 1] != 'u') return at + 2;
  const int code = hex_value(text, at + 2, 4);
  if (code < 0xD800 || code > 0xDFFF) return at + 2;  // The digits, if any, are ordinary characters for this pass.
  const bool is_high = code <= 0xDBFF;
  if (is_high && text.compare(at + 6, 2, "\\u") == 0) {
    const int low = hex_value(text, at + 8, 4);
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
