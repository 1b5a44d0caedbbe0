#include "host/money/prices.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <tuple>

using qa::cost;
using qa::kDollar;
using qa::Nano;
using qa::parse_dollars;
using qa::PriceRow;
using qa::PriceTable;
using qa::Usage;
using qa::worst_case;

namespace {

constexpr const char* kDay = "2026-11-22";

std::string file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(std::string(QA_SOURCE_DIR) + "/" + path).rdbuf();
  return text.str();
}

PriceTable table_of(const std::string& rows) {
  const auto table = PriceTable::parse("{\"rows\": [" + rows + "]}");
  REQUIRE(table);
  return *table;
}

/// $2.50 in, $1.25 cached, $3.125 written, $10 out; twice that above 1,000 tokens of input.
PriceRow tiered() {
  const Nano cent = kDollar / 100;
  PriceRow row;
  row.prices = {250 * cent, 1000 * cent, 125 * cent, 3125 * kDollar / 1000};
  row.tiers = {{1000, {500 * cent, 2000 * cent, 250 * cent, 6250 * kDollar / 1000}}};
  return row;
}

std::string failure_of(const std::string& row) {
  const auto table = PriceTable::parse("{\"rows\": [" + row + "]}");
  REQUIRE_FALSE(table);
  CHECK(table.error().kind == qa::ErrorKind::type_mismatch);
  return table.error().message;
}

}  // namespace

