// qa.grid: what changed in the scene, cell by cell. A window of page:watch is compared with another one, or with a
// band.

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "host/browser/scene_cast.h"
#include "host/image/cell_grid.h"

namespace qa::lua {
namespace {

/// Lives as long as the table.
std::string_view grid_of(Call& call, int index, const char* what, const char* key) {
  lua_pushstring(call.L, key);
  lua_rawget(call.L, index);
  if (lua_type(call.L, -1) != LUA_TSTRING) throw Misuse(std::string(what) + " has no grid '" + key + "'");
  std::size_t size = 0;
  const char* bytes = lua_tolstring(call.L, -1, &size);
  lua_pop(call.L, 1);
  return {bytes, size};
}

CellBand band_at(Call& call, int index, const char* what) {
  table_at(call, index, what);
  const CellBand band{grid_of(call, index, what, "low"), grid_of(call, index, what, "high")};
  if (band.low.size() != band.high.size()) throw Misuse(std::string(what) + ": low and high differ in size");
  return band;
}

/// The bands that arguments 1 and 2 hold, which must be of one size, or empty where nothing was seen.
std::pair<CellBand, CellBand> two_bands(Call& call, const char* first, const char* second) {
  const std::pair bands{band_at(call, 1, first), band_at(call, 2, second)};
  const auto& [a, b] = bands;
  if (a.size() > 0 && b.size() > 0 && a.size() != b.size())
    throw Misuse(std::string(first) + " and " + second + " differ in size");
  return bands;
}

/// Compares the bands and pushes the list of cells, from 1.
template <auto compare>
int push_cells(Call& call, const char* first, const char* second) {
  const auto [a, b] = two_bands(call, first, second);
  const std::vector<int> cells = compare(a, b, integer_at(call, 3, "margin", 0, 255), kSceneCells);
  return push_list(call.L, cells, [&](int cell) { lua_pushinteger(call.L, cell + 1); });
}

int grid_novel(Call& call) { return push_cells<novel_cells>(call, "window", "band"); }
int grid_lasting(Call& call) { return push_cells<lasting_cells>(call, "window", "band"); }
int grid_restless(Call& call) { return push_cells<restless_cells>(call, "a", "b"); }

int grid_band(Call& call) {
  const auto [a, b] = two_bands(call, "a", "b");
  const CoveringBand both = covering_band(a, b);
  return push_result(call.L, Json{{"low", both.low}, {"high", both.high}});
}

}  // namespace

void add_grid(lua_State* L) {
  add_functions(L, "grid", "qa.grid.",
                {{"novel", bound<grid_novel>},
                 {"lasting", bound<grid_lasting>},
                 {"restless", bound<grid_restless>},
                 {"band", bound<grid_band>}});
}

}  // namespace qa::lua
