#pragma once
// What changed in a scene, cell by cell. A grid has some planes (luma, blueness, redness), one byte a cell each, one
// after the other; a cell counts when it does in any plane. Pure; any thread.

#include <string>
#include <string_view>
#include <vector>

namespace qa {

/// The smallest and the largest value that each cell of each plane had in a time. Both have one size; of two bands that
/// are compared one may be empty, where nothing was seen: no cell counts then.
struct CellBand {
  std::string_view low, high;
  std::size_t size() const { return low.size(); }
  int least(std::size_t i) const { return static_cast<unsigned char>(low[i]); }
  int most(std::size_t i) const { return static_cast<unsigned char>(high[i]); }
};

/// Cells, from 0, of planes of `cells`, that leave the band by more than `margin` at some time of the window.
std::vector<int> novel_cells(const CellBand& window, const CellBand& band, int margin, std::size_t cells);
/// Cells that stay outside the band for the whole window.
std::vector<int> lasting_cells(const CellBand& window, const CellBand& band, int margin, std::size_t cells);
/// Cells whose values in both windows together spread over more than `margin`.
std::vector<int> restless_cells(const CellBand& a, const CellBand& b, int margin, std::size_t cells);

/// The band that covers both.
struct CoveringBand {
  std::string low, high;
};
CoveringBand covering_band(const CellBand& a, const CellBand& b);

}  // namespace qa
