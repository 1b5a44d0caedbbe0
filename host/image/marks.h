#pragma once
// Marks: numbered boxes drawn on a picture ("set of marks"), so that a model names a number where it would have to
// guess pixels. Pure; runs on the pool. Frames lie around their boxes and numbers beside them, where there is room, so
// that what is marked stays visible.

#include <vector>

#include "host/image/image.h"

namespace qa {

struct Mark {
  Rect box;       ///< Pixels of the picture.
  int label = 1;  ///< 0 .. 9999.
};

constexpr int kDigitHeight = 14;

/// Copy of the picture with the marks; boxes outside of it are left out. Digits are at least `digit_height` pixels
/// high.
ImagePtr draw_marks(const Image& image, const std::vector<Mark>& marks, int digit_height = kDigitHeight);

}  // namespace qa
