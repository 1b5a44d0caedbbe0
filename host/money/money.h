#pragma once
// Money in whole nano-dollars (1e-9 USD), the one unit of prices and ledgers: $0.08 per million tokens is exactly
// 80 nano-dollars a token, and no sum is ever rounded by floating point. Any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qa {

using Nano = std::int64_t;

constexpr Nano kDollar = 1'000'000'000;
/// No price, cap or cost is larger, so that a few of them can be added without overflow.
constexpr Nano kMostMoney = 1'000'000'000 * kDollar;

/// Reads "0.45", "2.50", "12" or ".08": digits with at most one point, up to nine decimals, at most kMostMoney.
/// Everything else (sign, exponent, currency, blanks, "5.") is refused, never guessed.
std::optional<Nano> parse_dollars(std::string_view text);

/// The exact amount with at least two decimals: "0.45", "12.00", "0.0124".
std::string decimal(Nano amount);

/// For people: "$0.45", "-$0.02".
std::string dollars(Nano amount);

/// For scripts and journals; sums are kept in Nano.
inline double usd(Nano amount) { return static_cast<double>(amount) / static_cast<double>(kDollar); }

/// a + b, which stops at a few times kMostMoney instead of overflowing. Neither is negative.
Nano sum(Nano a, Nano b);

/// The UTC day of a time in seconds since 1970: "2026-11-22". Days compare as texts.
std::string utc_day(std::int64_t seconds);

/// Has 90 % of the cap been spent (requirement C-030)? No new iteration begins then.
bool is_near_cap(Nano spent, Nano cap);

}  // namespace qa
