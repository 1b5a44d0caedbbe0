#pragma once
// Exact image comparison: which pixels differ, how many, and where.
// Runs on the pool. Pixels count as different when any of R, G, B, A differs.

#include <vector>

#include "host/image/image.h"

namespace qa {

struct DiffResult {
  bool identical = false;
  std::int64_t changed_pixels = 0;
  double changed_ratio = 0;  ///< changed_pixels / all pixels.
  std::vector<Rect>
      regions;  ///< Boxes of changed areas, merged per 32x32 tile neighbourhood, largest first, at most 64.
};

/// Compares two images of equal size. Different sizes: error image_size naming both.
Result<DiffResult> diff_exact(const Image& a, const Image& b);

}  // namespace qa
