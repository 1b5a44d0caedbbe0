#include "host/image/diff.h"

#include <algorithm>
#include <cstring>

#include "host/image/png_decode.h"

namespace qa {
namespace {

constexpr int kTile = 32;  ///< Pixels of a mask of the kernel.
constexpr std::size_t kMaxRegions = 64;

/// What changed, right and bottom exclusive.
struct Box {
  int left = 0, top = 0, right = 0, bottom = 0;

  void add(const Box& other) {
    if (right == 0) {
      *this = other;
      return;
    }
    left = std::min(left, other.left);
    top = std::min(top, other.top);
    right = std::max(right, other.right);
    bottom = std::max(bottom, other.bottom);
  }
};

/// What changed within 32x32 pixels: a bit for each column, and the rows from top to before bottom.
struct Tile {
  std::uint32_t columns = 0;
  int top = 0, bottom = 0;

  bool is_empty() const { return columns == 0; }
  /// Rows come from top to bottom.
  void add(std::uint32_t mask, int y) {
    if (is_empty()) top = y;
    columns |= mask;
    bottom = y + 1;
  }
  /// Of a tile that is not empty.
  Box box(int column) const {
    const int x = column * kTile;
    return {x + __builtin_ctz(columns), top, x + kTile - __builtin_clz(columns), bottom};
  }
};

struct Tiles {
  int columns = 0, rows = 0;
  std::vector<Tile> all;

