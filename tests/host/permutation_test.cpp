#include "host/permutation.h"

#include <catch2/catch.hpp>

using qa::permutation_p;
using qa::PermutationStatistic;
using qa::PermutationTest;

namespace {

/// One place, one value a row.
PermutationTest values(const std::vector<double>& list) {
  PermutationTest test;
  for (const double value : list) test.rows.push_back({{0, value}});
  test.draws = 200'000;
  test.enough_hits = 1'000'000;
  return test;
}

}  // namespace

TEST_CASE("signs: p is the share of all sign patterns that reach the measured sum", "[permutation]") {
  CHECK(permutation_p(values({1, 1, 1, 1, 1, 1, 1, 1})) == Approx(1.0 / 256).epsilon(0.1));
  CHECK(permutation_p(values({3, -1, 2})) == Approx(2.0 / 8).epsilon(0.05));
  CHECK(permutation_p(values({-2, -2, -2})) == 1.0);
}

TEST_CASE("choices: p is the share of all choices that reach the measured sum", "[permutation]") {
  PermutationTest test = values({5, 5, 5, 0, 1, 2, 3, 1, 0, 2});
  test.chosen = 3;
  CHECK(permutation_p(test) == Approx(1.0 / 120).epsilon(0.1));
  test.chosen = 10;
  CHECK(permutation_p(test) == 1.0);
}

TEST_CASE("the max and the norm of a sum are told apart", "[permutation]") {
  PermutationTest test;
  // As measured every place gets 2; turned the other way the norm is the same, the max is not.
  test.rows = {{{0, 1.0}, {1, 1.0}}, {{0, 1.0}, {1, 1.0}}};
  test.draws = 100'000;
  test.enough_hits = 1'000'000;
  CHECK(permutation_p(test) == Approx(0.25).epsilon(0.05));
  test.statistic = PermutationStatistic::norm;
  CHECK(permutation_p(test) == Approx(0.5).epsilon(0.05));
}

TEST_CASE("of many places each counts", "[permutation]") {
  // One tells the ten rows apart, wherever it is; what the others have is far from reaching it.
  const std::vector<double> telling = {5, 5, 5, 0, 1, 2, 3, 1, 0, 2};
  for (const int at : {0, 63, 64, 150, 199}) {
    PermutationTest test;
    for (int row = 0; row < 10; ++row) {
      test.rows.emplace_back();
      for (int place = 0; place < 200; ++place) {
        test.rows.back().emplace_back(place, place == at ? telling[row] : (place + row) % 3 * 0.5);
      }
    }
    test.chosen = 3;
    test.draws = 20'000;
    test.enough_hits = 1'000'000;
    CHECK(permutation_p(test) == Approx(1.0 / 120).epsilon(0.25));
  }
}

TEST_CASE("rows are permuted within a stratum only", "[permutation]") {
  // The second pair is far above the first whatever is chosen: one of two choices in each reaches what was measured.
  PermutationTest test = values({1, 0, 101, 100});
  test.strata = {{2, 1}, {2, 1}};
  CHECK(permutation_p(test) == Approx(0.25).epsilon(0.05));
  test.strata = {};
  test.chosen = 2;
  CHECK(permutation_p(test) == 1.0);
}

TEST_CASE("the entry of the largest absolute value may be negative", "[permutation]") {
  PermutationTest test;
  test.rows = {{{0, -3.0}, {40, 1.0}}, {{0, -3.0}}, {{0, 2.0}}, {{0, 2.0}}, {{0, 1.0}}, {{0, 1.0}}};
  test.chosen = 2;
  test.draws = 100'000;
  test.enough_hits = 1'000'000;
  CHECK(permutation_p(test) > 0.3);
  test.statistic = PermutationStatistic::max_abs;
  CHECK(permutation_p(test) == Approx(1.0 / 15).epsilon(0.05));
}

TEST_CASE("a clear no takes few draws, nothing at all gives 1", "[permutation]") {
  PermutationTest test = values({0.1, -0.1, 0.1, -0.1});
  test.enough_hits = 25;
  test.draws = 2'000'000'000;  // Not waited for.
  CHECK(permutation_p(test) > 0.2);
  CHECK(permutation_p(PermutationTest{}) == 1.0);
}

TEST_CASE("the same seed gives the same p", "[permutation]") {
  PermutationTest test = values({1, 2, 3, -1, 2, 1, -2, 4});
  test.draws = 500;
  const double p = permutation_p(test);
  CHECK(permutation_p(test) == p);
  test.seed = 99;
  CHECK(permutation_p(test) != p);
}
