#pragma once
// PriceTable: what models cost, from scripts/data/prices.json with a user's own table overlaid. Rows are found
// by provider (the name of an endpoint preset) and exact model id or written glob, never by guessing from a prefix:
// a model without a row has no price, and is not called. Plain data, any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/error.h"
#include "host/money/money.h"

namespace qa {

/// Tokens of one answered call, in classes that hold for every provider; who reads an answer brings them into this
/// shape. OpenAI's prompt_tokens are `input` as they stand; Anthropic's input_tokens leave the cache out, so there
/// `input` is input_tokens + cache_read_input_tokens + cache_creation_input_tokens.
struct Usage {
  std::int64_t input = 0;         ///< The whole prompt: text, images, what a cache held, what it was given.
  std::int64_t cached_input = 0;  ///< The part of `input` that a cache held.
  std::int64_t cache_write = 0;   ///< The part of `input` that was written to a cache.
  std::int64_t image_input = 0;   ///< The part of `input` that pictures took; told apart for reports, priced as input.
  std::int64_t output = 0;        ///< All that was generated, reasoning included.
  std::int64_t reasoning = 0;     ///< The part of `output` that was thought and not said; priced as output.
  std::int64_t requests = 1;      ///< What a fee per request multiplies.
};

/// Nano-dollars per million tokens. A class of cache without a price of its own costs what input costs.
struct TokenPrices {
  Nano input = 0, output = 0;
  std::optional<Nano> cached_input, cache_write;
};

/// Prices of the whole call once its input has more than `above` tokens.
struct PriceTier {
  std::int64_t above = 0;
  TokenPrices prices;
};

/// One line of the table. As it is made here it is the price of what is free: an endpoint of one's own.
struct PriceRow {
  std::string provider;  ///< "openai", "anthropic" ...: the name of the endpoint preset.
  std::string model;     ///< The id or glob that matched, as written.
  TokenPrices prices;
  std::vector<PriceTier> tiers;  ///< By rising `above`.
  Nano per_request = 0;
  std::string until;         ///< The first day on which the row no longer holds; "" for an open end.
  std::string source, date;  ///< Where the numbers are from, and when they were read there: "2026-11-21".
};

/// What a call cost, rounded up to one nano-dollar. Negative counts are taken for none; a cache that claims more
/// tokens than the prompt had is charged for what it claims.
Nano cost(const PriceRow& row, const Usage& usage);

/// No call with at most so many tokens can cost more: the dearest class of input (a cache's surcharge included) and
/// of output among all tiers that `input_upper` tokens can reach, and the fee of one request.
Nano worst_case(const PriceRow& row, std::int64_t input_upper, std::int64_t max_output);

class PriceTable {
 public:
  /// Reads {"rows": [{provider, models: [ids and globs], input, output, cached_input?, cache_write?, per_request?,
  /// tiers?: [{above, ...}], until?, source, date}]}; prices are decimal strings, in dollars per million tokens and per
  /// request, and `free: true` stands in their place. type_mismatch names the row and the field.
  static Result<PriceTable> parse(std::string_view json);

  /// The rows of `over` are asked before those that are here.
  void overlay(const PriceTable& over);

  /// The first row of the provider that holds on `day` ("2026-11-22", see utc_day) and whose id equals `model`, else
  /// whose glob matches, the overlaid table before the one below; nullopt when there is none.
  std::optional<PriceRow> find(std::string_view provider, std::string_view model, std::string_view day) const;

  const std::vector<PriceRow>& rows() const { return rows_; }

 private:
  std::vector<PriceRow> rows_;  ///< In the order in which they are asked.
};

/// Why a model without a row is not called, and how to give it a price or declare it free.
std::string no_price_message(std::string_view provider, std::string_view model);

}  // namespace qa
