#include "host/json_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "host/text.h"

namespace qa {
namespace {

constexpr double kMostTenths = 1e15;  ///< Below 2^53: each of them is a double of its own.

bool is_plain(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F || c == '"' || c == '\\') return false;
  }
  return true;
}

/// Most numbers are whole or have one decimal: these need no search for the shortest that reads back the same.
char* append_tenths(char* to, char* end, std::int64_t tenths) {
  if (tenths < 0) *to++ = '-';
  const auto size = static_cast<std::uint64_t>(std::abs(tenths));
  to = std::to_chars(to, end, size / 10).ptr;
  if (size % 10 == 0) return to;
  *to++ = '.';
  *to++ = static_cast<char>('0' + size % 10);
  return to;
}

}  // namespace

void append_quoted(std::string& to, std::string_view text) {
  if (is_plain(text)) {
    to += '"';
    to += text;
    to += '"';
    return;
  }
  to += json_safe(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string& ObjectText::key(std::string_view name) {
  if (!first_) to_ += ',';
  first_ = false;
  append_quoted(to_, name);
  to_ += ':';
  return to_;
}

void ObjectText::number(std::string_view name, double value) {
  std::array<char, 32> digits;
  char* const limit = digits.data() + digits.size();
  const double tenths = std::round(value * 10);
  const bool is_minus_zero = value == 0 && std::signbit(value);
  const bool has_tenths = std::abs(tenths) < kMostTenths && tenths / 10 == value && !is_minus_zero;
  char* const end = has_tenths ? append_tenths(digits.data(), limit, static_cast<std::int64_t>(tenths))
                               : std::to_chars(digits.data(), limit, value).ptr;
  key(name).append(digits.data(), end);
}

void ObjectText::members(std::string_view object) {
  const auto begin = object.find('{'), end = object.rfind('}');
  if (begin == std::string_view::npos || end == std::string_view::npos) return;
  const auto inner = object.substr(begin + 1, end - begin - 1);
  if (inner.find_first_not_of(" \t\r\n") == std::string_view::npos) return;
  if (!first_) to_ += ',';
  first_ = false;
  to_ += inner;
}

}  // namespace qa
