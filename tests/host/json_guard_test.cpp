#include "host/json_guard.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>

using qa::parse_foreign_json;
using Json = nlohmann::json;

namespace {

/// The parsed value of text that must be accepted.
Json parsed(std::string text) {
  auto value = parse_foreign_json(text);
  INFO(text);
  REQUIRE(value);
  return *value;
}

bool refused(std::string text) {
  const auto value = parse_foreign_json(text);
  return !value && value.error().kind == qa::ErrorKind::cdp_error;
}

bool too_deep(std::string text) {
  const auto value = parse_foreign_json(text);
  return !value && value.error().kind == qa::ErrorKind::cdp_too_large;
}

std::string nested(int depth) { return std::string(depth, '[') + std::string(depth, ']'); }

}  // namespace

TEST_CASE("foreign JSON is parsed as it is", "[json]") {
  CHECK(parsed(R"({"id":1,"result":{"a":[true,null,"x\n\"\\"]}})").at("result").at("a").at(2) == "x\n\"\\");
}

TEST_CASE("a lone surrogate does not lose the message", "[json]") {
  CHECK(parsed(R"("\ud800")") == "\uFFFD");
  CHECK(parsed(R"("a\uDFFFb")") == "a\uFFFDb");
  CHECK(parsed(R"("\ud800\ud800")") == "\uFFFD\uFFFD");
  CHECK(parsed(R"("\ud83c\u0041")") == "\uFFFDA");
  CHECK(parsed(R"("\ud83c\ud83c\udfae")") == "\uFFFD\U0001F3AE");
  CHECK(parsed(R"({"\udc00":"\ud800\n"})") == Json{{"\uFFFD", "\uFFFD\n"}});
}

TEST_CASE("a byte that is no UTF-8 is replaced", "[json]") {
  CHECK(parsed("\"\x80\"") == "\uFFFD");
  CHECK(parsed("{\"a\":[\"ü\xFF\xC0\xAFz\"]}").at("a").at(0) == "ü\uFFFD\uFFFD\uFFFDz");
  CHECK(parsed("\"\xF0\x9F\\ud800\"") == "\uFFFD\uFFFD");
  CHECK(parsed("\"\xC3\"") == "\uFFFD");  // It takes no quote with it.
}

TEST_CASE("surrogate pairs and escaped backslashes stay", "[json]") {
  CHECK(parsed(R"("\ud83c\udfae")") == "\U0001F3AE");
  CHECK(parsed(R"("\\ud800")") == "\\ud800");
  CHECK(parsed(R"("\\\ud800")") == "\\\uFFFD");
  CHECK(parsed(R"("\u00e4\"\ud800")") == "\u00e4\"\uFFFD");
}

TEST_CASE("nesting is limited, brackets in strings are not nesting", "[json]") {
  CHECK(parsed(nested(256)).is_array());
  CHECK(too_deep(nested(257)));
  CHECK(too_deep(std::string(100000, '[')));
  CHECK(too_deep(std::string(1000, '{')));
  CHECK(parsed("\"" + std::string(1000, '[') + "\"").is_string());
  std::string wide = "[";
  for (int i = 0; i < 1000; ++i) wide += "[],";
  CHECK(parsed(wide + "[]]").size() == 1001);
}

TEST_CASE("malformed JSON is an error, never an exception", "[json]") {
  for (const char* text :
       {"", "{", "[1,]", "\"\\u12\"", "\"\\", "\"\\ud8", "nul", "1e999", "\x80", "{}x", "]", "\"a"}) {
    INFO(text);
    CHECK(refused(text));
  }
}

TEST_CASE("arbitrary tokens never throw or read past the end", "[json]") {
  const std::vector<std::string> tokens = {"\"", "\\", "\\u", "d800", "\\ud83c", "\\udfae", "[",    "]",   "{",
                                           "}",  ":",  ",",   "1",    "null",    "u",       "\\\"", "\xff"};
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (unsigned i = random() % 24; i > 0; --i) text += tokens[random() % tokens.size()];
    parse_foreign_json(text);
  }
  SUCCEED();
}
