#pragma once
// Image comparison: which pixels differ, how many, and where. Runs on the pool.

#include <optional>
#include <string_view>
#include <vector>

#include "host/image/diff_kernel.h"
#include "host/image/image.h"

namespace qa {

struct DiffOptions {
  Metric metric = Metric::exact;
  double threshold = 0.1;              ///< yiq: 0 (any difference) .. 1, as pixelmatch's and odiff's.
  bool antialias = false;              ///< yiq: leave out pixels that differ only by anti-aliasing.
  std::vector<Rect> ignore;            ///< Parts that do not count.
  bool highlight = false;              ///< Make the picture of what differs.
  Vectors vectors = widest_vectors();  ///< Narrower ones for tests.
};

struct DiffResult {
  bool identical = false;  ///< No pixel counts as different.
  std::int64_t changed_pixels = 0;
  double changed_ratio = 0;  ///< changed_pixels / all pixels.
  std::vector<Rect>
      regions;         ///< Boxes of changed areas, merged per 32x32 tile neighbourhood, largest first, at most 64.
  ImagePtr highlight;  ///< What differs in red over a pale grey `a`; null unless asked for.
};

/// The same of the bytes of two PNGs that both have this size, without ever holding a whole picture: fresh memory costs
/// more than comparing. Nothing when that cannot be done: they are of another kind or broken, or options ask for what
/// needs the whole (antialias, highlight). decode_image and diff_images then do it, or say why not.
std::optional<DiffResult> diff_plain_pngs(std::string_view a, std::string_view b, Size size,
                                          const DiffOptions& options = {});

/// Compares two images of equal size. Different sizes: error image_size naming both.
Result<DiffResult> diff_images(const Image& a, const Image& b, const DiffOptions& options = {});

}  // namespace qa
