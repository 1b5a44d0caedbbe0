#pragma once
// Finding a small picture inside a large one: zero-mean normalised cross-correlation (J. P. Lewis, "Fast Template
// Matching", 1995), on a shrunken picture first, then around the best places at full size. Runs on the pool.

#include <vector>

#include "host/image/image.h"

namespace qa {

struct FindOptions {
  double smallest_scale = 1, largest_scale = 1;  ///< Of the template, 0.1 .. 10.
  double threshold = 0.9;                        ///< Least score, 0 .. 1.
  bool all = false;                              ///< Every place, not only the best one; at most 200.
};

struct TemplateMatch {
  Rect box;  ///< Pixels of the image.
  double scale = 1;
  double score = 0;  ///< 1: the same up to brightness and contrast.
};

/// Places of the template in the image, best first; none is an empty list. Template pixels with alpha below 128 do not
/// count; a template without any other, larger than the image at every scale, or smaller than 4x4 pixels is an
/// image_size error.
Result<std::vector<TemplateMatch>> find_template(const Image& image, const Image& pattern, const FindOptions& options);

}  // namespace qa
