// PNG and JPEG bytes of pixels. libdeflate packs scenes of games to half of what stb makes of them, in half the time.

#include <libdeflate.h>
#include <stb/stb_image_write.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <vector>

#include "host/image/image.h"
#include "host/image/png_decode.h"

namespace qa {
namespace {

constexpr int kLevel = 5;
/// The filters of PNG, in the order of their numbers.
enum Filter : std::uint8_t { none, sub, up, average, paeth };

/// The neighbour that left + above - corner is nearest to. Without branches, so that a row is done many bytes at once.
std::uint8_t paeth_of(int left, int above, int corner) {
  const int by_left = std::abs(above - corner), by_above = std::abs(left - corner);
  const int by_corner = std::abs(left + above - 2 * corner);
  const int of_two = by_above <= by_corner ? above : corner;
  return static_cast<std::uint8_t>(((by_left <= by_above) & (by_left <= by_corner)) != 0 ? left : of_two);
}

template <Filter filter>
std::uint8_t guess_of(std::uint8_t left, std::uint8_t above, std::uint8_t corner) {
  if constexpr (filter == sub) return left;
  if constexpr (filter == up) return above;
  if constexpr (filter == paeth) return paeth_of(left, above, corner);
  return 0;
}

/// Writes a row filtered; returns what it weighs: the sum of its bytes taken as signed ones.
template <Filter filter>
int filtered(const std::uint8_t* row, const std::uint8_t* above, std::size_t size, std::size_t step,
             std::uint8_t* __restrict to) {
  for (std::size_t i = 0; i < step; ++i) to[i] = static_cast<std::uint8_t>(row[i] - guess_of<filter>(0, above[i], 0));
  for (std::size_t i = step; i < size; ++i)
    to[i] = static_cast<std::uint8_t>(row[i] - guess_of<filter>(row[i - step], above[i], above[i - step]));
  int weight = 0;
  for (std::size_t i = 0; i < size; ++i) weight += std::abs(static_cast<std::int8_t>(to[i]));
  return weight;
}

using Rows = std::vector<std::uint8_t>;

/// The rows, each behind the number of its filter: the lightest of four, or none (which suits flat pictures).
Rows filtered_rows(const Image& image, bool choose) {
  const std::size_t size = image.row_bytes(), step = static_cast<std::size_t>(image.channels);
  Rows rows((size + 1) * static_cast<std::size_t>(image.height));
  Rows zeros(size), tried(size);
  for (int y = 0; y < image.height; ++y) {
    std::uint8_t* to = rows.data() + (size + 1) * static_cast<std::size_t>(y);
    const std::uint8_t* row = image.row(y);
    const std::uint8_t* above = y == 0 ? zeros.data() : image.row(y - 1);
    if (choose && y > 0 && std::memcmp(row, above, size) == 0) {
      to[0] = up;  // Nothing is lighter than nothing.
      std::memset(to + 1, 0, size);
      continue;
    }
    to[0] = none;
    int best = filtered<none>(row, above, size, step, to + 1);
    if (!choose) continue;
    const auto take = [&](Filter filter, int weight) {
      if (weight >= best) return;
      best = weight;
      to[0] = filter;
      std::copy(tried.begin(), tried.end(), to + 1);
    };
    take(sub, filtered<sub>(row, above, size, step, tried.data()));
    take(up, filtered<up>(row, above, size, step, tried.data()));
    take(paeth, filtered<paeth>(row, above, size, step, tried.data()));
  }
  return rows;
}

std::string packed(const Rows& rows) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(kLevel), libdeflate_free_compressor);
  std::string out(libdeflate_zlib_compress_bound(compressor.get(), rows.size()), '\0');
  out.resize(libdeflate_zlib_compress(compressor.get(), rows.data(), rows.size(), out.data(), out.size()));
  return out;
}

std::string big_endian(std::size_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  return big_endian(data.size()) + body + big_endian(libdeflate_crc32(0, body.data(), body.size()));
}

}  // namespace

std::string encode_png(const Image& image) {
  const char colour = image.channels == 3 ? 2 : 6;
  const std::string header = big_endian(static_cast<std::size_t>(image.width)) +
                             big_endian(static_cast<std::size_t>(image.height)) + std::string{8, colour, 0, 0, 0};
  // Side by side: somebody waits for these bytes.
  auto unfiltered = std::async(std::launch::async, [&] { return packed(filtered_rows(image, false)); });
  std::string pixels = packed(filtered_rows(image, true));
  if (std::string flat = unfiltered.get(); flat.size() < pixels.size()) pixels = std::move(flat);
  return std::string(kPngSignature) + chunk("IHDR", header) + chunk("IDAT", pixels) + chunk("IEND", "");
}

std::string encode_jpeg(const Image& image, int quality) {
  std::string jpeg;
  const auto append = [](void* out, void* bytes, int size) {
    static_cast<std::string*>(out)->append(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
  };
  stbi_write_jpg_to_func(append, &jpeg, image.width, image.height, image.channels, image.pixels.data(), quality);
  return jpeg;
}

}  // namespace qa
