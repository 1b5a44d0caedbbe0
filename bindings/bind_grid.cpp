// qa.grid: what changed in the scene, cell by cell. A window of page:watch is compared with another one, or with a
// band. A cell counts when it does in any plane: luma, blueness or redness.

#include <algorithm>
#include <utility>
#include <vector>

#include "bindings/args.h"
#include "bindings/bindings.h"
#include "host/browser/scene_cast.h"

namespace qa::lua {
namespace {

/// The smallest and the largest value of each cell and plane; both live as long as the table.
struct Band {
  std::string_view low, high;
  std::size_t size() const { return low.size(); }
  std::uint8_t least(std::size_t i) const { return static_cast<std::uint8_t>(low[i]); }
  std::uint8_t most(std::size_t i) const { return static_cast<std::uint8_t>(high[i]); }
};

std::string_view grid_of(Call& call, int index, const char* what, const char* key) {
  lua_pushstring(call.L, key);
  lua_rawget(call.L, index);
  if (lua_type(call.L, -1) != LUA_TSTRING) throw Misuse(std::string(what) + " has no grid '" + key + "'");
  std::size_t size = 0;
  const char* bytes = lua_tolstring(call.L, -1, &size);
  lua_pop(call.L, 1);
  return {bytes, size};
}

Band band_at(Call& call, int index, const char* what) {
  table_at(call, index, what);
  const Band band{grid_of(call, index, what, "low"), grid_of(call, index, what, "high")};
  if (band.low.size() != band.high.size()) throw Misuse(std::string(what) + ": low and high differ in size");
  return band;
}

/// The windows that arguments 1 and 2 hold, which must be of one size, or empty where nothing was seen.
std::pair<Band, Band> two_bands(Call& call, const char* first, const char* second) {
  const std::pair bands{band_at(call, 1, first), band_at(call, 2, second)};
  const std::size_t least = std::min(bands.first.size(), bands.second.size());
  if (least > 0 && bands.first.size() != bands.second.size())
    throw Misuse(std::string(first) + " and " + second + " differ in size");
  return bands;
}

/// Pushes the list of those cells, from 1, for which `is_counted(a, b, place in the grid, margin)` in some plane.
template <typename IsCounted>
int push_cells(Call& call, const char* first, const char* second, IsCounted is_counted) {
  const auto [a, b] = two_bands(call, first, second);
  const int margin = integer_at(call, 3, "margin", 0, 255);
  std::vector<int> cells;
  const std::size_t size = std::min(a.size(), b.size());
  for (std::size_t cell = 0; cell < std::min<std::size_t>(size, kSceneCells); ++cell) {
    bool counts = false;
    for (std::size_t i = cell; i < size && !counts; i += kSceneCells) counts = is_counted(a, b, i, margin);
    if (counts) cells.push_back(static_cast<int>(cell) + 1);
  }
  lua_createtable(call.L, static_cast<int>(cells.size()), 0);
  for (std::size_t n = 0; n < cells.size(); ++n) {
    lua_pushinteger(call.L, cells[n]);
    lua_rawseti(call.L, -2, static_cast<int>(n) + 1);
  }
  return 1;
}

int grid_novel(Call& call) {
  return push_cells(call, "window", "band", [](const Band& window, const Band& band, std::size_t i, int margin) {
    return window.most(i) > band.most(i) + margin || window.least(i) < band.least(i) - margin;
  });
}

int grid_lasting(Call& call) {
  return push_cells(call, "window", "band", [](const Band& window, const Band& band, std::size_t i, int margin) {
    return window.least(i) > band.most(i) + margin || window.most(i) < band.least(i) - margin;
  });
}

int grid_restless(Call& call) {
  return push_cells(call, "a", "b", [](const Band& a, const Band& b, std::size_t i, int margin) {
    return std::max(a.most(i), b.most(i)) - std::min(a.least(i), b.least(i)) > margin;
  });
}

int grid_band(Call& call) {
  const auto [a, b] = two_bands(call, "a", "b");
  std::string low(std::min(a.size(), b.size()), '\0'), high = low;
  for (std::size_t i = 0; i < low.size(); ++i) {
    low[i] = static_cast<char>(std::min(a.least(i), b.least(i)));
    high[i] = static_cast<char>(std::max(a.most(i), b.most(i)));
  }
  lua_createtable(call.L, 0, 2);
  lua_pushlstring(call.L, low.data(), low.size());
  lua_setfield(call.L, -2, "low");
  lua_pushlstring(call.L, high.data(), high.size());
  lua_setfield(call.L, -2, "high");
  return 1;
}

const luaL_Reg grid_functions[] = {{"novel", bound<grid_novel>},
                                   {"lasting", bound<grid_lasting>},
                                   {"restless", bound<grid_restless>},
                                   {"band", bound<grid_band>},
                                   {nullptr, nullptr}};

}  // namespace

void add_grid(lua_State* L) { add_functions(L, "grid", "qa.grid.", grid_functions, false); }

}  // namespace qa::lua
