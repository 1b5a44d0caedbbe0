#include "host/image/diff.h"

#include <catch2/catch.hpp>

using qa::diff_exact;
using qa::DiffResult;
using qa::Image;
using qa::Rect;

namespace {

Image black(int width, int height) {
  return {width,
          height,
          std::vector<std::uint8_t>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4),
          {}};
}

void paint(Image& image, Rect part, std::size_t channel = 0) {
  for (int y = part.y; y < part.y + part.height; ++y) {
    for (int x = part.x; x < part.x + part.width; ++x) {
      image.rgba[static_cast<std::size_t>(y * image.width + x) * 4 + channel] = 1;
    }
  }
}

DiffResult diff(const Image& a, const Image& b) {
  const auto result = diff_exact(a, b);
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
  const auto result = diff_exact(black(800, 600), black(801, 600));
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == qa::ErrorKind::image_size);
  CHECK(result.error().message.find("800x600") != std::string::npos);
  CHECK(result.error().message.find("801x600") != std::string::npos);
  CHECK_FALSE(diff_exact(black(2, 3), black(3, 2)));
  CHECK_FALSE(diff_exact(black(0, 0), black(1, 1)));
}
