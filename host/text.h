#pragma once
// Untrusted text made safe: for terminals, and for JSON. Small operations on any text. Any thread.

#include <string>
#include <string_view>
#include <vector>

namespace qa {

/// Valid UTF-8 with every C0 control but tab and newline, DEL, C1 and bidirectional control written as \xNN or
/// \u{NNNN}, so that page text cannot drive a terminal. Invalid bytes become U+FFFD.
std::string terminal_safe(std::string_view text);

/// Invalid sequences replaced by U+FFFD, as browsers do.
std::string valid_utf8(std::string_view text);

/// JSON text with the same characters, and the line separators U+2028 and U+2029, as \uNNNN escapes: it means the same,
/// terminal_safe leaves it as it is, and one line of it is one line to every reader. They can only stand in strings.
std::string json_safe(std::string json);

/// Cuts to at most `limit` bytes at a character border and appends "… (N more bytes)" when cut.
std::string truncate_text(std::string_view text, std::size_t limit);

/// The name in `known` closest to `name` within 3 edits and half its length, or "". Used for "did you mean".
std::string nearest_name(std::string_view name, const std::string* known, std::size_t count);

/// ASCII letters in lower case, all else as it is, in any locale.
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::string lower(std::string_view text);

/// The parts between borders, empty ones included: one more than there are borders.
std::vector<std::string_view> split(std::string_view text, char border);

/// The value of so many hex digits at `at`, or -1 where others stand there.
int hex_value(std::string_view text, std::size_t at, std::size_t digits);

/// Does `text` match a glob: `*` stands for any run of characters, `?` for one, `#` for one digit, else for itself?
bool matches_glob(std::string_view glob, std::string_view text);

}  // namespace qa
