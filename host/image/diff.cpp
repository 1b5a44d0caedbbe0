#include "host/image/diff.h"

#include <algorithm>
#include <cstring>

namespace qa {
namespace {

constexpr int kTile = 32;
constexpr std::size_t kMaxRegions = 64;

/// What changed within a tile, or within a region of tiles: a box, right and bottom exclusive.
struct Box {
  int left = 0, top = 0, right = 0, bottom = 0;

  bool is_empty() const { return right == 0; }
  void add(const Box& other) {
    if (is_empty()) {
      *this = other;
      return;
    }
    left = std::min(left, other.left);
    top = std::min(top, other.top);
    right = std::max(right, other.right);
    bottom = std::max(bottom, other.bottom);
  }
};

struct Tiles {
  int columns = 0, rows = 0;
  std::vector<Box> boxes;

  explicit Tiles(const Image& image)
      : columns((image.width + kTile - 1) / kTile),
        rows((image.height + kTile - 1) / kTile),
        boxes(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

  Box& at(int column, int row) {
    return boxes[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)];
  }
};

std::uint32_t pixel_at(const std::uint8_t* row, int x) {
  std::uint32_t pixel = 0;
  std::memcpy(&pixel, row + static_cast<std::ptrdiff_t>(x) * 4, sizeof pixel);
  return pixel;
}

/// Compares one row of pixels and enters what differs into its tiles. Returns the number of differing pixels.
std::int64_t compare_row(const std::uint8_t* a, const std::uint8_t* b, int width, int y, Tiles& tiles) {
  std::int64_t changed = 0;
  for (int start = 0, column = 0; start < width; start += kTile, ++column) {
    const int end = std::min(start + kTile, width);
    int first = -1, last = -1;
    for (int x = start; x < end; ++x) {
      if (pixel_at(a, x) == pixel_at(b, x)) continue;
      if (first < 0) first = x;
      last = x;
      ++changed;
    }
    if (first >= 0) tiles.at(column, y / kTile).add({first, y, last + 1, y + 1});
  }
  return changed;
}

/// Joins a changed tile with all changed tiles that touch it, also by a corner, and clears them.
Box take_region(Tiles& tiles, int column, int row) {
  Box region;
  std::vector<std::pair<int, int>> open = {{column, row}};
  while (!open.empty()) {
    const auto [x, y] = open.back();
    open.pop_back();
    Box& tile = tiles.at(x, y);
    if (tile.is_empty()) continue;
    region.add(tile);
    tile = {};
    for (int near_y = std::max(y - 1, 0); near_y <= std::min(y + 1, tiles.rows - 1); ++near_y) {
      for (int near_x = std::max(x - 1, 0); near_x <= std::min(x + 1, tiles.columns - 1); ++near_x) {
        if (!tiles.at(near_x, near_y).is_empty()) open.emplace_back(near_x, near_y);
      }
    }
  }
  return region;
}

std::vector<Rect> regions_of(Tiles& tiles) {
  std::vector<Rect> regions;
  for (int row = 0; row < tiles.rows; ++row) {
    for (int column = 0; column < tiles.columns; ++column) {
      if (tiles.at(column, row).is_empty()) continue;
      const Box box = take_region(tiles, column, row);
      regions.push_back({box.left, box.top, box.right - box.left, box.bottom - box.top});
    }
  }
  const auto area = [](const Rect& rect) { return std::int64_t{rect.width} * rect.height; };
  std::stable_sort(regions.begin(), regions.end(), [&](const Rect& a, const Rect& b) { return area(a) > area(b); });
  if (regions.size() > kMaxRegions) regions.resize(kMaxRegions);
  return regions;
}

std::string size_text(const Image& image) { return std::to_string(image.width) + "x" + std::to_string(image.height); }

}  // namespace

Result<DiffResult> diff_exact(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height || a.rgba.size() != b.rgba.size()) {
    return Error{ErrorKind::image_size,
                 "images of different size cannot be compared: " + size_text(a) + " and " + size_text(b), "", ""};
  }
  DiffResult result;
  const auto row_bytes = static_cast<std::size_t>(a.width) * 4;
  Tiles tiles(a);
  for (int y = 0; y < a.height; ++y) {
    const std::uint8_t* row_a = a.rgba.data() + static_cast<std::size_t>(y) * row_bytes;
    const std::uint8_t* row_b = b.rgba.data() + static_cast<std::size_t>(y) * row_bytes;
    // Most rows of two frames are equal, and memcmp is many times faster than looking at pixels.
    if (row_a == row_b || std::memcmp(row_a, row_b, row_bytes) == 0) continue;
    result.changed_pixels += compare_row(row_a, row_b, a.width, y, tiles);
  }
  result.identical = result.changed_pixels == 0;
  if (result.identical) return result;
  result.changed_ratio =
      static_cast<double>(result.changed_pixels) / (static_cast<double>(a.width) * static_cast<double>(a.height));
  result.regions = regions_of(tiles);
  return result;
}

}  // namespace qa
