#include "host/money/money.h"

#include <algorithm>
#include <ctime>

namespace qa {
namespace {

constexpr std::size_t kDecimals = 9;

bool is_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Nano number_of(std::string_view digits) {
  Nano value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

}  // namespace

std::optional<Nano> parse_dollars(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view part = point == text.npos ? std::string_view() : text.substr(point + 1);
  const bool is_empty = point == text.npos ? whole.empty() : part.empty();
  // Nine digits and the billion itself: what is longer could overflow below.
  if (is_empty || whole.size() > 10 || part.size() > kDecimals || !is_digits(whole) || !is_digits(part)) return {};
  const std::string decimals = std::string(part) + std::string(kDecimals - part.size(), '0');
  const Nano dollar = number_of(whole);
  if (dollar > kMostMoney / kDollar) return {};
  const Nano amount = dollar * kDollar + number_of(decimals);
  if (amount > kMostMoney) return {};
  return amount;
}

std::string decimal(Nano amount) {
  const bool is_negative = amount < 0;
  const auto size = is_negative ? ~static_cast<std::uint64_t>(amount) + 1 : static_cast<std::uint64_t>(amount);
  std::string part = std::to_string(size % kDollar);
  part.insert(0, kDecimals - part.size(), '0');
  while (part.size() > 2 && part.back() == '0') part.pop_back();
  return (is_negative ? "-" : "") + std::to_string(size / kDollar) + "." + part;
}

std::string dollars(Nano amount) {
  const std::string text = decimal(amount);
  return amount < 0 ? "-$" + text.substr(1) : "$" + text;
}

Nano sum(Nano a, Nano b) { return std::min(a + b, 4 * kMostMoney); }

std::string utc_day(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm utc{};
  ::gmtime_r(&time, &utc);
  char day[32];
  std::strftime(day, sizeof day, "%Y-%m-%d", &utc);
  return day;
}

bool is_near_cap(Nano spent, Nano cap) { return spent >= cap - cap / 10; }

}  // namespace qa
