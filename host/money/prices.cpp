#include "host/money/prices.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/fact_reader.h"
#include "host/text.h"

namespace qa {
namespace {

using Json = nlohmann::json;
__extension__ typedef __int128 Wide;  // Tokens times nano-dollars per million of them pass 64 bits.

constexpr std::int64_t kPerMillion = 1'000'000;
constexpr std::int64_t kMostTokens = 1'000'000'000'000;  // What claims more is nonsense, and must not overflow.

Wide counted(std::int64_t tokens) { return std::clamp<std::int64_t>(tokens, 0, kMostTokens); }

/// Nano-dollars times a million, rounded up to nano-dollars.
Nano rounded(Wide millionths) {
  return static_cast<Nano>(std::min<Wide>((millionths + kPerMillion - 1) / kPerMillion, kMostMoney));
}

const TokenPrices& prices_at(const PriceRow& row, std::int64_t input) {
  const TokenPrices* prices = &row.prices;
  for (const PriceTier& tier : row.tiers) {
    if (input > tier.above) prices = &tier.prices;
  }
  return *prices;
}

std::optional<Nano> price(FactReader& facts, const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  const std::optional<Nano> amount =
      found->is_string() ? parse_dollars(found->get_ref<const std::string&>()) : std::nullopt;
  if (!amount) facts.fail(std::string(key) + " is not a price such as \"2.50\"");
  return amount;
}

Nano needed(FactReader& facts, const Json& object, const char* key) {
  if (!object.contains(key)) facts.fail(std::string(key) + " is missing");
  return price(facts, object, key).value_or(0);
}

TokenPrices token_prices(FactReader& facts, const Json& object) {
  return {needed(facts, object, "input"), needed(facts, object, "output"), price(facts, object, "cached_input"),
          price(facts, object, "cache_write")};
}

std::vector<PriceTier> tiers(FactReader& facts, const Json& list) {
  std::vector<PriceTier> out;
  if (!list.is_array()) facts.fail("tiers is not a list");
  for (const Json& object : list) {
    if (!object.is_object()) {
      facts.fail("a tier is not an object");
      break;
    }
    facts.refuse_others(object, {"above", "input", "output", "cached_input", "cache_write"});
    const std::int64_t above = facts.count(object, "above");
    if (above <= (out.empty() ? 0 : out.back().above)) facts.fail("above is not a rising number of tokens");
    out.push_back({above, token_prices(facts, object)});
  }
  return out;
}

PriceRow price_row(FactReader& facts, const Json& object) {
  facts.refuse_others(object, {"provider", "models", "input", "output", "cached_input", "cache_write", "per_request",
                               "tiers", "free", "until", "source", "date"});
  PriceRow row;
  row.provider = facts.text(object, "provider");
  row.source = facts.text(object, "source");
  row.date = facts.text(object, "date");
  if (object.contains("until")) row.until = facts.text(object, "until");
  if (facts.flag(object, "free")) {
    if (object.contains("input") || object.contains("output")) facts.fail("what is free has no prices");
    return row;
  }
  row.prices = token_prices(facts, object);
  row.per_request = price(facts, object, "per_request").value_or(0);
  if (object.contains("tiers")) row.tiers = tiers(facts, object["tiers"]);
  return row;
}

}  // namespace

Nano cost(const PriceRow& row, const Usage& usage) {
  const TokenPrices& prices = prices_at(row, usage.input);
  const Wide cached = counted(usage.cached_input), written = counted(usage.cache_write);
  const Wide plain = std::max<Wide>(counted(usage.input) - cached - written, 0);
  return rounded(plain * prices.input + cached * prices.cached_input.value_or(prices.input) +
                 written * prices.cache_write.value_or(prices.input) + counted(usage.output) * prices.output +
                 counted(usage.requests) * row.per_request * kPerMillion);
}

Nano worst_case(const PriceRow& row, std::int64_t input_upper, std::int64_t max_output) {
  Nano input = 0, output = 0;
  const auto consider = [&](const TokenPrices& prices) {
    input = std::max({input, prices.input, prices.cached_input.value_or(0), prices.cache_write.value_or(0)});
    output = std::max(output, prices.output);
  };
  consider(row.prices);
  for (const PriceTier& tier : row.tiers) {
    if (input_upper > tier.above) consider(tier.prices);
  }
  return rounded(counted(input_upper) * input + counted(max_output) * output + Wide{row.per_request} * kPerMillion);
}

Result<PriceTable> PriceTable::parse(std::string_view json) {
  FactReader facts("price table");
  PriceTable table;
  QA_TRY(facts.read(json, [&](const Json& object, const std::vector<std::string>& models) {
    PriceRow row = price_row(facts, object);
    for (const std::string& model : models) {
      row.model = model;
      table.rows_.push_back(row);
    }
  }));
  std::stable_partition(table.rows_.begin(), table.rows_.end(),
                        [](const PriceRow& row) { return !is_glob(row.model); });
  return table;
}

void PriceTable::overlay(const PriceTable& over) { rows_.insert(rows_.begin(), over.rows_.begin(), over.rows_.end()); }

std::optional<PriceRow> PriceTable::find(std::string_view provider, std::string_view model,
                                         std::string_view day) const {
  for (const PriceRow& row : rows_) {
    const bool holds = row.until.empty() || day < row.until;
    if (holds && row.provider == provider && matches_glob(row.model, model)) return row;
  }
  return {};
}

std::string no_price_message(std::string_view provider, std::string_view model) {
  const std::string named = "\"" + std::string(model) + "\" at " + std::string(provider);
  return "no price is known for " + named +
         ", so nothing is sent: give the endpoint price = { input = \"…\", output = \"…\" } in dollars per million " +
         "tokens, or free = true if calls cost nothing, or add a row to your own prices";
}

}  // namespace qa
