#include "host/image/marks.h"

#include <catch2/catch.hpp>
#include <cstring>

using qa::Image;
using qa::ImagePtr;
using qa::Mark;
using qa::Rect;

namespace {

constexpr int kGrey = 120;

Image grey(int width, int height, int channels = 3) {
  Image image(width, height, channels);
  std::memset(image.pixels.data(), kGrey, image.pixels.size());
  return image;
}

bool is_grey(const Image& image, int x, int y) {
  const std::uint8_t* pixel = image.row(y) + x * image.channels;
  return pixel[0] == kGrey && pixel[1] == kGrey && pixel[2] == kGrey;
}

bool is_white(const Image& image, int x, int y) {
  const std::uint8_t* pixel = image.row(y) + x * image.channels;
  return pixel[0] == 255 && pixel[1] == 255 && pixel[2] == 255;
}

bool is_untouched(const Image& image, const Rect& part) {
  for (int y = part.y; y < part.y + part.height; ++y) {
    for (int x = part.x; x < part.x + part.width; ++x) {
      if (!is_grey(image, x, y)) return false;
    }
  }
  return true;
}

/// The rows of a part, white points as '#'.
std::string white_points(const Image& image, const Rect& part, int step) {
  std::string text;
  for (int y = part.y; y < part.y + part.height; y += step) {
    for (int x = part.x; x < part.x + part.width; x += step) text += is_white(image, x, y) ? '#' : '.';
    text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("a mark is a frame around its box and its number above", "[marks]") {
  const Image image = grey(200, 120);
  const Rect box{60, 50, 40, 20};
  const ImagePtr marked = qa::draw_marks(image, {{box, 7}});
  CHECK(is_untouched(*marked, box));
  for (const int x : {box.x - 1, box.x - 2, box.x + box.width, box.x + box.width + 1}) {
    CHECK_FALSE(is_grey(*marked, x, 60));
    CHECK_FALSE(is_white(*marked, x, 60));
  }
  CHECK(is_white(*marked, box.x - 3, 60));  // The outline, for grounds of the frame's colour.
  CHECK(is_untouched(*marked, {0, 80, 200, 40}));
  CHECK(is_untouched(image, {0, 0, 200, 120}));
  // The tag ends at the frame's outline: a point of a digit has two pixels, and there is one around it.
  const int left = box.x - 3 + 1 + 2, top = box.y - 3 - (9 * 2 + 2) + 1 + 1 + 2;
  CHECK(white_points(*marked, {left, top, 10, 14}, 2) == "#####\n....#\n...#.\n..#..\n.#...\n.#...\n.#...\n");
}

TEST_CASE("digits have the height that was asked for, or more", "[marks]") {
  const Image image = grey(300, 200);
  const auto rows_touched = [&](int digit_height) {
    const ImagePtr marked = qa::draw_marks(image, {{{150, 150, 40, 40}, 1}}, digit_height);
    int rows = 0;
    for (int y = 0; y < 146; ++y) rows += is_untouched(*marked, {0, y, 300, 1}) ? 0 : 1;
    return rows;
  };
  CHECK(rows_touched(14) >= 14);
  CHECK(rows_touched(15) >= 21);
  CHECK(rows_touched(7) < rows_touched(14));
}

TEST_CASE("numbers lie beside what is marked, not on it", "[marks]") {
  // Rows of buttons with just enough room between them, in a panel that is marked, too.
  std::vector<Mark> marks = {{{20, 20, 360, 260}, 99}};
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column)
      marks.push_back({{40 + 85 * column, 60 + 55 * row, 60, 24}, row * 4 + column});
  }
  const ImagePtr marked = qa::draw_marks(grey(400, 300), marks);
  for (std::size_t i = 1; i < marks.size(); ++i) {
    INFO(i);
    CHECK(is_untouched(*marked, marks[i].box));
  }
}

TEST_CASE("numbers do not lie on each other", "[marks]") {
  const Mark first{{100, 50, 8, 8}, 1}, second{{114, 50, 8, 8}, 2};
  const ImagePtr alone = qa::draw_marks(grey(200, 120), {first});
  const ImagePtr both = qa::draw_marks(grey(200, 120), {first, second});
  const Rect number{97, 28, 16, 18};
  CHECK_FALSE(is_untouched(*alone, number));
  for (int y = number.y; y < number.y + number.height; ++y) {
    INFO(y);
    CHECK(std::memcmp(alone->row(y) + number.x * 3, both->row(y) + number.x * 3, 16 * 3) == 0);
  }
}

TEST_CASE("where there is no room the number lies in the corner of its box", "[marks]") {
  const ImagePtr marked = qa::draw_marks(grey(100, 80), {{{0, 0, 100, 80}, 3}});
  CHECK_FALSE(is_grey(*marked, 2, 2));
  CHECK(is_untouched(*marked, {50, 40, 40, 30}));
}

TEST_CASE("boxes outside of the picture are left out, and those at its edge are cut", "[marks]") {
  const Image image = grey(100, 80);
  CHECK(is_untouched(*qa::draw_marks(image, {{{100, 10, 20, 20}, 1}, {{-50, 10, 50, 20}, 2}, {{10, 80, 5, 5}, 3}}),
                     {0, 0, 100, 80}));
  for (const Rect& box : {Rect{-1000, -1000, 5000, 5000}, {90, 70, 500, 500}, {-5, 30, 10, 10}, {50, 40, 0, 0}}) {
    const ImagePtr marked = qa::draw_marks(image, {{box, 9999}});
    CHECK(marked->width == 100);
    CHECK_FALSE(is_untouched(*marked, {0, 0, 100, 80}));
  }
}

TEST_CASE("marks are opaque, and what is transparent stays so", "[marks]") {
  const ImagePtr marked = qa::draw_marks(grey(100, 80, 4), {{{40, 40, 20, 20}, 5}});
  CHECK(marked->row(50)[38 * 4 + 3] == 255);
  CHECK(marked->row(50)[50 * 4 + 3] == kGrey);
}
