#include "host/json_text.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "host/text.h"
#include "tests/support/hostile_text.h"

namespace {

std::string spelled(double value) {
  std::string text;
  qa::ObjectText object(text);
  object.number("n", value);
  object.close();
  return text.substr(5, text.size() - 6);
}

}  // namespace

TEST_CASE("whole numbers and tenths are spelled out", "[json_text]") {
  CHECK(spelled(0) == "0");
  CHECK(spelled(7) == "7");
  CHECK(spelled(-12) == "-12");
  CHECK(spelled(100'000) == "100000");
  CHECK(spelled(0.3) == "0.3");
  CHECK(spelled(-0.3) == "-0.3");
  CHECK(spelled(1234.5) == "1234.5");
  CHECK(spelled(0.25) == "0.25");
}

TEST_CASE("every number reads back the same", "[json_text]") {
  std::vector<double> values = {-0.0,
                                0.05,
                                0.1 + 0.2,
                                1.0 / 3,
                                5e-324,
                                0.30000000000000004,
                                1e300,
                                1e22,
                                1e14 + 0.1,
                                99999999999999.9,
                                9007199254740993.0,
                                -1e15};
  for (int i = -20'000; i <= 20'000; i += 7) values.push_back(i / 10.0);
  for (double value = 0.1; value < 1e20; value *= 3.7) values.push_back(value);
  values.push_back(std::numeric_limits<double>::max());
  for (const double value : values) {
    const std::string text = spelled(value);
    CHECK(nlohmann::json::accept(text));
    const double read = std::strtod(text.c_str(), nullptr);
    CHECK(read == value);
    CHECK(std::signbit(read) == std::signbit(value));
  }
}

TEST_CASE("text is quoted as JSON has it", "[json_text]") {
  const auto quoted = [](std::string_view text) {
    std::string to;
    qa::append_quoted(to, text);
    return to;
  };
  CHECK(quoted("") == R"("")");
  CHECK(quoted("plain text ~") == R"("plain text ~")");
  for (const std::string_view other :
       {"\"", "\\", "a\nb", "\x1f", "\x7f", "\xc3\xa9", "long and plain up to its very end\t"}) {
    CHECK(nlohmann::json::parse(quoted(other)).get<std::string>() == other);
  }
  CHECK(nlohmann::json::parse(quoted("\xff")).get<std::string>() == "\xef\xbf\xbd");
}

TEST_CASE("a quoted text stays JSON where a terminal is protected from it", "[json_text]") {
  for (const std::string& text : qa::test::hostile_texts()) {
    std::string quoted;
    qa::append_quoted(quoted, text);
    CHECK(qa::terminal_safe(quoted) == quoted);
    CHECK(quoted.find_first_of("\n\r\t") == std::string::npos);
    CHECK(nlohmann::json::accept(quoted));
  }
}
