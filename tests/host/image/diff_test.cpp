#include "host/image/diff.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "host/image/diff_kernel.h"

using qa::diff_images;
using qa::DiffResult;
using qa::Image;
using qa::Rect;

namespace {

Image black(int width, int height) {
  Image image(width, height, 4);
  std::fill(image.pixels.begin(), image.pixels.end(), std::uint8_t{0});
  return image;
}

void paint(Image& image, Rect part, std::size_t channel = 0) {
  for (int y = part.y; y < part.y + part.height; ++y) {
    for (int x = part.x; x < part.x + part.width; ++x) {
      image.row(y)[static_cast<std::size_t>(x) * 4 + channel] = 1;
    }
  }
}

DiffResult diff(const Image& a, const Image& b) {
  const auto result = diff_images(a, b);
  REQUIRE(result);
  return *result;
}

bool is(const Rect& rect, int x, int y, int width, int height) {
  return rect.x == x && rect.y == y && rect.width == width && rect.height == height;
}

}  // namespace

TEST_CASE("equal images are identical", "[diff]") {
  const Image image = black(100, 70);
  for (const Image& other : {image, black(100, 70)}) {
    const DiffResult result = diff(image, other);
    CHECK(result.identical);
    CHECK(result.changed_pixels == 0);
    CHECK(result.changed_ratio == 0);
    CHECK(result.regions.empty());
  }
  CHECK(diff(black(0, 0), black(0, 0)).identical);
  CHECK(diff(black(0, 9), black(0, 9)).identical);
}

TEST_CASE("a pixel counts when any of its channels differs", "[diff]") {
  for (std::size_t channel = 0; channel < 4; ++channel) {
    const Image before = black(10, 10);
    Image after = before;
    paint(after, {9, 9, 1, 1}, channel);
    const DiffResult result = diff(before, after);
    CHECK_FALSE(result.identical);
    CHECK(result.changed_pixels == 1);
    CHECK(result.changed_ratio == Approx(0.01));
    REQUIRE(result.regions.size() == 1);
    CHECK(is(result.regions[0], 9, 9, 1, 1));
  }
}

TEST_CASE("regions are tight boxes, one per separate change, largest first", "[diff]") {
  const Image before = black(400, 300);
  Image after = before;
  paint(after, {5, 5, 3, 2});
  paint(after, {200, 100, 100, 50});
  paint(after, {399, 299, 1, 1});
  const DiffResult result = diff(before, after);
  CHECK(result.changed_pixels == 6 + 5000 + 1);
  REQUIRE(result.regions.size() == 3);
  CHECK(is(result.regions[0], 200, 100, 100, 50));
  CHECK(is(result.regions[1], 5, 5, 3, 2));
  CHECK(is(result.regions[2], 399, 299, 1, 1));
}

TEST_CASE("changes in neighbouring tiles are one region, also by a corner", "[diff]") {
  const Image before = black(200, 200);
  Image corner = before;
  paint(corner, {31, 31, 1, 1});
  paint(corner, {32, 32, 1, 1});
  REQUIRE(diff(before, corner).regions.size() == 1);
  CHECK(is(diff(before, corner).regions[0], 31, 31, 2, 2));
  Image other_corner = before;
  paint(other_corner, {32, 31, 1, 1});
  paint(other_corner, {31, 32, 1, 1});
  CHECK(diff(before, other_corner).regions.size() == 1);
  Image letter_u = before;  // Found at its left tip, and followed up the right arm again.
  paint(letter_u, {10, 10, 1, 80});
  paint(letter_u, {10, 90, 60, 1});
  paint(letter_u, {70, 10, 1, 81});
  REQUIRE(diff(before, letter_u).regions.size() == 1);
  CHECK(is(diff(before, letter_u).regions[0], 10, 10, 61, 81));
  Image apart = before;
  paint(apart, {31, 31, 1, 1});
  paint(apart, {64, 64, 1, 1});
  CHECK(diff(before, apart).regions.size() == 2);
  // Rows of one tile that changed in different columns.
  Image slope = before;
  paint(slope, {20, 3, 1, 1});
  paint(slope, {2, 9, 1, 1});
  REQUIRE(diff(before, slope).regions.size() == 1);
  CHECK(is(diff(before, slope).regions[0], 2, 3, 19, 7));
}

