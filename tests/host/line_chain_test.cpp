#include "host/line_chain.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace qa;

namespace {

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

std::vector<std::string> sealed(const std::vector<std::string>& objects) {
  LineChain chain;
  std::vector<std::string> lines;
  for (const std::string& object : objects) lines.push_back(chain.seal(object));
  return lines;
}

/// "LINE at OFFSET" of the first broken line, or "whole".
std::string broken(const std::string& text) {
  const auto found = find_broken_line(text);
  return found ? std::to_string(found->number) + " at " + std::to_string(found->offset) : "whole";
}

}  // namespace

TEST_CASE("lines that follow each other are whole", "[line_chain]") {
  const auto lines = sealed({R"({"a":1})", R"({"b":"}"})", R"({"a":1})"});
  CHECK(broken("") == "whole");
  CHECK(broken(text_of(lines)) == "whole");
  CHECK(lines[0].substr(0, 14) == R"({"a":1,"sum":")");
  CHECK(lines[0] != lines[2]);  // A sum is of all before, too.
  LineChain chain;
  for (const std::string& line : lines) CHECK(chain.follow(line));
  CHECK(lines[2].find(chain.sum()) != std::string::npos);
}

TEST_CASE("the first line that was damaged is named with its offset", "[line_chain]") {
  const auto lines = sealed({R"({"a":1})", R"({"b":22})", R"({"c":333})"});
  const std::string text = text_of(lines), second = std::to_string(lines[0].size() + 1);
  SECTION("each byte of it") {
    const std::size_t begin = lines[0].size() + 1;
    for (std::size_t at = begin; at <= begin + lines[1].size(); ++at) {
      std::string changed = text;
      changed[at] = static_cast<char>(changed[at] ^ 1);
      INFO(changed);
      CHECK(broken(changed) == "2 at " + second);
    }
  }
  SECTION("taken out") {
    CHECK(broken(text_of({lines[0], lines[2]})) == "2 at " + second);
    CHECK(broken(text_of({lines[1], lines[2]})) == "1 at 0");
  }
  SECTION("exchanged, or there twice") {
    CHECK(broken(text_of({lines[0], lines[2], lines[1]})) == "2 at " + second);
    CHECK(broken(text_of({lines[0], lines[0], lines[1]})) == "2 at " + second);
  }
  SECTION("a torn end") {
    const std::string third = std::to_string(lines[0].size() + lines[1].size() + 2);
    CHECK(broken(text.substr(0, text.size() - 1)) == "3 at " + third);
    CHECK(broken(text.substr(0, text.size() - lines[2].size())) == "3 at " + third);
  }
  SECTION("of something else") {
    CHECK(broken("hello\n") == "1 at 0");
    CHECK(broken("\n") == "1 at 0");
    CHECK(broken(text + "{}\n") == "4 at " + std::to_string(text.size()));
  }
}
