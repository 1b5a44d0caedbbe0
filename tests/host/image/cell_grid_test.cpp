#include "host/image/cell_grid.h"

#include <catch2/catch.hpp>

using namespace qa;
using Cells = std::vector<int>;

namespace {

// Two planes of three cells.
constexpr std::size_t kCells = 3;
const std::string kRest = "\x64\x64\x64\x32\x32\x32";

/// What rests, but for a byte.
std::string with(std::size_t i, unsigned char value) {
  std::string grid = kRest;
  grid[i] = static_cast<char>(value);
  return grid;
}

}  // namespace

TEST_CASE("a cell is novel when it leaves the band in any plane, at any time", "[cell_grid]") {
  const CellBand band{kRest, kRest};
  CHECK(novel_cells(band, band, 0, kCells).empty());
  const std::string bright = with(1, 200), dark = with(5, 10);
  CHECK(novel_cells({kRest, bright}, band, 8, kCells) == Cells{1});
  CHECK(novel_cells({dark, kRest}, band, 8, kCells) == Cells{2});
  CHECK(novel_cells({dark, bright}, band, 8, kCells) == Cells{1, 2});
  CHECK(novel_cells({kRest, bright}, band, 100, kCells).empty());
}

TEST_CASE("a cell lasts when it stays outside the band", "[cell_grid]") {
  const CellBand band{kRest, kRest};
  const std::string bright = with(0, 255), dark = with(4, 0);
  CHECK(lasting_cells({kRest, bright}, band, 8, kCells).empty());
  CHECK(lasting_cells({bright, bright}, band, 8, kCells) == Cells{0});
  CHECK(lasting_cells({dark, dark}, band, 8, kCells) == Cells{1});
}

TEST_CASE("two windows are restless where their values spread, and covered by one band", "[cell_grid]") {
  const std::string bright = with(0, 110), dark = with(0, 90);
  const CellBand a{kRest, bright}, b{dark, kRest};
  CHECK(restless_cells(a, b, 19, kCells) == Cells{0});
  CHECK(restless_cells(b, a, 19, kCells) == Cells{0});
  CHECK(restless_cells(a, b, 20, kCells).empty());
  const CoveringBand both = covering_band(a, b);
  CHECK(both.low == dark);
  CHECK(both.high == bright);
}

TEST_CASE("no cell counts where nothing was seen", "[cell_grid]") {
  const CellBand seen{kRest, kRest};
  CHECK(novel_cells({}, seen, 0, kCells).empty());
  CHECK(restless_cells(seen, {}, 0, kCells).empty());
  CHECK(covering_band(seen, {}).low.empty());
}
