#include "host/permutation.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <unordered_map>

namespace qa {
namespace {

/// Eight floats that are worked on at once (a register of AVX, two of SSE), and as many of these as places are summed
/// at a time.
using Lanes = float __attribute__((vector_size(32)));
constexpr std::size_t kLanes = 8, kVectors = 4, kBlock = kLanes * kVectors;

/// What a sum of rows is asked for.
struct Outcome {
  float lowest = 0, highest = 0, squares = 0;
};

struct Row {
  std::size_t number = 0;
  float sign = 1;
};

/// Adds up rows of `width` floats, a multiple of kBlock.
inline __attribute__((always_inline)) Outcome sum(const std::vector<Row>& rows, const float* values,
                                                  std::size_t width) {
  Lanes lowest = {}, highest = {}, squares = {};
  for (std::size_t block = 0; block < width; block += kBlock) {
    Lanes sums[kVectors] = {};
    for (const Row& row : rows) {
      const float* from = values + row.number * width + block;
#pragma GCC unroll 4
      for (std::size_t i = 0; i < kVectors; ++i) {
        Lanes some;
        std::memcpy(&some, from + i * kLanes, sizeof some);
        sums[i] += row.sign * some;
      }
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kVectors; ++i) {
      lowest = sums[i] < lowest ? sums[i] : lowest;
      highest = sums[i] > highest ? sums[i] : highest;
      squares += sums[i] * sums[i];
    }
  }
  Outcome outcome;
  for (std::size_t i = 0; i < kLanes; ++i) {
    outcome.lowest = std::min(outcome.lowest, lowest[i]);
    outcome.highest = std::max(outcome.highest, highest[i]);
    outcome.squares += squares[i];
  }
  return outcome;
}

Outcome sum_anywhere(const std::vector<Row>& rows, const float* values, std::size_t width) {
  return sum(rows, values, width);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) Outcome sum_avx2(const std::vector<Row>& rows, const float* values,
                                                     std::size_t width) {
  return sum(rows, values, width);
}
const auto sum_here = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? sum_avx2 : sum_anywhere;
#else
const auto sum_here = sum_anywhere;
#endif

/// The rows of a test, without the places that none of them has.
class Rows {
 public:
  explicit Rows(const PermutationTest& test) : statistic_(test.statistic) {
    std::unordered_map<int, std::size_t> places;
    for (const auto& row : test.rows) {
      for (const auto& [place, value] : row) places.emplace(place, places.size());
    }
    width_ = (places.size() + kBlock - 1) / kBlock * kBlock;
    values_.resize(test.rows.size() * width_);
    for (std::size_t row = 0; row < test.rows.size(); ++row) {
      for (const auto& [place, value] : test.rows[row]) {
        values_[row * width_ + places.at(place)] = static_cast<float>(value);
      }
    }
  }

  float value(const std::vector<Row>& rows) const {
    const Outcome outcome = sum_here(rows, values_.data(), width_);
    if (statistic_ == PermutationStatistic::length) return outcome.squares;
    return statistic_ == PermutationStatistic::farthest ? std::max(outcome.highest, -outcome.lowest) : outcome.highest;
  }

 private:
  const PermutationStatistic statistic_;
  std::size_t width_ = 0;
  std::vector<float> values_;
};

/// What is summed: first as measured, then as chance would have it.
class Draw {
 public:
  explicit Draw(const PermutationTest& test) : strata_(test.strata), random_(test.seed), order_(test.rows.size()) {
    const int rows = static_cast<int>(test.rows.size());
    if (strata_.empty() && test.chosen > 0) strata_.push_back({rows, std::min(test.chosen, rows)});
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  const std::vector<Row>& measured() { return strata_.empty() ? turn(false) : choose(false); }
  const std::vector<Row>& next() { return strata_.empty() ? turn(true) : choose(true); }

 private:
  const std::vector<Row>& turn(bool by_chance) {
    rows_.clear();
    for (const std::size_t row : order_) rows_.push_back({row, !by_chance || random_() % 64 < 32 ? 1.0F : -1.0F});
    return rows_;
  }

  const std::vector<Row>& choose(bool by_chance) {
    rows_.clear();
    std::size_t from = 0;
    for (const Stratum& stratum : strata_) {
      const auto all = static_cast<std::size_t>(stratum.rows), chosen = static_cast<std::size_t>(stratum.chosen);
      for (std::size_t i = 0; i < chosen; ++i) {
        if (by_chance) std::swap(order_[from + i], order_[from + i + random_() % (all - i)]);
        rows_.push_back({order_[from + i], 1});
      }
      from += all;
    }
    return rows_;
  }

  std::vector<Stratum> strata_;
  std::minstd_rand random_;
  std::vector<std::size_t> order_;
  std::vector<Row> rows_;
};

}  // namespace

double permutation_p(const PermutationTest& test) {
  const Rows rows(test);
  Draw draw(test);
  // What differs by rounding alone is as much as was measured.
  const float measured = rows.value(draw.measured()), reached = measured - 1e-5F * std::max(1.0F, std::abs(measured));
  int hits = 0;
  for (int n = 1; n <= test.draws; ++n) {
    if (rows.value(draw.next()) >= reached) ++hits;
    if (hits == test.enough_hits) return static_cast<double>(hits) / n;
  }
  return (hits + 1.0) / (test.draws + 1.0);
}

}  // namespace qa