TEST_CASE("amounts are read exactly or not at all", "[prices]") {
  CHECK(parse_dollars("0.45") == 450'000'000);
  CHECK(parse_dollars("2.50") == 2'500'000'000);
  CHECK(parse_dollars(".08") == 80'000'000);
  CHECK(parse_dollars("12") == 12 * kDollar);
  CHECK(parse_dollars("0") == 0);
  CHECK(parse_dollars("0.000000001") == 1);
  CHECK(parse_dollars("999999999.999999999") == qa::kMostMoney - 1);
  CHECK(parse_dollars("1000000000") == qa::kMostMoney);
  for (const char* refused : {"", ".", "5.", "-1", "+1", "1e3", "1,5", "$1", " 1", "1 ", "0x1", "nan", "inf", "1.2.3",
                              "0.0000000001", "1000000000.1", "1000000001", "99999999999"}) {
    INFO("\"" << refused << "\"");
    CHECK_FALSE(parse_dollars(refused));
  }
}

TEST_CASE("amounts are written exactly, with cents at least", "[prices]") {
  CHECK(qa::dollars(0) == "$0.00");
  CHECK(qa::dollars(12'400'000) == "$0.0124");
  CHECK(qa::dollars(450'000'000) == "$0.45");
  CHECK(qa::dollars(12 * kDollar) == "$12.00");
  CHECK(qa::dollars(1) == "$0.000000001");
  CHECK(qa::dollars(-20'000'000) == "-$0.02");
  CHECK(qa::decimal(INT64_MIN) == "-9223372036.854775808");
  std::mt19937_64 random(7);
  for (int i = 0; i < 1000; ++i) {
    const auto amount = static_cast<Nano>(random() >> (5 + random() % 58));
    REQUIRE(parse_dollars(qa::decimal(amount)) == (amount <= qa::kMostMoney ? std::optional(amount) : std::nullopt));
  }
}

TEST_CASE("each class of tokens has its price", "[prices]") {
  const PriceRow row = tiered();
  CHECK(cost(row, {.input = 1000}) == 2'500'000);
  CHECK(cost(row, {.output = 1000}) == 10'000'000);
  CHECK(cost(row, {.output = 1000, .reasoning = 900}) == 10'000'000);
  CHECK(cost(row, {.input = 1000, .image_input = 800}) == 2'500'000);
  CHECK(cost(row, {.input = 1000, .cached_input = 400}) == 600 * 2500 + 400 * 1250);
  CHECK(cost(row, {.input = 1000, .cached_input = 400, .cache_write = 100}) == 500 * 2500 + 400 * 1250 + 100 * 3125);
  PriceRow plain;
  plain.prices = {kDollar, kDollar, {}, {}};
  CHECK(cost(plain, {.input = 1000, .cached_input = 400, .cache_write = 100}) == 1'000'000);
  plain.per_request = 3;
  CHECK(cost(plain, {.input = 1}) == 1003);
  CHECK(cost(plain, {.input = 1, .requests = 4}) == 1012);
  CHECK(cost(PriceRow(), {.input = 1'000'000, .output = 1'000'000}) == 0);
}

TEST_CASE("a tier prices the whole call once its input is above the border", "[prices]") {
  const PriceRow row = tiered();
  CHECK(cost(row, {.input = 1000, .output = 10}) == 1000 * 2500 + 10 * 10000);
  CHECK(cost(row, {.input = 1001, .output = 10}) == 1001 * 5000 + 10 * 20000);
  CHECK(cost(row, {.input = 1001, .cached_input = 1001}) == 1001 * 2500);
}

TEST_CASE("costs are rounded up, and absurd counts neither pay back nor overflow", "[prices]") {
  PriceRow row;
  row.prices = {1, 1, {}, {}};  // A nano-dollar for a million tokens.
  CHECK(cost(row, {.input = 1}) == 1);
  CHECK(cost(row, {.input = 1'000'000}) == 1);
  CHECK(cost(row, {.input = 500'000, .output = 500'001}) == 2);
  CHECK(cost(tiered(), {.input = -5, .output = -5}) == 0);
  CHECK(cost(tiered(), {.input = 10, .cached_input = 20}) == 20 * 1250);
  row.prices = {qa::kMostMoney, qa::kMostMoney, {}, {}};
  row.per_request = qa::kMostMoney;
  CHECK(cost(row, {.input = INT64_MAX, .output = INT64_MAX, .requests = INT64_MAX}) == qa::kMostMoney);
  CHECK(worst_case(row, INT64_MAX, INT64_MAX) == qa::kMostMoney);
}

TEST_CASE("no call within its limits costs more than its worst case", "[prices]") {
  PriceRow odd = tiered();  // A tier may lower a price, or charge more for a cache than for input.
  odd.tiers.push_back({2000, {kDollar, 30 * kDollar, 9 * kDollar, {}}});
  odd.per_request = 12345;
  std::mt19937 random(11);
  for (const PriceRow& row : {tiered(), odd}) {
    for (int i = 0; i < 20'000; ++i) {
      const std::int64_t upper = random() % 3000, most = random() % 500;
      Usage usage;
      usage.input = static_cast<std::int64_t>(random()) % (upper + 1);
      usage.cached_input = static_cast<std::int64_t>(random()) % (usage.input + 1);
      usage.cache_write = static_cast<std::int64_t>(random()) % (usage.input - usage.cached_input + 1);
      usage.output = static_cast<std::int64_t>(random()) % (most + 1);
      REQUIRE(cost(row, usage) <= worst_case(row, upper, most));
    }
  }
  CHECK(worst_case(tiered(), 1000, 10) == 1000 * 3125 + 10 * 10000);
  CHECK(worst_case(tiered(), 1001, 10) == 1001 * 6250 + 10 * 20000);
}

TEST_CASE("a price is found by provider and exact id or written glob, never by a prefix", "[prices]") {
  PriceTable table = table_of(R"(
    {"provider": "a", "models": ["fast-*"], "input": "1", "output": "1", "source": "glob", "date": "d"},
    {"provider": "a", "models": ["fast-2", "sonnet"], "input": "2", "output": "2", "source": "exact", "date": "d"},
    {"provider": "b", "models": ["sonnet"], "input": "3", "output": "3", "source": "other", "date": "d"})");
  CHECK(table.find("a", "fast-2", kDay)->source == "exact");
  CHECK(table.find("a", "fast-3", kDay)->source == "glob");
  CHECK(table.find("a", "fast-3", kDay)->model == "fast-*");
  CHECK(table.find("b", "sonnet", kDay)->prices.input == 3 * kDollar);
  CHECK_FALSE(table.find("a", "sonnet-5", kDay));
  CHECK_FALSE(table.find("a", "Sonnet", kDay));
  CHECK_FALSE(table.find("b", "fast-2", kDay));
  CHECK_FALSE(table.find("", "sonnet", kDay));
  CHECK_FALSE(table.find("a", "*", kDay));
}

TEST_CASE("a price ends on the day that its row names", "[prices]") {
  const PriceTable table = table_of(R"(
    {"provider": "a", "models": ["x"], "input": "1", "output": "1", "until": "2027-01-01", "source": "s", "date": "d"},
    {"provider": "a", "models": ["x"], "input": "2", "output": "2", "until": "2028-01-01", "source": "s", "date": "d"})");
  CHECK(table.find("a", "x", "2026-12-31")->prices.input == kDollar);
  CHECK(table.find("a", "x", "2027-01-01")->prices.input == 2 * kDollar);
  CHECK_FALSE(table.find("a", "x", "2028-01-01"));
  CHECK(qa::utc_day(0) == "1970-01-01");
  CHECK(qa::utc_day(1'798'761'599) == "2026-12-31");
  CHECK(qa::utc_day(1'798'761'600) == "2027-01-01");
}

TEST_CASE("a user's table is asked first, row by row", "[prices]") {
  PriceTable table = table_of(
      R"({"provider": "a", "models": ["x", "y"], "input": "1", "output": "1", "source": "ours", "date": "d"})");
  table.overlay(table_of(
      R"({"provider": "a", "models": ["x"], "input": "0.5", "output": "1", "source": "mine", "date": "d"},
         {"provider": "local", "models": ["*"], "free": true, "source": "mine", "date": "d"})"));
  CHECK(table.find("a", "x", kDay)->source == "mine");
  CHECK(table.find("a", "y", kDay)->source == "ours");
  const auto local = table.find("local", "whatever:7b", kDay);
  REQUIRE(local);
  CHECK(cost(*local, {.input = 1000, .output = 1000}) == 0);
}

TEST_CASE("the message for a model without a price says how to give one", "[prices]") {
  const std::string message = qa::no_price_message("openai", "gpt-99");
  for (const char* part : {"gpt-99", "openai", "price", "free = true"}) CHECK(message.find(part) != std::string::npos);
}

TEST_CASE("a price table that is not understood is refused by row and field", "[prices]") {
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  CHECK_FALSE(PriceTable::parse("{"));
  CHECK_FALSE(PriceTable::parse("[]"));
  CHECK_FALSE(PriceTable::parse("{\"rows\": {}}"));
  CHECK(has(failure_of("3"), "row 1"));
  const std::string named = R"({"provider": "p", "models": ["m"], "source": "s", "date": "d")";
  CHECK(has(failure_of(named + R"(, "input": "1"})"), "row 1 (m): output is missing"));
  CHECK(has(failure_of(named + R"(, "input": 1.5, "output": "1"})"), "input is not a price"));
  CHECK(has(failure_of(named + R"(, "input": "-1", "output": "1"})"), "input is not a price"));
  CHECK(has(failure_of(named + R"(, "input": "1", "output": "1", "cached": "1"})"), "cached"));
  CHECK(has(failure_of(named + R"(, "free": true, "input": "1"})"), "free"));
  const std::string priced = named + R"(, "input": "1", "output": "1")";
  CHECK(has(failure_of(priced + R"(, "tiers": {}})"), "tiers"));
  CHECK(has(failure_of(priced + R"(, "tiers": [{"above": 0, "input": "1", "output": "1"}]})"), "above"));
  CHECK(has(failure_of(priced + R"(, "tiers": [{"above": 9, "input": "1", "output": "1"},
                                               {"above": 9, "input": "1", "output": "1"}]})"),
            "above"));
  CHECK(has(failure_of(R"({"models": ["m"], "input": "1", "output": "1", "source": "s", "date": "d"})"), "provider"));
  CHECK(has(failure_of(R"({"provider": "p", "models": [], "input": "1"})"), "models"));
}

TEST_CASE("the shipped prices are sound, each with its source and date", "[prices]") {
  const auto table = PriceTable::parse(file("scripts/data/prices.json"));
  if (!table) FAIL(table.error().message);
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const PriceRow& row : table->rows()) {
    INFO(row.provider << " " << row.model);
    CHECK(seen.insert({row.provider, row.model, row.until}).second);
    CHECK(row.date.size() == 10);
    CHECK(row.prices.input > 0);
    CHECK(row.prices.output >= row.prices.input);
    CHECK(row.prices.cached_input.value_or(0) <= row.prices.input);
  }
  REQUIRE(table->find("openai", "gpt-4o", kDay));
  CHECK(cost(*table->find("openai", "gpt-4o", kDay), {.input = 1000, .output = 1000}) == 12'500'000);
  CHECK(table->find("anthropic", "claude-sonnet-5-20261101", kDay));
  for (const char* unpriced : {"claude-sonnet-5-5", "claude-sonnet-5-5-20261101", "claude-sonnet-5-5-latest"}) {
    CHECK_FALSE(table->find("anthropic", unpriced, kDay));  // A name that begins alike is another model.
  }
}

TEST_CASE("costs equal those of the price oracle within a nano-dollar", "[prices]") {
  const auto table = PriceTable::parse(file("scripts/data/prices.json"));
  REQUIRE(table);
  std::istringstream lines(file("tests/data/price_corpus.jsonl"));
  std::string line;
  REQUIRE(std::getline(lines, line));
  const auto header = nlohmann::json::parse(line);
  CHECK(header["package"] == "@pydantic/genai-prices");
  const auto day = header["day"].get<std::string>();
  int compared = 0, cached = 0, in_tier = 0, reasoned = 0;
  while (std::getline(lines, line)) {
    INFO(line);
    const auto entry = nlohmann::json::parse(line);
    const auto row = table->find(entry["provider"].get<std::string>(), entry["model"].get<std::string>(), day);
    REQUIRE(row);
    const auto& counts = entry["usage"];
    const Usage usage = {.input = counts["input"],
                         .cached_input = counts["cached_input"],
                         .cache_write = counts["cache_write"],
                         .output = counts["output"],
                         .reasoning = counts["reasoning"]};
    CHECK(std::abs(static_cast<double>(cost(*row, usage)) - entry["usd"].get<double>() * 1e9) <= 1.0);
    ++compared;
    cached += usage.cached_input > 0;
    reasoned += usage.reasoning > 0;
    in_tier += !row->tiers.empty() && usage.input > row->tiers.front().above;
  }
  CHECK(compared >= 200);
  CHECK(cached >= 50);
  CHECK(in_tier >= 10);
  CHECK(reasoned >= 20);
}
