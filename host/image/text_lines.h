#pragma once
// Finding what may be lines of text in a mask: connected components of the size and shape of letters, side by side.
// Reading each line by itself, upright and at the height that the reader likes, is faster and surer than reading whole
// frames.

#include <cstdint>
#include <vector>

#include "host/image/image.h"

namespace qa {

/// 8-bit grey, row major without gaps: 0 is text, 255 is ground.
struct GreyPicture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> pixels;

  const std::uint8_t* row(int y) const {
    return pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
  }
};

struct TextLine {
  Rect box;           ///< Pixels of the mask.
  double letter = 0;  ///< Height of most of its letters.
  double slope = 0;   ///< Pixels down for one to the right; lines up to about 15 degrees are found.
  int letters = 0;    ///< Components.
};

/// Lines of letters 6 to 120 pixels high, the ones with most letters first, at most `most`.
std::vector<TextLine> find_text_lines(const GreyPicture& mask, std::size_t most);

/// The line cut out, made level, with letters `height` pixels high and a margin of ground.
struct LinePicture {
  GreyPicture picture;
  double scale = 1;       ///< Of the picture to the mask.
  int left = 0, top = 0;  ///< Where the picture's corner lies in the mask, before it was made level.
  double slope = 0;

  /// The middle of a box of the picture, in pixels of the mask.
  void locate(double x, double y, double& mask_x, double& mask_y) const;
};
LinePicture cut_line(const GreyPicture& mask, const TextLine& line, int height);

}  // namespace qa
