#include "host/text.h"

#include <catch2/catch.hpp>
#include <vector>

using qa::json_safe;
using qa::nearest_name;
using qa::terminal_safe;
using qa::truncate_text;

namespace {

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
  return nearest_name(name, known.data(), known.size());
}

}  // namespace

TEST_CASE("page text cannot drive a terminal", "[text]") {
  CHECK(terminal_safe("plain, tab\tand\nnewline: ünïcödé 🎮") == "plain, tab\tand\nnewline: ünïcödé 🎮");
  CHECK(terminal_safe("\x1b[2J\x1b]52;c;eA==\x07") == "\\x1B[2J\\x1B]52;c;eA==\\x07");
  CHECK(terminal_safe("over\rwrite\x7f") == "over\\x0Dwrite\\x7F");
  CHECK(terminal_safe(std::string_view("nul\0!", 5)) == "nul\\x00!");
  CHECK(terminal_safe("c1 \xC2\x9B"
                      "31m") == "c1 \\x9B31m");
}

TEST_CASE("bidirectional controls are shown, not obeyed", "[text]") {
  CHECK(terminal_safe("a\u202Eb\u2066c\u200Fd\u061Ce") == "a\\u{202E}b\\u{2066}c\\u{200F}d\\u{061C}e");
  CHECK(terminal_safe("\u202A\u2069\u200E") == "\\u{202A}\\u{2069}\\u{200E}");
  CHECK(terminal_safe("\u200D\u2070\u2029") == "\u200D\u2070\u2029");
}

TEST_CASE("JSON says what drives a terminal or ends a line as escapes, and means the same", "[text]") {
  CHECK(json_safe("{\"a\":[1,\"ü🎮\"]}") == "{\"a\":[1,\"ü🎮\"]}");
  CHECK(json_safe("\"\x7f\"") == "\"\\u007F\"");
  CHECK(json_safe("\"\xC2\x9B[31m\u202Eü\u2066\"") == "\"\\u009B[31m\\u202Eü\\u2066\"");
  CHECK(json_safe("\"\u2028\u2029\u061C\"") == "\"\\u2028\\u2029\\u061C\"");
  CHECK(json_safe("\"\x80\xC2\"") == "\"\x80\xC2\"");  // Not UTF-8, which the encoder replaces before.
}

TEST_CASE("invalid UTF-8 becomes the replacement character", "[text]") {
  CHECK(terminal_safe("a\x80z") == "a\uFFFDz");
  CHECK(terminal_safe("a\x9Bz") == "a\uFFFDz");                  // A raw C1 byte, which some terminals obey.
  CHECK(terminal_safe("\xC0\xAF") == "\uFFFD\uFFFD");            // Overlong.
  CHECK(terminal_safe("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");  // Surrogate.
  CHECK(terminal_safe("\xF4\x90\x80\x80").size() == 12);         // Beyond U+10FFFF.
  CHECK(terminal_safe("cut \xF0\x9F\x8E") == "cut \uFFFD");      // One for the longest valid prefix.
  CHECK(terminal_safe("\xF0\x9F\x1b") == "\uFFFD\\x1B");         // An escape cannot hide in a broken character.
}

TEST_CASE("long text is cut at a character and says how much is missing", "[text]") {
  CHECK(truncate_text("short", 5) == "short");
  CHECK(truncate_text("longer", 4) == "long… (2 more bytes)");
  CHECK(truncate_text("ab🎮", 4) == "ab… (4 more bytes)");
  CHECK(truncate_text("ab🎮", 6) == "ab🎮");
  CHECK(truncate_text("🎮", 0) == "… (4 more bytes)");
  CHECK(truncate_text(std::string(8, '\x80'), 6) == std::string(6, '\x80') + "… (2 more bytes)");
}

TEST_CASE("a misspelt name finds its neighbour", "[text]") {
  const std::vector<std::string> known = {"timeout_ms", "hold_ms", "button", "steps"};
  CHECK(nearest("timeout", known) == "timeout_ms");
  CHECK(nearest("timoeut_ms", known) == "timeout_ms");
  CHECK(nearest("holdms", known) == "hold_ms");
  CHECK(nearest("step", known) == "steps");
  CHECK(nearest("steps", known) == "steps");
}

TEST_CASE("a name that is unlike all others finds none", "[text]") {
  CHECK(nearest("velocity", {"timeout_ms", "steps"}).empty());
  CHECK(nearest("x", {"y"}).empty());
  CHECK(nearest("", {"a"}).empty());
  CHECK(nearest(std::string(100000, 'a'), {std::string(100000, 'b')}).empty());
  CHECK(nearest_name("any", nullptr, 0).empty());
}

TEST_CASE("a glob matches what its signs stand for, and nothing longer", "[text]") {
  using qa::matches_glob;
  CHECK(matches_glob("gpt-4o", "gpt-4o"));
  CHECK_FALSE(matches_glob("gpt-4o", "gpt-4o-mini"));
  CHECK_FALSE(matches_glob("gpt-4o-mini", "gpt-4o"));
  CHECK(matches_glob("gpt-*", "gpt-"));
  CHECK(matches_glob("*/gpt-*-mini", "openai/gpt-4-x-mini"));
  CHECK_FALSE(matches_glob("*/gpt-*-mini", "openai/gpt-4-minimal"));
  CHECK(matches_glob("a*b*c", "a-b-b-c-c"));
  CHECK(matches_glob("a?c", "abc"));
  CHECK_FALSE(matches_glob("a?c", "ac"));
  CHECK(matches_glob("sonnet-5-########", "sonnet-5-20261101"));
  CHECK_FALSE(matches_glob("sonnet-5-########", "sonnet-5-5-latest"));
  CHECK(matches_glob("", ""));
  CHECK(matches_glob("*", ""));
  CHECK_FALSE(matches_glob("", "a"));
  CHECK_FALSE(matches_glob(std::string(50, '*') + "b", std::string(5000, 'a')));
}
