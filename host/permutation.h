#pragma once
// Permutation tests: how often would chance alone give at least what was measured? Pure and without state; callers run
// it on the pool. p by sequential Monte Carlo (Besag and Clifford 1991, Biometrika 78): drawing ends once enough draws
// reach the measured value, so a clear "no" takes tens of draws instead of thousands.

#include <cstdint>
#include <utility>
#include <vector>

namespace qa {

/// Of the sum of the rows: its largest entry (at least 0), the largest absolute value of an entry, or its Euclidean
/// norm.
enum class PermutationStatistic { max, max_abs, norm };

/// Consecutive rows that are permuted among themselves; so many of them were chosen.
struct Stratum {
  int rows = 0, chosen = 0;
};

struct PermutationTest {
  /// One sparse vector a row: (place, value), places from 0.
  std::vector<std::vector<std::pair<int, double>>> rows;
  /// 0: the signs of the rows are exchangeable (all positive as measured), and are flipped at random. Else the rows are
  /// exchangeable: the sum is over so many of them, the first as measured, and others in each permutation.
  int chosen = 0;
  /// Instead of `chosen`: rows are permuted within a stratum only; of each the chosen rows come first. They cover all
  /// rows.
  std::vector<Stratum> strata;
  PermutationStatistic statistic = PermutationStatistic::max;
  int draws = 10'000;    ///< At most.
  int enough_hits = 25;  ///< Draws that reach the measured value after which p is known well enough.
  std::uint32_t seed = 12345;
};

/// In (0, 1].
double permutation_p(const PermutationTest& test);

}  // namespace qa
