#include "host/image/template_match.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using qa::ErrorKind;
using qa::find_template;
using qa::FindOptions;
using qa::Image;

namespace {

Image scenery(int width, int height) {
  std::mt19937 random(5);
  Image image(width, height, 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int channel = 0; channel < 3; ++channel) {
        const double wave =
            std::sin(x * 0.05 + channel) * 40 + std::cos(y * 0.08) * 40 + static_cast<double>(random() % 20);
        image.row(y)[x * 3 + channel] = static_cast<std::uint8_t>(110 + wave);
      }
    }
  }
  return image;
}

/// A bright disc with a dark cross on it, laid over the image with its corner at x, y.
void stamp(Image& image, int x, int y, int side) {
  const double middle = side / 2.0;
  for (int dy = 0; dy < side; ++dy) {
    for (int dx = 0; dx < side; ++dx) {
      const double ox = dx + 0.5 - middle, oy = dy + 0.5 - middle;
      if (std::hypot(ox, oy) > middle) continue;
      const bool cross = std::abs(ox) < side * 0.08 || std::abs(oy) < side * 0.08;
      std::uint8_t* at = image.row(y + dy) + (x + dx) * image.channels;
      at[0] = cross ? 30 : 240;
      at[1] = cross ? 60 : 200;
      at[2] = cross ? 20 : 40;
      if (image.channels == 4) at[3] = 255;
    }
  }
}

Image icon(int side) {
  Image image(side, side, 4);
  std::fill(image.pixels.begin(), image.pixels.end(), std::uint8_t{0});
  stamp(image, 0, 0, side);
  return image;
}

}  // namespace

TEST_CASE("a template is found where it is, to the pixel", "[template]") {
  Image image = scenery(400, 300);
  stamp(image, 213, 117, 40);
  const auto found = find_template(image, icon(40), {});
  REQUIRE(found);
  REQUIRE(found->size() == 1);
  CHECK((*found)[0].box.x == 213);
  CHECK((*found)[0].box.y == 117);
  CHECK((*found)[0].score > 0.99);
}

TEST_CASE("a template is found at another scale", "[template]") {
  for (const int side : {34, 46}) {
    Image image = scenery(400, 300);
    stamp(image, 90, 150, side);
    FindOptions options;
    options.smallest_scale = 0.8;
    options.largest_scale = 1.2;
    options.threshold = 0.85;
    const auto found = find_template(image, icon(40), options);
    REQUIRE(found);
    REQUIRE(found->size() == 1);
    CHECK(std::abs((*found)[0].box.x + (*found)[0].box.width / 2 - (90 + side / 2)) <= 2);
    CHECK(std::abs((*found)[0].scale - side / 40.0) < 0.05);
  }
}

TEST_CASE("all places are found, once each", "[template]") {
  Image image = scenery(500, 300);
  for (int i = 0; i < 5; ++i) stamp(image, 20 + i * 90, 30 + i * 45, 40);
  FindOptions options;
  options.all = true;
  const auto found = find_template(image, icon(40), options);
  REQUIRE(found);
  CHECK(found->size() == 5);
}

TEST_CASE("what is not there is not found", "[template]") {
  const auto found = find_template(scenery(400, 300), icon(40), {});
  REQUIRE(found);
  CHECK(found->empty());
}

TEST_CASE("templates that cannot be looked for are refused", "[template]") {
  const Image image = scenery(60, 50);
  CHECK(find_template(image, scenery(61, 10), {}).error().kind == ErrorKind::image_size);
  CHECK(find_template(image, scenery(3, 10), {}).error().kind == ErrorKind::image_size);
  Image clear(10, 10, 4);
  std::fill(clear.pixels.begin(), clear.pixels.end(), std::uint8_t{0});
  CHECK(find_template(image, clear, {}).error().kind == ErrorKind::image_size);
}

TEST_CASE("the best place is found where nearly every place is alike", "[template]") {
  Image image(800, 600, 3), pattern(5, 5, 3);
  std::fill(image.pixels.begin(), image.pixels.end(), std::uint8_t{120});
  std::fill(pattern.pixels.begin(), pattern.pixels.end(), std::uint8_t{100});
  const int top = GENERATE(10, 570);
  for (int y = top; y < top + 10; ++y) std::fill_n(image.row(y) + 700 * 3, 30, std::uint8_t{100});
  const auto found = find_template(image, pattern, {});
  REQUIRE(found);
  REQUIRE(found->size() == 1);
  CHECK((*found)[0].score == 1);
  CHECK((*found)[0].box.x >= 700);
  FindOptions all;
  all.all = true;
  const auto many = find_template(image, pattern, all);
  REQUIRE(many);
  CHECK(many->size() > 100);
  CHECK((*many)[0].score == 1);
}
