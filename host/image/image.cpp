#include "host/image/image.h"

#include <stb/stb_image.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "host/image/png_decode.h"
#include "host/image/stb_impl.h"

namespace qa {
namespace {

constexpr int kMaxSide = 16384;
constexpr std::int64_t kMaxPixels = 64 * 1024 * 1024;

Error undecodable(std::string_view why) {
  return {ErrorKind::image_decode, "the bytes are not a PNG or JPEG image that can be decoded: " + std::string(why), "",
          ""};
}

/// The most that one block of a decoder may take: 16-bit RGBA, which stb holds in a block that it grows by doubling,
/// or the coefficients of a JPEG, padded to whole blocks of 64 pixels; or the compressed bytes, doubled likewise.
std::size_t largest_block(Size size, std::size_t compressed) {
  const auto padded = static_cast<std::size_t>(size.width + 64) * static_cast<std::size_t>(size.height + 64);
  return padded * 8 * 2 + 2 * compressed + 65536;
}

Result<Size> header_size(std::string_view bytes) {
  if (bytes.empty()) return undecodable("there are none");
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return undecodable("over 2 GiB");
  if (const auto fault = jpeg_fault(bytes); !fault.empty()) return undecodable(fault);
  Size size;
  int channels = 0;
  if (!stbi_info_from_memory(reinterpret_cast<const stbi_uc*>(bytes.data()), static_cast<int>(bytes.size()),
                             &size.width, &size.height, &channels)) {
    // stb_image tells no size that it would not decode.
    if (const Size claimed = png_size(bytes); is_too_large(claimed.width, claimed.height)) return claimed;
    return undecodable("unknown format or broken header");
  }
  if (size.width <= 0 || size.height <= 0) return undecodable("it has no pixels");
  return size;
}

std::uint8_t luma(std::uint64_t red, std::uint64_t green, std::uint64_t blue, std::uint64_t pixels) {
  const std::uint64_t weighted = 299 * red + 587 * green + 114 * blue;
  return static_cast<std::uint8_t>((weighted + 500 * pixels) / (1000 * pixels));
}

/// Weights of B - Y and R - Y in Cb and Cr (BT.601), halved.
constexpr double kBlueness = 0.564 / 2, kRedness = 0.713 / 2;

/// One of them, in the middle of a byte for grey.
char half_chroma(double weight, std::uint64_t sum, std::uint8_t luma, std::uint64_t pixels) {
  const double mean = static_cast<double>(sum) / static_cast<double>(pixels);
  return static_cast<char>(static_cast<std::uint8_t>(128.5 + weight * (mean - luma)));
}

struct ColourSum {
  std::uint64_t red = 0, green = 0, blue = 0;
};

/// Adds `count` pixels. 32-bit sums hold a whole row of the largest image.
template <int channels>
void add_pixels(ColourSum& sum, const std::uint8_t* pixel, int count) {
  std::uint32_t red = 0, green = 0, blue = 0;
  for (int i = 0; i < count; ++i, pixel += channels) {
    red += pixel[0];
    green += pixel[1];
    blue += pixel[2];
  }
  sum.red += red;
  sum.green += green;
  sum.blue += blue;
}

/// First pixel of each of `cells` cells along a side of `length` pixels, and the end of the last.
int cell_start(int cell, int cells, int length) {
  return static_cast<int>(static_cast<std::int64_t>(cell) * length / cells);
}

/// Planes of black cells, "" where a side is none.
std::string empty_grid(int columns, int rows, int planes) {
  if (columns <= 0 || rows <= 0) return "";
  return std::string(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows) * planes, '\0');
}

/// Calls add(cell, sum of its pixels, their number) for each cell of a grid, row by row; never for an empty image.
template <typename Add>
void each_cell(const Image& image, int columns, int rows, Add add) {
  if (columns <= 0 || rows <= 0 || image.width <= 0 || image.height <= 0) return;
  std::vector<ColourSum> sums(static_cast<std::size_t>(columns));
  std::size_t cell = 0;
  for (int row = 0; row < rows; ++row) {
    const int top = cell_start(row, rows, image.height);
    const int bottom = std::max(top + 1, cell_start(row + 1, rows, image.height));
    std::fill(sums.begin(), sums.end(), ColourSum{});
    for (int y = top; y < bottom; ++y) {
      const std::uint8_t* line = image.row(y);
      for (int column = 0; column < columns; ++column) {
        const int left = cell_start(column, columns, image.width);
        const int right = std::max(left + 1, cell_start(column + 1, columns, image.width));
        const auto add_row = image.channels == 3 ? add_pixels<3> : add_pixels<4>;
        add_row(sums[static_cast<std::size_t>(column)], line + left * image.channels, right - left);
      }
    }
    for (int column = 0; column < columns; ++column) {
      const int left = cell_start(column, columns, image.width);
      const int right = std::max(left + 1, cell_start(column + 1, columns, image.width));
      add(cell++, sums[static_cast<std::size_t>(column)],
          static_cast<std::uint64_t>(right - left) * static_cast<std::uint64_t>(bottom - top));
    }
  }
}

/// Each pixel the mean of those that it stands for. Rows are added up first: that is the longest loop, and runs over
/// neighbours. Divisions would take longer than all else. The product with the share of one value comes to the same
/// whole number: with a half more in the sum of n values it is 1/2n away from the next one at least.
template <int channels>
std::shared_ptr<Image> averaged(const Image& image, Size size) {
  auto out = std::make_shared<Image>(size.width, size.height, channels);
  std::vector<std::uint32_t> column_sums(image.row_bytes());
  std::vector<int> starts;
  for (int x = 0; x <= size.width; ++x) starts.push_back(cell_start(x, size.width, image.width));
  std::vector<double> shares;
  for (std::size_t x = 0; x + 1 < starts.size(); ++x) shares.push_back(1.0 / std::max(1, starts[x + 1] - starts[x]));
  for (int y = 0; y < size.height; ++y) {
    const int top = cell_start(y, size.height, image.height);
    const int bottom = std::max(top + 1, cell_start(y + 1, size.height, image.height));
    std::copy_n(image.row(top), column_sums.size(), column_sums.begin());
    for (int row = top + 1; row < bottom; ++row) {
      const std::uint8_t* from = image.row(row);
      for (std::size_t i = 0; i < column_sums.size(); ++i) column_sums[i] += from[i];
    }
    std::uint8_t* to = out->row(y);
    const double of_row = 1.0 / (bottom - top);
    for (std::size_t x = 0; x < shares.size(); ++x, to += channels) {
      const int left = starts[x], right = std::max(left + 1, starts[x + 1]);
      const double half = static_cast<double>(std::int64_t{right - left} * (bottom - top) / 2) + 0.5;
      std::uint64_t sums[channels] = {};
      for (int column = left; column < right; ++column) {
        const std::uint32_t* from = column_sums.data() + column * channels;
        for (int channel = 0; channel < channels; ++channel) sums[channel] += from[channel];
      }
      for (int channel = 0; channel < channels; ++channel)
        to[channel] = static_cast<std::uint8_t>((static_cast<double>(sums[channel]) + half) * (shares[x] * of_row));
    }
  }
  return out;
}

}  // namespace

