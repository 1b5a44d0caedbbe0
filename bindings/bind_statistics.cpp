// qa.permutation_test: statistics that draw thousands of times, on the pool.

#include <cmath>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "host/permutation.h"

namespace qa::lua {
namespace {

constexpr int kMostPlaces = 1 << 20;

/// The row at the top of the stack: a table from places, from 1, to values.
std::vector<std::pair<int, double>> read_row(Call& call, int index, int n) {
  table_at(call, index, "row");
  std::vector<std::pair<int, double>> row;
  for (lua_pushnil(call.L); lua_next(call.L, index) != 0; lua_pop(call.L, 1)) {
    const double place = lua_type(call.L, -2) == LUA_TNUMBER ? lua_tonumber(call.L, -2) : 0;
    const double value = lua_type(call.L, -1) == LUA_TNUMBER ? lua_tonumber(call.L, -1) : std::nan("");
    if (!(place >= 1 && place <= kMostPlaces && place == std::floor(place) && std::isfinite(value))) {
      throw Misuse("row " + std::to_string(n) + " is no table from places (1, 2, ...) to numbers");
    }
    row.emplace_back(static_cast<int>(place) - 1, value);
  }
  return row;
}

int permutation_test(Call& call) {
  table_at(call, 1, "rows");
  PermutationTest test;
  const int rows = static_cast<int>(lua_objlen(call.L, 1));
  OptionTable options(call, 2, {"chosen", "strata", "statistic", "draws", "seed"});
  test.chosen = options.integer("chosen", 0, 0, rows);
  const std::string statistic = options.one_of("statistic", "max", {"max", "max_abs", "norm"});
  test.statistic = statistic == "norm"      ? PermutationStatistic::norm
                   : statistic == "max_abs" ? PermutationStatistic::max_abs
                                            : PermutationStatistic::max;
  test.draws = options.integer("draws", test.draws, 1, 10'000'000);
  test.seed = static_cast<std::uint32_t>(options.integer("seed", static_cast<int>(test.seed), 1, 1 << 30));
  int covered = 0;
  options.each("strata", [&](int at) {
    OptionTable one(call, at, {"rows", "chosen"});
    const int size = one.integer("rows", 0, 1, rows);
    test.strata.push_back({size, one.integer("chosen", 0, 0, size)});
    covered += size;
  });
  if (!test.strata.empty() && covered != rows) {
    throw Misuse("strata cover " + std::to_string(covered) + " of " + std::to_string(rows) + " rows");
  }
  each_item(call, 1, "rows", [&](int i) { test.rows.push_back(read_row(call, lua_gettop(call.L), i)); });
  auto job = [test = std::move(test)] { return Result<double>(permutation_p(test)); };
  return on_pool<double>(call, std::move(job), PushResult(), {.journal = false});
}

}  // namespace

void add_statistics(lua_State* L) {
  add_functions(L, "qa_waits", "qa.", {{"permutation_test", bound<permutation_test>}});
}

}  // namespace qa::lua
