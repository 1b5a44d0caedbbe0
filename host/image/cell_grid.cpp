#include "host/image/cell_grid.h"

#include <algorithm>

namespace qa {
namespace {

/// The cells for which `is_counted(place in the grid)` in some plane.
template <typename IsCounted>
std::vector<int> cells_where(std::size_t size, std::size_t cells, IsCounted is_counted) {
  std::vector<int> found;
  for (std::size_t cell = 0; cell < std::min(size, cells); ++cell) {
    bool counts = false;
    for (std::size_t i = cell; i < size && !counts; i += cells) counts = is_counted(i);
    if (counts) found.push_back(static_cast<int>(cell));
  }
  return found;
}

}  // namespace

std::vector<int> novel_cells(const CellBand& window, const CellBand& band, int margin, std::size_t cells) {
  return cells_where(std::min(window.size(), band.size()), cells, [&](std::size_t i) {
    return window.most(i) > band.most(i) + margin || window.least(i) < band.least(i) - margin;
  });
}

std::vector<int> lasting_cells(const CellBand& window, const CellBand& band, int margin, std::size_t cells) {
  return cells_where(std::min(window.size(), band.size()), cells, [&](std::size_t i) {
    return window.least(i) > band.most(i) + margin || window.most(i) < band.least(i) - margin;
  });
}

std::vector<int> restless_cells(const CellBand& a, const CellBand& b, int margin, std::size_t cells) {
  return cells_where(std::min(a.size(), b.size()), cells, [&](std::size_t i) {
    return std::max(a.most(i), b.most(i)) - std::min(a.least(i), b.least(i)) > margin;
  });
}

CoveringBand covering_band(const CellBand& a, const CellBand& b) {
  const std::size_t size = std::min(a.size(), b.size());
  CoveringBand both{std::string(size, '\0'), std::string(size, '\0')};
  for (std::size_t i = 0; i < size; ++i) {
    both.low[i] = static_cast<char>(std::min(a.least(i), b.least(i)));
    both.high[i] = static_cast<char>(std::max(a.most(i), b.most(i)));
  }
  return both;
}

}  // namespace qa
