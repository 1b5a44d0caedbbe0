#pragma once
// Permutation tests: how often would chance alone give at least what was measured? Pure and without state; callers run
// it on the pool. p by sequential Monte Carlo (Besag and Clifford 1991, Biometrika 78): drawing ends once enough draws
// reach the measured value, so a clear "no" takes tens of draws instead of thousands.

#include <cstdint>
#include <utility>
#include <vector>

namespace qa {

/// What is computed of the sum of the rows: its largest entry (at least 0), the size of the entry farthest from 0, or
/// its length squared.
enum class PermutationStatistic { largest, farthest, length };

/// Rows in a row, among which chance chooses so many.
struct Stratum {
  int rows = 0, chosen = 0;
};

struct PermutationTest {
  /// One sparse vector a row: (place, value), places from 0.
  std::vector<std::vector<std::pair<int, double>>> rows;
  /// 0: each row's sign may as well be the other (all positive as measured). Else the sum is over so many rows, the
  /// first as measured, and any others may as well have been chosen.
  int chosen = 0;
  /// Instead of `chosen`: chance chooses in each of these by itself; of each the chosen rows come first. They cover all
  /// rows.
  std::vector<Stratum> strata;
  PermutationStatistic statistic = PermutationStatistic::largest;
  int draws = 10'000;    ///< At most.
  int enough_hits = 25;  ///< Draws that reach the measured value after which p is known well enough.
  std::uint32_t seed = 12345;
};

/// In (0, 1].
double permutation_p(const PermutationTest& test);

}  // namespace qa
