#include "host/image/marks.h"

#include <algorithm>
#include <array>
#include <string>

namespace qa {
namespace {

struct Colour {
  std::uint8_t red, green, blue;
};

/// All dark enough for white digits; neighbours in the list differ in hue.
constexpr std::array<Colour, 6> kColours = {
    {{200, 0, 0}, {0, 70, 200}, {0, 110, 40}, {150, 0, 150}, {150, 80, 0}, {0, 100, 120}}};
constexpr Colour kWhite = {255, 255, 255};

constexpr int kColumns = 5, kRows = 7;
/// Digits of 5 x 7 points, a row in five bits, the left point in the highest.
constexpr std::uint8_t kDigits[10][kRows] = {
    {14, 17, 19, 21, 25, 17, 14}, {4, 12, 4, 4, 4, 4, 14},    {14, 17, 1, 2, 4, 8, 31},   {31, 2, 4, 2, 1, 17, 14},
    {2, 6, 10, 18, 31, 2, 2},     {31, 16, 30, 1, 1, 17, 14}, {6, 8, 16, 30, 17, 17, 14}, {31, 1, 2, 4, 8, 8, 8},
    {14, 17, 17, 14, 17, 17, 14}, {14, 17, 17, 15, 1, 2, 12},
};

/// White around the colour, so that a frame is seen on any ground.
constexpr int kFrame = 2, kOutline = 1;

Rect grown(const Rect& box, int by) { return {box.x - by, box.y - by, box.width + 2 * by, box.height + 2 * by}; }

bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

bool contains(const Rect& outer, const Rect& inner) {
  return inner.x >= outer.x && inner.y >= outer.y && inner.x + inner.width <= outer.x + outer.width &&
         inner.y + inner.height <= outer.y + outer.height;
}

void fill(Image& image, const Rect& part, Colour colour) {
  const int left = std::max(part.x, 0), right = std::min(part.x + part.width, image.width);
  const int top = std::max(part.y, 0), bottom = std::min(part.y + part.height, image.height);
  for (int y = top; y < bottom; ++y) {
    std::uint8_t* to = image.row(y) + left * image.channels;
    for (int x = left; x < right; ++x, to += image.channels) {
      to[0] = colour.red;
      to[1] = colour.green;
      to[2] = colour.blue;
      if (image.channels == 4) to[3] = 255;
    }
  }
}

/// The ring of `width` pixels around a box.
void ring(Image& image, const Rect& box, int width, Colour colour) {
  const Rect out = grown(box, width);
  fill(image, {out.x, out.y, out.width, width}, colour);
  fill(image, {out.x, box.y + box.height, out.width, width}, colour);
  fill(image, {out.x, box.y, width, box.height}, colour);
  fill(image, {box.x + box.width, box.y, width, box.height}, colour);
}

void draw_label(Image& image, const Rect& tag, const std::string& digits, int scale, Colour colour) {
  fill(image, tag, kWhite);
  fill(image, grown(tag, -kOutline), colour);
  int left = tag.x + kOutline + scale;
  for (const char digit : digits) {
    for (int row = 0; row < kRows; ++row) {
      for (int column = 0; column < kColumns; ++column) {
        if ((kDigits[digit - '0'][row] >> (kColumns - 1 - column) & 1) == 0) continue;
        fill(image, {left + column * scale, tag.y + kOutline + scale + row * scale, scale, scale}, kWhite);
      }
    }
    left += (kColumns + 1) * scale;
  }
}

/// Where a tag of this size goes: outside the frame where nothing that is `taken` lies, else in the corner of the box.
Rect place(Rect tag, const Rect& box, const Image& image, const std::vector<Rect>& taken) {
  const Rect frame = grown(box, kFrame + kOutline);
  const int right = frame.x + frame.width, bottom = frame.y + frame.height;
  const int above = frame.y - tag.height + kOutline, beside = frame.x - tag.width + kOutline;
  const std::array<std::pair<int, int>, 6> corners = {{{frame.x, above},
                                                       {right - tag.width, above},
                                                       {frame.x, bottom - kOutline},
                                                       {right - tag.width, bottom - kOutline},
                                                       {beside, frame.y},
                                                       {right - kOutline, frame.y}}};
  for (const auto& [x, y] : corners) {
    tag.x = x;
    tag.y = y;
    // What the box lies in is covered anyway.
    const auto covers = [&](const Rect& other) { return overlap(tag, other) && !contains(other, box); };
    if (contains({0, 0, image.width, image.height}, tag) && std::none_of(taken.begin(), taken.end(), covers))
      return tag;
  }
  tag.x = std::clamp(frame.x, 0, std::max(0, image.width - tag.width));
  tag.y = std::clamp(frame.y, 0, std::max(0, image.height - tag.height));
  return tag;
}

}  // namespace

ImagePtr draw_marks(const Image& image, const std::vector<Mark>& marks, int digit_height) {
  auto out = std::make_shared<Image>(image);
  const int scale = std::max(1, (digit_height + kRows - 1) / kRows);
  std::vector<Rect> taken;  // What must not be covered.
  const auto is_seen = [&](const Mark& mark) { return overlap(mark.box, {0, 0, image.width, image.height}); };
  for (const Mark& mark : marks) {
    if (is_seen(mark)) taken.push_back(mark.box);
  }
  for (const Mark& mark : marks) {
    if (!is_seen(mark)) continue;
    const Colour colour = kColours[static_cast<std::size_t>(mark.label) % kColours.size()];
    const std::string digits = std::to_string(mark.label);
    const int count = static_cast<int>(digits.size());
    const Rect size = {0, 0, (count * (kColumns + 1) + 1) * scale + 2 * kOutline, (kRows + 2) * scale + 2 * kOutline};
    const Rect tag = place(size, mark.box, *out, taken);
    ring(*out, grown(mark.box, kFrame), kOutline, kWhite);
    ring(*out, mark.box, kFrame, colour);
    draw_label(*out, tag, digits, scale, colour);
    taken.push_back(tag);
  }
  return out;
}

}  // namespace qa
