#include "host/base64.h"

#include <array>
#include <cstdint>

namespace qa {
namespace {

constexpr std::uint8_t kInvalid = 0xFF;

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::uint8_t, 256> make_table() {
  std::array<std::uint8_t, 256> table{};
  table.fill(kInvalid);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return table;
}

constexpr auto kTable = make_table();

std::uint32_t digit(char c) { return kTable[static_cast<unsigned char>(c)]; }

/// Decodes the last group, which may be padded. False when it is not canonical.
bool decode_last(std::string_view group, std::string& out) {
  const std::uint32_t a = digit(group[0]), b = digit(group[1]);
  if (((a | b) & 0xC0) != 0) return false;
  out.push_back(static_cast<char>(a << 2 | b >> 4));
  if (group[2] == '=') return group[3] == '=' && (b & 0x0F) == 0;
  const std::uint32_t c = digit(group[2]);
  if ((c & 0xC0) != 0) return false;
  out.push_back(static_cast<char>(b << 4 | c >> 2));
  if (group[3] == '=') return (c & 0x03) == 0;
  const std::uint32_t d = digit(group[3]);
  if ((d & 0xC0) != 0) return false;
  out.push_back(static_cast<char>(c << 6 | d));
  return true;
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  if (text.empty()) return std::string();
  const std::size_t groups = text.size() / 4 - 1;
  std::string out;
  out.reserve(groups * 3 + 3);
  out.resize(groups * 3);
  // Every digit is below 64, so one look at the two high bits of all of them tells whether any was invalid.
  std::uint32_t seen = 0;
  const char* in = text.data();
  char* to = out.data();
  for (std::size_t i = 0; i < groups; ++i, in += 4, to += 3) {
    const std::uint32_t a = digit(in[0]), b = digit(in[1]), c = digit(in[2]), d = digit(in[3]);
    seen |= a | b | c | d;
    const std::uint32_t word = a << 18 | b << 12 | c << 6 | d;
    to[0] = static_cast<char>(word >> 16);
    to[1] = static_cast<char>(word >> 8);
    to[2] = static_cast<char>(word);
  }
  if ((seen & 0xC0) != 0 || !decode_last(text.substr(groups * 4), out)) return std::nullopt;
  return out;
}

std::string encode_base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* to = text.data();
  const auto at = [&](std::size_t i) -> std::uint32_t {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    *to++ = kAlphabet[group >> 18];
    *to++ = kAlphabet[group >> 12 & 63];
    if (i + 1 < bytes.size()) *to = kAlphabet[group >> 6 & 63];
    ++to;
    if (i + 2 < bytes.size()) *to = kAlphabet[group & 63];
    ++to;
  }
  return text;
}

}  // namespace qa