TEST_CASE("at most 64 regions are named, but every pixel is counted", "[diff]") {
  const Image before = black(1280, 1280);
  Image after = before;
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 20; ++x) paint(after, {x * 64, y * 64, 1, 1});
  }
  paint(after, {1216, 1216, 20, 20});
  const DiffResult result = diff(before, after);
  CHECK(result.changed_pixels == 399 + 400);
  REQUIRE(result.regions.size() == 64);
  CHECK(is(result.regions[0], 1216, 1216, 20, 20));
}

TEST_CASE("images of different size are refused, naming both", "[diff]") {
  const auto result = diff_images(black(800, 600), black(801, 600));
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == qa::ErrorKind::image_size);
  CHECK(result.error().message.find("800x600") != std::string::npos);
  CHECK(result.error().message.find("801x600") != std::string::npos);
  CHECK_FALSE(diff_images(black(2, 3), black(3, 2)));
  CHECK_FALSE(diff_images(black(0, 0), black(1, 1)));
}

namespace {

Image scatter(int width, int height, int channels, unsigned seed, int spread) {
  std::mt19937 random(seed);
  Image image(width, height, channels);
  for (auto& byte : image.pixels)
    byte =
        static_cast<std::uint8_t>(128 + static_cast<int>(random() % (2U * static_cast<unsigned>(spread) + 1)) - spread);
  return image;
}

DiffResult diff_with(const Image& a, const Image& b, const qa::DiffOptions& options) {
  const auto result = diff_images(a, b, options);
  REQUIRE(result);
  return *result;
}

/// What this machine can compute with besides plain code.
std::vector<qa::Vectors> machine_vectors() {
  std::vector<qa::Vectors> all;
  for (const qa::Vectors each : {qa::Vectors::avx2, qa::Vectors::avx512}) {
    if (each <= qa::widest_vectors()) all.push_back(each);
  }
  return all;
}

}  // namespace

