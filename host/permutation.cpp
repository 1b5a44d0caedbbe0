#include "host/permutation.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace qa {
namespace {

/// The rows in one piece, and the sum of those that a draw takes.
class Sum {
 public:
  explicit Sum(const PermutationTest& test) : statistic_(test.statistic) {
    int places = 0;
    for (const auto& row : test.rows) {
      for (const auto& [place, value] : row) places = std::max(places, place + 1);
      entries_.insert(entries_.end(), row.begin(), row.end());
      ends_.push_back(entries_.size());
    }
    sums_.resize(static_cast<std::size_t>(places));
  }
  void clear() { std::fill(sums_.begin(), sums_.end(), 0.0); }
  void add(std::size_t row, double sign) {
    for (std::size_t i = row > 0 ? ends_[row - 1] : 0; i < ends_[row]; ++i) {
      sums_[static_cast<std::size_t>(entries_[i].first)] += sign * entries_[i].second;
    }
  }
  double value() const {
    if (sums_.empty()) return 0;
    if (statistic_ == PermutationStatistic::largest) return *std::max_element(sums_.begin(), sums_.end());
    return std::inner_product(sums_.begin(), sums_.end(), sums_.begin(), 0.0);
  }

 private:
  const PermutationStatistic statistic_;
  std::vector<std::pair<int, double>> entries_;
  std::vector<std::size_t> ends_;
  std::vector<double> sums_;
};

}  // namespace

double permutation_p(const PermutationTest& test) {
  const std::size_t rows = test.rows.size(),
                    chosen = std::min<std::size_t>(static_cast<std::size_t>(test.chosen), rows);
  Sum sum(test);
  std::minstd_rand random(test.seed);
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < (test.chosen > 0 ? chosen : rows); ++i) sum.add(i, 1);
  const double measured = sum.value();
  int hits = 0;
  for (int n = 1; n <= test.draws; ++n) {
    sum.clear();
    for (std::size_t i = 0; i < (test.chosen > 0 ? chosen : rows); ++i) {
      if (test.chosen > 0) std::swap(order[i], order[i + random() % (rows - i)]);
      sum.add(order[i], test.chosen > 0 || random() % 64 < 32 ? 1 : -1);
    }
    if (sum.value() >= measured - 1e-9 * std::max(1.0, std::abs(measured))) ++hits;
    if (hits == test.enough_hits) return static_cast<double>(hits) / n;
  }
  return (hits + 1.0) / (test.draws + 1.0);
}

}  // namespace qa