std::uint8_t* Pixels::allocate(std::size_t bytes) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  if (bytes < kHugePage) {
    if (void* small = std::malloc(bytes)) return static_cast<std::uint8_t*>(small);
    throw std::bad_alloc();
  }
  // A rest of less than half a huge page takes less memory in small ones.
  const std::size_t huge = (bytes + kHugePage / 2) / kHugePage * kHugePage;
  void* large = nullptr;
  if (::posix_memalign(&large, kHugePage, std::max(bytes, huge)) != 0) throw std::bad_alloc();
  ::madvise(large, huge, MADV_HUGEPAGE);
  return static_cast<std::uint8_t*>(large);
}

bool is_too_large(std::int64_t width, std::int64_t height) {
  return width > kMaxSide || height > kMaxSide || width * height > kMaxPixels;
}

std::string size_text(Size size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

Result<Size> read_image_size(std::string_view bytes) {
  const auto size = header_size(bytes);
  if (!size) return size.error();
  if (is_too_large(size->width, size->height)) {
    return Error{ErrorKind::image_too_large,
                 "the image is " + size_text(*size) + " pixels; at most 16384 a side and 64 megapixels are decoded", "",
                 ""};
  }
  return size;
}

Result<ImagePtr> decode_image(std::string_view bytes) {
  const auto size = read_image_size(bytes);
  if (!size) return size.error();
  if (auto decoded = decode_plain_png(bytes, *size)) return std::move(*decoded);
  const AllocationLimit limit(largest_block(*size, bytes.size()));
  int width = 0, height = 0, channels = 0;
  const std::unique_ptr<stbi_uc, void (*)(void*)> decoded(
      stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(bytes.data()), static_cast<int>(bytes.size()), &width,
                            &height, &channels, STBI_rgb_alpha),
      stbi_image_free);
  if (!decoded) return undecodable("it is truncated or corrupt");
  auto image = std::make_shared<Image>(width, height, 4);
  std::memcpy(image->pixels.data(), decoded.get(), image->pixels.size());
  return ImagePtr(std::move(image));
}

