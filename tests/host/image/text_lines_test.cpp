#include "host/image/text_lines.h"

#include <catch2/catch.hpp>
#include <cmath>

using qa::cut_line;
using qa::find_text_lines;
using qa::GreyPicture;

namespace {

GreyPicture blank(int width, int height) {
  return {width, height,
          std::vector<std::uint8_t>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 255)};
}

void fill(GreyPicture& picture, int x, int y, int width, int height, std::uint8_t value = 0) {
  for (int row = y; row < y + height; ++row) {
    for (int column = x; column < x + width; ++column) {
      if (row < 0 || column < 0 || row >= picture.height || column >= picture.width) continue;
      picture.pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(picture.width) +
                     static_cast<std::size_t>(column)] = value;
    }
  }
}

/// A letter U of strokes: as high as told, two thirds as wide.
void letter(GreyPicture& picture, int x, int y, int height) {
  const int stroke = std::max(1, height / 6), width = height * 2 / 3;
  fill(picture, x, y, stroke, height);
  fill(picture, x + width - stroke, y, stroke, height);
  fill(picture, x, y + height - stroke, width, stroke);
}

void word(GreyPicture& picture, int x, int y, int height, int letters, double slope = 0) {
  for (int i = 0; i < letters; ++i) {
    letter(picture, x + i * height, y + static_cast<int>(std::lround(i * height * slope)), height);
  }
}

}  // namespace

TEST_CASE("letters side by side are one line, apart they are two", "[ocr]") {
  GreyPicture picture = blank(600, 200);
  word(picture, 40, 30, 24, 6);
  word(picture, 400, 32, 24, 4);
  word(picture, 40, 120, 30, 3);
  const auto lines = find_text_lines(picture, 10);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].letters == 6);
  CHECK(lines[0].box.x == 40);
  CHECK(lines[0].box.height == 24);
  CHECK(lines[0].letter == 24);
  CHECK(lines[0].slope == 0);
}

TEST_CASE("panels, frames, specks and pictures are no text", "[ocr]") {
  GreyPicture picture = blank(600, 400);
  fill(picture, 20, 20, 200, 60);
  fill(picture, 300, 20, 200, 2);
  fill(picture, 300, 20, 2, 150);
  for (int i = 0; i < 40; ++i) fill(picture, 20 + i * 7, 300, 3, 3);
  CHECK(find_text_lines(picture, 10).empty());
}

TEST_CASE("a tilted line is made level", "[ocr]") {
  GreyPicture picture = blank(600, 300);
  word(picture, 50, 150, 30, 12, -0.1);
  const auto lines = find_text_lines(picture, 10);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].slope == Approx(-0.1).margin(0.01));
  const auto cut = cut_line(picture, lines[0], 30);
  CHECK(cut.picture.height < 70);
  // The last letter's middle, from the level picture back to the mask.
  double x = 0, y = 0;
  cut.locate(cut.picture.width - 12 - 10, cut.picture.height / 2.0, x, y);
  CHECK(x == Approx(50 + 11 * 30 + 10).margin(4));
  CHECK(y == Approx(150 - 11 * 3 + 15).margin(4));
}

TEST_CASE("only so many lines are kept, those with most letters", "[ocr]") {
  GreyPicture picture = blank(900, 900);
  for (int i = 0; i < 20; ++i) word(picture, 20, 10 + i * 44, 20, 2 + i);
  const auto lines = find_text_lines(picture, 5);
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].letters == 21);
  CHECK(lines[4].letters == 17);
}

TEST_CASE("tens of thousands of letters are noise", "[ocr]") {
  GreyPicture picture = blank(1200, 1500);
  const auto words = [&](int rows) {
    for (int y = 0; y < rows; ++y) {
      for (int x = 0; x < 300; ++x) {
        if (x % 12 > 2) fill(picture, x * 4, y * 7, 2, 6);
      }
    }
  };
  words(100);
  CHECK(find_text_lines(picture, 10).size() == 10);
  picture = blank(1200, 1650);
  words(230);
  CHECK(find_text_lines(picture, 10).empty());
}

TEST_CASE("an empty mask and a full one have no lines", "[ocr]") {
  CHECK(find_text_lines(blank(50, 50), 10).empty());
  GreyPicture full = blank(50, 50);
  fill(full, 0, 0, 50, 50);
  CHECK(find_text_lines(full, 10).empty());
  CHECK(find_text_lines(blank(1, 1), 10).empty());
}

TEST_CASE("the frame of a button is no letter of its word", "[image]") {
  GreyPicture picture = blank(200, 60);
  word(picture, 40, 22, 10, 5);
  fill(picture, 34, 16, 60, 1);
  fill(picture, 34, 37, 60, 1);
  fill(picture, 34, 16, 1, 22);
  fill(picture, 93, 16, 1, 22);
  const auto lines = find_text_lines(picture, 40);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].letters == 5);
  CHECK(lines[0].box.x == 40);
  CHECK(lines[0].box.height == 10);
}
