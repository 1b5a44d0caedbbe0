#include "host/text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

namespace qa {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

constexpr std::uint32_t kPlain = 'x';  ///< Stands for what needs no escape.

struct Character {
  std::uint32_t code = 0;
  std::size_t length = 1;  ///< Bytes taken, also for an invalid sequence.
  bool is_valid = false;
};

/// The character at `at`, by the well-formed sequences of Unicode table 3-7. An invalid one takes its longest prefix
/// that could have been valid, as browsers do.
Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(at);
  if (lead < 0x80) return {lead, 1, true};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  std::uint32_t low = 0x80, high = 0xBF;
  if (lead == 0xE0) low = 0xA0;   // Overlong.
  if (lead == 0xED) high = 0x9F;  // Surrogates.
  if (lead == 0xF0) low = 0x90;   // Overlong.
  if (lead == 0xF4) high = 0x8F;  // Beyond U+10FFFF.
  std::uint32_t code = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i >= text.size() || byte(at + i) < low || byte(at + i) > high) return {0, i, false};
    code = code << 6 | (byte(at + i) & 0x3Fu);
    low = 0x80;
    high = 0xBF;
  }
  return {code, length, true};
}

bool is_bidirectional_control(std::uint32_t code) {
  return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0x200E || code == 0x200F ||
         code == 0x061C;
}

bool is_control(std::uint32_t code) {
  return (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7F && code < 0xA0);
}

void append_hex(std::string& out, std::uint32_t value, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) out += "0123456789ABCDEF"[value >> shift & 0xF];
}

/// Edits (insert, delete, replace, swap neighbours) that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<std::size_t> cost((a.size() + 1) * columns);
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i * columns] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t& here = cost[i * columns + j];
      const std::size_t replaced = cost[(i - 1) * columns + j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      here = std::min({replaced, cost[(i - 1) * columns + j] + 1, cost[i * columns + j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        here = std::min(here, cost[(i - 2) * columns + j - 2] + 1);
      }
    }
  }
  return cost.back();
}

bool matches_one(char pattern, char c) {
  return pattern == '?' || (pattern == '#' ? c >= '0' && c <= '9' : pattern == c);
}

}  // namespace

std::string terminal_safe(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (!character.is_valid) {
      out += kReplacement;
    } else if (is_control(character.code)) {
      out += "\\x";
      append_hex(out, character.code, 2);
    } else if (is_bidirectional_control(character.code)) {
      out += "\\u{";
      append_hex(out, character.code, 4);
      out += '}';
    } else {
      out += text.substr(at, character.length);
    }
    at += character.length;
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    out += character.is_valid ? text.substr(at, character.length) : kReplacement;
    at += character.length;
  }
  return out;
}

std::string json_safe(std::string json) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; at < json.size();) {
    if (static_cast<unsigned char>(json[at]) < 0x7F) {
      ++at;
      continue;
    }
    const Character character = character_at(json, at);
    const std::uint32_t code = character.is_valid ? character.code : kPlain;
    if (is_control(code) || is_bidirectional_control(code) || code == 0x2028 || code == 0x2029) {
      out.append(json, copied, at - copied) += "\\u";
      append_hex(out, code, 4);
      copied = at + character.length;
    }
    at += character.length;
  }
  return copied == 0 ? std::move(json) : out.append(json, copied);
}

std::string truncate_text(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::size_t cut = limit;
  // A continuation byte right after the cut means that the cut splits a character; none is longer than four bytes.
  for (int back = 0; back < 3 && cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80; ++back) --cut;
  if ((static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) cut = limit;  // Not UTF-8 at all.
  return std::string(text.substr(0, cut)) + "… (" + std::to_string(text.size() - cut) + " more bytes)";
}

std::string nearest_name(std::string_view name, const std::string* known, std::size_t count) {
  constexpr std::size_t longest = 256;  // A pasted page is no misspelt option.
  if (name.size() > longest) return "";
  const std::size_t allowed = std::min<std::size_t>(3, name.size() / 2);
  std::size_t best = allowed + 1;
  const std::string* nearest = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t shorter = std::min(name.size(), known[i].size()), longer = std::max(name.size(), known[i].size());
    if (longer - shorter > allowed) continue;
    const std::size_t distance = edit_distance(name, known[i]);
    if (distance < best) {
      best = distance;
      nearest = &known[i];
    }
  }
  return nearest ? *nearest : "";
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

std::vector<std::string_view> split(std::string_view text, char border) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(border, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

int hex_value(std::string_view text, std::size_t at, std::size_t digits) {
  if (at > text.size() || digits > text.size() - at) return -1;
  unsigned value = 0;
  const char* const begin = text.data() + at;
  return std::from_chars(begin, begin + digits, value, 16).ptr == begin + digits ? static_cast<int>(value) : -1;
}

bool matches_glob(std::string_view glob, std::string_view text) {
  std::size_t star = glob.npos, resume = 0;  // The last `*`, and where the text that it stands for ends so far.
  std::size_t g = 0, t = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = t;
    } else if (g < glob.size() && matches_one(glob[g], text[t])) {
      ++g;
      ++t;
    } else if (star != glob.npos) {
      g = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == glob.npos;
}

}  // namespace qa
