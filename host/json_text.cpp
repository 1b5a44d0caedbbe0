#include "host/json_text.h"

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

namespace qa {
namespace {

bool is_plain(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x80 || c == '"' || c == '\\') return false;
  }
  return true;
}

}  // namespace

void append_quoted(std::string& to, std::string_view text) {
  if (is_plain(text)) {
    to += '"';
    to += text;
    to += '"';
    return;
  }
  to += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string& ObjectText::key(std::string_view name) {
  if (!first_) to_ += ',';
  first_ = false;
  append_quoted(to_, name);
  to_ += ':';
  return to_;
}

void ObjectText::number(std::string_view name, double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
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
