#include "host/permutation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <unordered_map>

namespace qa {
namespace {

/// Eight floats that are worked on at once (a register of AVX, two of SSE), and as many of these as places are summed
/// at a time: enough to hide how long an addition takes, and few enough for all rows of a block to stay in the nearest
/// cache while all draws of a batch are summed.
using Lanes = float __attribute__((vector_size(32)));
constexpr std::size_t kLanes = 8, kVectors = 8, kBlock = kLanes * kVectors;
constexpr int kBatch = 64;

struct Row {
  std::size_t number = 0;
  float sign = 1;
};

/// A sum of rows, and what it is asked for.
struct Sum {
  std::vector<Row> rows;
  std::array<float, kLanes> lowest{}, highest{}, squares{};
};

/// Adds the places of one block, whose values are in rows of kBlock, to what is known of each sum.
inline __attribute__((always_inline)) void add_block(std::span<Sum> sums, const float* values) {
  for (Sum& sum : sums) {
    Lanes totals[kVectors] = {};
    for (const Row& row : sum.rows) {
      const float* from = values + row.number * kBlock;
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kVectors; ++i) {
        Lanes some;
        std::memcpy(&some, from + i * kLanes, sizeof some);
        totals[i] += row.sign * some;
      }
    }
    Lanes lowest, highest, squares;
    std::memcpy(&lowest, sum.lowest.data(), sizeof lowest);
    std::memcpy(&highest, sum.highest.data(), sizeof highest);
    std::memcpy(&squares, sum.squares.data(), sizeof squares);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kVectors; ++i) {
      lowest = totals[i] < lowest ? totals[i] : lowest;
      highest = totals[i] > highest ? totals[i] : highest;
      squares += totals[i] * totals[i];
    }
    std::memcpy(sum.lowest.data(), &lowest, sizeof lowest);
    std::memcpy(sum.highest.data(), &highest, sizeof highest);
    std::memcpy(sum.squares.data(), &squares, sizeof squares);
  }
}

void add_block_anywhere(std::span<Sum> sums, const float* values) { add_block(sums, values); }

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void add_block_avx2(std::span<Sum> sums, const float* values) {
  add_block(sums, values);
}
const auto add_block_here =
    __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? add_block_avx2 : add_block_anywhere;
#else
const auto add_block_here = add_block_anywhere;
#endif

/// The rows of a test, without the places that none of them has.
class Rows {
 public:
  explicit Rows(const PermutationTest& test) : statistic_(test.statistic), rows_(test.rows.size()) {
    std::unordered_map<int, std::size_t> places;
    for (const auto& row : test.rows) {
      for (const auto& [place, value] : row) places.emplace(place, places.size());
    }
    values_.resize((places.size() + kBlock - 1) / kBlock * rows_ * kBlock);
    for (std::size_t row = 0; row < rows_; ++row) {
      for (const auto& [place, value] : test.rows[row]) {
        const std::size_t at = places.at(place);
        values_[(at / kBlock * rows_ + row) * kBlock + at % kBlock] = static_cast<float>(value);
      }
    }
  }

  void add_up(std::span<Sum> sums) const {
    for (Sum& sum : sums) sum.lowest = sum.highest = sum.squares = {};
    for (std::size_t at = 0; at < values_.size(); at += rows_ * kBlock) add_block_here(sums, values_.data() + at);
  }

  float statistic(const Sum& sum) const {
    float lowest = 0, highest = 0, squares = 0;
    for (std::size_t i = 0; i < kLanes; ++i) {
      lowest = std::min(lowest, sum.lowest[i]);
      highest = std::max(highest, sum.highest[i]);
      squares += sum.squares[i];
    }
    if (statistic_ == PermutationStatistic::norm) return squares;  // Its order is that of the norm.
    return statistic_ == PermutationStatistic::max_abs ? std::max(highest, -lowest) : highest;
  }

 private:
  const PermutationStatistic statistic_;
  const std::size_t rows_;
  std::vector<float> values_;  ///< Of each block of places those of all rows.
};

/// Which rows are summed: first as measured, then permuted at random.
class Draw {
 public:
  explicit Draw(const PermutationTest& test) : strata_(test.strata), random_(test.seed), order_(test.rows.size()) {
    const int rows = static_cast<int>(test.rows.size());
    if (strata_.empty() && test.chosen > 0) strata_.push_back({rows, std::min(test.chosen, rows)});
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  void measured(std::vector<Row>& rows) { strata_.empty() ? flip(rows, false) : permute(rows, false); }
  void next(std::vector<Row>& rows) { strata_.empty() ? flip(rows, true) : permute(rows, true); }

 private:
  void flip(std::vector<Row>& rows, bool at_random) {
    rows.clear();
    for (const std::size_t row : order_) rows.push_back({row, !at_random || random_() % 64 < 32 ? 1.0F : -1.0F});
  }

  void permute(std::vector<Row>& rows, bool at_random) {
    rows.clear();
    std::size_t from = 0;
    for (const Stratum& stratum : strata_) {
      const auto all = static_cast<std::size_t>(stratum.rows), chosen = static_cast<std::size_t>(stratum.chosen);
      for (std::size_t i = 0; i < chosen; ++i) {
        if (at_random) std::swap(order_[from + i], order_[from + i + random_() % (all - i)]);
        rows.push_back({order_[from + i], 1});
      }
      from += all;
    }
  }

  std::vector<Stratum> strata_;
  std::minstd_rand random_;
  std::vector<std::size_t> order_;
};

}  // namespace

double permutation_p(const PermutationTest& test) {
  const Rows rows(test);
  Draw draw(test);
  std::vector<Sum> sums(kBatch);
  draw.measured(sums[0].rows);
  rows.add_up(std::span(sums).first(1));
  // What differs by rounding alone is as much as was measured.
  const float measured = rows.statistic(sums[0]), reached = measured - 1e-5F * std::max(1.0F, std::abs(measured));
  int hits = 0;
  for (int n = 0; n < test.draws;) {
    const auto batch = std::span(sums).first(static_cast<std::size_t>(std::min(kBatch, test.draws - n)));
    for (Sum& sum : batch) draw.next(sum.rows);
    rows.add_up(batch);
    for (const Sum& sum : batch) {
      ++n;
      if (rows.statistic(sum) >= reached) ++hits;
      if (hits == test.enough_hits) return static_cast<double>(hits) / n;
    }
  }
  return (hits + 1.0) / (test.draws + 1.0);
}

}  // namespace qa