Rect shared_part(const Rect& a, const Rect& b) {
  const std::int64_t left = std::max(a.x, b.x), top = std::max(a.y, b.y);
  const std::int64_t right = std::min(std::int64_t{a.x} + a.width, std::int64_t{b.x} + b.width);
  const std::int64_t bottom = std::min(std::int64_t{a.y} + a.height, std::int64_t{b.y} + b.height);
  if (left >= right || top >= bottom) return {};
  return {static_cast<int>(left), static_cast<int>(top), static_cast<int>(right - left),
          static_cast<int>(bottom - top)};
}

Result<ImagePtr> crop_image(const Image& image, Rect part) {
  const Rect inside = shared_part(part, {0, 0, image.width, image.height});
  if (inside.area() == 0) {
    return Error{ErrorKind::image_size,
                 "the part to crop lies outside the image of " + size_text({image.width, image.height}) + " pixels", "",
                 ""};
  }
  auto out = std::make_shared<Image>(inside.width, inside.height, image.channels);
  for (int y = 0; y < inside.height; ++y)
    std::memcpy(out->row(y), image.row(inside.y + y) + inside.x * image.channels, out->row_bytes());
  return ImagePtr(std::move(out));
}

Result<ImagePtr> resize_image(const Image& image, Size size) {
  if (size.width < 1 || size.height < 1 || is_too_large(size.width, size.height)) {
    return Error{
        ErrorKind::image_size,
        "cannot resize to " + size_text(size) + ": a side has 1 to 16384 pixels, an image at most 64 megapixels", "",
        ""};
  }
  return ImagePtr(image.channels == 3 ? averaged<3>(image, size) : averaged<4>(image, size));
}

std::uint64_t difference_hash(const Image& image) {
  const std::string grid = luma_grid(image, 9, 8);
  std::uint64_t hash = 0;
  for (std::size_t row = 0; row < 8; ++row) {
    for (std::size_t column = 0; column < 8; ++column) {
      const auto at = [&](std::size_t cell) { return static_cast<unsigned char>(grid[row * 9 + cell]); };
      hash = hash << 1 | static_cast<std::uint64_t>(at(column) > at(column + 1));
    }
  }
  return hash;
}

std::string luma_grid(const Image& image, int columns, int rows) {
  std::string grid = empty_grid(columns, rows, 1);
  each_cell(image, columns, rows, [&grid](std::size_t cell, const ColourSum& sum, std::uint64_t pixels) {
    grid[cell] = static_cast<char>(luma(sum.red, sum.green, sum.blue, pixels));
  });
  return grid;
}

std::string colour_grid(const Image& image, int columns, int rows) {
  std::string grid = empty_grid(columns, rows, 3);
  const std::size_t cells = grid.size() / 3;
  each_cell(image, columns, rows, [&grid, cells](std::size_t cell, const ColourSum& sum, std::uint64_t pixels) {
    const std::uint8_t y = luma(sum.red, sum.green, sum.blue, pixels);
    grid[cell] = static_cast<char>(y);
    grid[cells + cell] = half_chroma(kBlueness, sum.blue, y, pixels);
    grid[2 * cells + cell] = half_chroma(kRedness, sum.red, y, pixels);
  });
  return grid;
}

}  // namespace qa