  explicit Tiles(Size size)
      : columns((size.width + kTile - 1) / kTile),
        rows((size.height + kTile - 1) / kTile),
        all(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

  Tile& at(int column, int row) {
    return all[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)];
  }
};

/// Joins a changed tile with all changed tiles that touch it, also by a corner, and clears them.
Box take_region(Tiles& tiles, int column, int row) {
  Box region;
  std::vector<std::pair<int, int>> open;
  const auto take = [&](int x, int y) {
    Tile& tile = tiles.at(x, y);
    if (tile.is_empty()) return;
    region.add(tile.box(x));
    tile = {};
    open.emplace_back(x, y);
  };
  take(column, row);
  while (!open.empty()) {
    const auto [x, y] = open.back();
    open.pop_back();
    for (int near_y = std::max(y - 1, 0); near_y <= std::min(y + 1, tiles.rows - 1); ++near_y) {
      for (int near_x = std::max(x - 1, 0); near_x <= std::min(x + 1, tiles.columns - 1); ++near_x) {
        take(near_x, near_y);
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
  std::stable_sort(regions.begin(), regions.end(), [](const Rect& a, const Rect& b) { return a.area() > b.area(); });
  if (regions.size() > kMaxRegions) regions.resize(kMaxRegions);
  return regions;
}

bool is_at_edge(const Image& image, int x, int y) {
  return x == 0 || y == 0 || x == image.width - 1 || y == image.height - 1;
}

const std::uint8_t* pixel_at(const Image& image, int x, int y) { return image.row(y) + x * image.channels; }

/// Do at least three neighbours have the pixel's own colour? The edge of the image counts as one.
bool has_siblings(const Image& image, int x, int y) {
  int equal = is_at_edge(image, x, y) ? 1 : 0;
  for (int ny = std::max(y - 1, 0); ny <= std::min(y + 1, image.height - 1); ++ny) {
    for (int nx = std::max(x - 1, 0); nx <= std::min(x + 1, image.width - 1); ++nx) {
      if (nx == x && ny == y) continue;
      equal +=
          std::memcmp(pixel_at(image, x, y), pixel_at(image, nx, ny), static_cast<std::size_t>(image.channels)) == 0;
    }
  }
  return equal > 2;
}

/// Is the pixel of `image` one that anti-aliasing has drawn: between a darker and a brighter neighbour, of which one
/// lies in a flat area of both images (V. Vysniauskas, "Anti-aliased Pixel and Intensity Slope Detector", 2009)?
bool is_antialiased(const Image& image, const Image& other, int x, int y) {
  int equal = is_at_edge(image, x, y) ? 1 : 0;
  double lowest = 0, highest = 0;
  std::pair<int, int> darkest, brightest;
  // The order of the neighbours decides between equal ones, as in pixelmatch: column by column.
  for (int nx = std::max(x - 1, 0); nx <= std::min(x + 1, image.width - 1); ++nx) {
    for (int ny = std::max(y - 1, 0); ny <= std::min(y + 1, image.height - 1); ++ny) {
      if (nx == x && ny == y) continue;
      const double delta = luma_difference(pixel_at(image, x, y), pixel_at(image, nx, ny), image.channels,
                                           std::int64_t{y} * image.width + x);
      if (delta == 0) {
        if (++equal > 2) return false;
      } else if (delta < lowest) {
        lowest = delta;
        darkest = {nx, ny};
      } else if (delta > highest) {
        highest = delta;
        brightest = {nx, ny};
      }
    }
  }
  if (lowest == 0 || highest == 0) return false;
  const auto is_flat = [&](const std::pair<int, int>& at) {
    return has_siblings(image, at.first, at.second) && has_siblings(other, at.first, at.second);
  };
  return is_flat(darkest) || is_flat(brightest);
}

/// Which pixels of two pictures of equal size and channels count as different, told row by row.
class Comparison {
 public:
  Comparison(Size size, int channels, const DiffOptions& options)
      : size_(size),
        channels_(channels),
        options_(options),
        kernel_(row_kernel(options.metric, channels, options.vectors)),
        limit_(options.threshold),
        tiles_(size),
        masks_(static_cast<std::size_t>(tiles_.columns)) {}

  /// What antialias and highlight look at, before the first row is added.
  void look_at(const Image& a, const Image& b) {
    a_ = &a;
    b_ = &b;
    if (options_.highlight) paint_pale();
  }

  void add_row(int y, const std::uint8_t* a, const std::uint8_t* b) {
    int differing = kernel_(a, b, size_.width, std::int64_t{y} * size_.width, limit_, masks_.data());
    if (differing == 0) return;
    if (options_.antialias || !options_.ignore.empty()) differing = leave_out(y);
    changed_ += differing;
    Tile* tile = &tiles_.at(0, y / kTile);
    for (const std::uint32_t mask : masks_) {
      if (mask != 0) tile->add(mask, y);
      ++tile;
    }
    if (picture_) paint_red(y);
  }

  DiffResult result() {
    DiffResult result;
    result.changed_pixels = changed_;
    result.identical = changed_ == 0;
    result.highlight = picture_;
    if (result.identical) return result;
    result.changed_ratio =
        static_cast<double>(changed_) / (static_cast<double>(size_.width) * static_cast<double>(size_.height));
    result.regions = regions_of(tiles_);
    return result;
  }

 private:
  /// Clears in the masks of row y what does not count; how many pixels remain.
  int leave_out(int y) {
    int differing = 0, x = 0;
    for (std::uint32_t& mask : masks_) {
      for (const Rect& part : options_.ignore) mask &= ~covered(part, x, y);
      if (options_.antialias) mask = without_antialiasing(mask, x, y);
      differing += __builtin_popcount(mask);
      x += kTile;
    }
    return differing;
  }

  /// Bits of the mask at x, y that lie in the part.
  static std::uint32_t covered(const Rect& part, int x, int y) {
    if (y < part.y || y - part.y >= part.height) return 0;
    const std::int64_t from = std::clamp<std::int64_t>(std::int64_t{part.x} - x, 0, kTile);
    const std::int64_t to = std::clamp<std::int64_t>(std::int64_t{part.x} + part.width - x, 0, kTile);
    if (from >= to) return 0;
    return static_cast<std::uint32_t>((std::uint64_t{1} << to) - (std::uint64_t{1} << from));
  }

  std::uint32_t without_antialiasing(std::uint32_t mask, int x, int y) const {
    std::uint32_t kept = mask;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const int i = __builtin_ctz(rest);
      if (is_antialiased(*a_, *b_, x + i, y) || is_antialiased(*b_, *a_, x + i, y)) kept &= ~(1U << i);
    }
    return kept;
  }

  void paint_pale() {
    picture_ = std::make_shared<Image>(size_.width, size_.height, 3);
    for (int y = 0; y < size_.height; ++y) {
      const std::uint8_t* from = a_->row(y);
      std::uint8_t* to = picture_->row(y);
      for (int x = 0; x < size_.width; ++x, from += channels_, to += 3) {
        const int luma = (299 * from[0] + 587 * from[1] + 114 * from[2]) / 1000;
        std::memset(to, 255 - (255 - luma) / 8, 3);
      }
    }
  }

  void paint_red(int y) {
    std::uint8_t* row = picture_->row(y);
    int left = 0;
    for (std::uint32_t mask : masks_) {
      for (; mask != 0; mask &= mask - 1) {
        std::uint8_t* to = row + std::ptrdiff_t{left + __builtin_ctz(mask)} * 3;
        to[0] = 255;
        to[1] = to[2] = 0;
      }
      left += kTile;
    }
  }

  Size size_;
  int channels_;
  const DiffOptions& options_;
  const Image* a_ = nullptr;
  const Image* b_ = nullptr;
  RowKernel kernel_;
  YiqLimit limit_;
  Tiles tiles_;
  std::vector<std::uint32_t> masks_;  ///< Of the row.
  std::int64_t changed_ = 0;
  std::shared_ptr<Image> picture_;
};

Image with_alpha(const Image& image) {
  Image out(image.width, image.height, 4);
  const std::uint8_t* from = image.pixels.data();
  for (std::uint8_t* to = out.pixels.begin(); to != out.pixels.end(); to += 4, from += 3) {
    std::memcpy(to, from, 3);
    to[3] = 255;
  }
  return out;
}

DiffResult compared(const Image& a, const Image& b, const DiffOptions& options) {
  Comparison comparison({a.width, a.height}, a.channels, options);
  comparison.look_at(a, b);
  for (int y = 0; y < a.height; ++y) comparison.add_row(y, a.row(y), b.row(y));
  return comparison.result();
}

}  // namespace

std::optional<DiffResult> diff_plain_pngs(std::string_view a, std::string_view b, Size size,
                                          const DiffOptions& options) {
  if (options.antialias || options.highlight) return std::nullopt;
  const auto rows_a = PngRows::open(a, size), rows_b = PngRows::open(b, size);
  if (!rows_a || !rows_b || rows_a->channels() != rows_b->channels()) return std::nullopt;
  const int band = rows_a->band();
  Image band_a(size.width, band, rows_a->channels()), band_b(size.width, band, rows_a->channels());
  Comparison comparison(size, rows_a->channels(), options);
  for (int top = 0; top < size.height; top += band) {
    const int count = std::min(band, size.height - top);
    if (rows_a->read(count, band_a.pixels.data()) || rows_b->read(count, band_b.pixels.data())) return std::nullopt;
    for (int y = 0; y < count; ++y) comparison.add_row(top + y, band_a.row(y), band_b.row(y));
  }
  return comparison.result();
}

Result<DiffResult> diff_images(const Image& a, const Image& b, const DiffOptions& options) {
  if (a.width != b.width || a.height != b.height) {
    return Error{ErrorKind::image_size,
                 "images of different size cannot be compared: " + size_text({a.width, a.height}) + " and " +
                     size_text({b.width, b.height}),
                 "", ""};
  }
  // Two screenshots have the same channels; a picture from elsewhere may be widened.
  if (a.channels == b.channels) return compared(a, b, options);
  return a.channels == 3 ? compared(with_alpha(a), b, options) : compared(a, with_alpha(b), options);
}

}  // namespace qa