TEST_CASE("vector and plain code find the same pixels", "[diff]") {
  for (const int channels : {3, 4}) {
    for (const int width : {1, 3, 8, 31, 32, 33, 63, 130}) {
      for (const int spread : {4, 16, 40, 127}) {
        const Image a = scatter(width, 50, channels, 1, spread);
        Image b = scatter(width, 50, channels, 2, spread);
        if (channels == 4) {
          for (std::size_t i = 3; i < b.pixels.size(); i += 8) b.pixels[i] = 255;
        }
        for (const qa::Metric metric : {qa::Metric::exact, qa::Metric::yiq}) {
          for (const double threshold : {0.0, 0.02, 0.1, 0.5, 1.0}) {
            INFO(width << " wide, " << channels << " channels, spread " << spread << ", threshold " << threshold);
            qa::DiffOptions options;
            options.metric = metric;
            options.threshold = threshold;
            options.highlight = true;
            options.vectors = qa::Vectors::none;
            const auto plain = diff_with(a, b, options);
            for (const qa::Vectors vectors : machine_vectors()) {
              options.vectors = vectors;
              const auto found = diff_with(a, b, options);
              CHECK(found.changed_pixels == plain.changed_pixels);
              const qa::Pixels &red = found.highlight->pixels, &plain_red = plain.highlight->pixels;
              CHECK(std::equal(red.data(), red.data() + red.size(), plain_red.data()));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("YIQ counts what is seen: its limits lie where the formula puts them", "[diff]") {
  Image black_one = black(1, 1), other = black(1, 1);
  black_one.pixels[3] = other.pixels[3] = 255;
  qa::DiffOptions options;
  options.metric = qa::Metric::yiq;
  // 0.5053 * (26 grey steps)^2 = 341.6 lies below 35215 * 0.1^2 = 352.15, that of 27 above.
  for (const auto& [grey, changed] : {std::pair{26, 0}, {27, 1}}) {
    std::fill_n(other.pixels.begin(), 3, static_cast<std::uint8_t>(grey));
    CHECK(diff_with(black_one, other, options).changed_pixels == changed);
  }
  options.threshold = 0;
  std::fill_n(other.pixels.begin(), 3, std::uint8_t{1});
  CHECK(diff_with(black_one, other, options).changed_pixels == 1);
}

TEST_CASE("close to its limit the YIQ metric counts as the formula does", "[diff]") {
  std::mt19937 random(11);
  const int channels = GENERATE(3, 4);
  int wrong = 0;
  for (int i = 0; i < 100000; ++i) {
    // One pixel of each, and room for what a kernel may read.
    std::array<std::uint8_t, 128> a{}, b{};
    for (std::size_t channel = 0; channel < 4; ++channel) {
      a[channel] = channel == 3 ? 255 : static_cast<std::uint8_t>(random());
      b[channel] = channel == 3 ? 255 : static_cast<std::uint8_t>(random());
    }
    const double difference = qa::yiq_difference(a.data(), b.data(), channels, 0);
    for (const double off : {-0.006, -0.004, -1e-9, 1e-9, 0.004, 0.006}) {
      const qa::YiqLimit limit(std::sqrt(difference / 35215 * (1 + off)));
      for (const qa::Vectors vectors : machine_vectors()) {
        std::uint32_t mask = 0;
        const int count = qa::row_kernel(qa::Metric::yiq, channels, vectors)(a.data(), b.data(), 1, 0, limit, &mask);
        wrong += (count != 0) != (difference > limit.value) || (mask == 1) != (count == 1);
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("ignored parts do not count, whole or in part", "[diff]") {
  const Image before = black(100, 10);
  Image after = before;
  paint(after, {20, 2, 60, 3});
  qa::DiffOptions options;
  options.ignore = {{-5, -5, 35, 100}, {70, 3, 1000, 1}};
  CHECK(diff_with(before, after, options).changed_pixels == 50 * 3 - 10);
  options.ignore = {{0, 0, 100, 10}};
  CHECK(diff_with(before, after, options).identical);
}

TEST_CASE("a shifted anti-aliased edge is left out, a new shape is not", "[diff]") {
  Image before = black(40, 40);
  for (std::size_t i = 3; i < before.pixels.size(); i += 4) before.pixels[i] = 255;
  Image after = before;
  for (int y = 0; y < 40; ++y) {
    for (int x = 20; x < 40; ++x) {
      std::fill_n(before.row(y) + x * 4, 3, std::uint8_t{255});
      std::fill_n(after.row(y) + x * 4, 3, std::uint8_t{255});
    }
    std::fill_n(after.row(y) + 20 * 4, 3, static_cast<std::uint8_t>(60 + y * 3));
  }
  qa::DiffOptions options;
  options.metric = qa::Metric::yiq;
  const auto all = diff_with(before, after, options).changed_pixels;
  options.antialias = true;
  const auto some = diff_with(before, after, options).changed_pixels;
  CHECK(all >= 38);
  CHECK(some < all / 2);
  paint(after, {5, 5, 8, 8}, 0);
  for (int y = 5; y < 13; ++y) std::fill_n(after.row(y) + 5 * 4, 8 * 4, std::uint8_t{255});
  CHECK(diff_with(before, after, options).changed_pixels >= some + 60);
}

TEST_CASE("the highlight picture shows what differs in red", "[diff]") {
  const Image before = black(64, 4);
  Image after = before;
  paint(after, {40, 2, 2, 1});
  qa::DiffOptions options;
  options.highlight = true;
  const auto result = diff_with(before, after, options);
  REQUIRE(result.highlight);
  const std::uint8_t* row = result.highlight->row(2);
  CHECK((row[40 * 3] == 255 && row[40 * 3 + 1] == 0 && row[41 * 3] == 255 && row[41 * 3 + 2] == 0));
  CHECK((row[39 * 3] == row[39 * 3 + 1] && row[39 * 3] > 200));
}

TEST_CASE("a picture with alpha compares with one without", "[diff]") {
  const Image plain = scatter(33, 5, 3, 4, 60);
  Image with_alpha(33, 5, 4);
  for (std::size_t i = 0, o = 0; i < plain.pixels.size(); i += 3, o += 4) {
    std::memcpy(&with_alpha.pixels[o], &plain.pixels[i], 3);
    with_alpha.pixels[o + 3] = 255;
  }
  CHECK(diff_images(plain, with_alpha)->identical);
  with_alpha.pixels[7] = 254;
  CHECK(diff_images(with_alpha, plain)->changed_pixels == 1);
}

TEST_CASE("two PNGs are compared a band at a time as their pictures are", "[diff]") {
  const int channels = GENERATE(3, 4);
  // One band, several with a rest, and rows that are larger than a band.
  const qa::Size size = GENERATE(qa::Size{33, 5}, qa::Size{700, 301}, qa::Size{16384, 3});
  // Each row is packed as what it adds to the one above.
  Image before = scatter(size.width, size.height, channels, 7, 200);
  for (std::size_t i = before.row_bytes(); i < before.pixels.size(); ++i)
    before.pixels[i] = static_cast<std::uint8_t>(before.pixels[i - before.row_bytes()] + 1);
  Image after = before;
  const auto change = [&](int x, int y) { after.row(y)[x * channels] ^= 0x80; };
  for (int y = 0; y < size.height; ++y) change((y * 37) % size.width, y);
  change(size.width - 1, size.height - 1);
  qa::DiffOptions options;
  options.metric = GENERATE(qa::Metric::exact, qa::Metric::yiq);
  options.ignore = {{0, 1, 20, 1}};
  const auto whole = diff_images(before, after, options);
  const auto banded = qa::diff_plain_pngs(qa::encode_png(before), qa::encode_png(after), size, options);
  REQUIRE((whole && banded));
  CHECK_FALSE(banded->identical);
  CHECK(banded->changed_pixels == whole->changed_pixels);
  CHECK(banded->changed_ratio == whole->changed_ratio);
  REQUIRE(banded->regions.size() == whole->regions.size());
  for (std::size_t i = 0; i < whole->regions.size(); ++i) {
    const Rect& region = whole->regions[i];
    CHECK(is(banded->regions[i], region.x, region.y, region.width, region.height));
  }
  CHECK(qa::diff_plain_pngs(qa::encode_png(before), qa::encode_png(before), size, options)->identical);
}

TEST_CASE("what cannot be compared a band at a time is left to whole pictures", "[diff]") {
  const std::string plain = qa::encode_png(scatter(40, 30, 3, 1, 50)),
                    alpha = qa::encode_png(scatter(40, 30, 4, 1, 50));
  const qa::Size size{40, 30};
  REQUIRE(qa::diff_plain_pngs(plain, plain, size));
  CHECK_FALSE(qa::diff_plain_pngs(plain, alpha, size));
  CHECK_FALSE(qa::diff_plain_pngs(plain, plain.substr(0, plain.size() - 30), size));
  CHECK_FALSE(qa::diff_plain_pngs(plain.substr(0, plain.size() / 2), plain, size));
  CHECK_FALSE(qa::diff_plain_pngs("", plain, size));
  qa::DiffOptions options;
  options.antialias = true;
  CHECK_FALSE(qa::diff_plain_pngs(plain, plain, size, options));
  options = {};
  options.highlight = true;
  CHECK_FALSE(qa::diff_plain_pngs(plain, plain, size, options));
}
