#pragma once
// Which pixels of a row differ: the inner loop of image comparison, in the widest vectors that the machine has (asked
// once, at run time), and in plain C++.

#include <cstdint>

namespace qa {

/// What counts as different.
enum class Metric {
  exact,  ///< Any channel differs.
  yiq,  ///< The perceived difference in YIQ space is above a limit (Y. Kotsarenko, F. Ramos, "Measuring perceived color
        ///< difference using YIQ NTSC transmission color space in mobile applications", 2010), as pixelmatch and odiff
        ///< count it.
};

/// Squared perceived difference of two RGB(A) pixels, 0..35215; transparent ones are blended over the position's
/// background. `index` is the pixel's position in its image, row major.
double yiq_difference(const std::uint8_t* a, const std::uint8_t* b, int channels, std::int64_t index);

/// The change in luma alone, signed: a minus b.
double luma_difference(const std::uint8_t* a, const std::uint8_t* b, int channels, std::int64_t index);

/// From which squared difference on a pixel counts.
struct YiqLimit {
  /// 0..1: the share of the largest difference, as pixelmatch's threshold.
  explicit YiqLimit(double threshold);

  double value = 0;
  /// In the whole numbers of the vectors: above the one, a pixel counts; up to the other, it does not.
  std::int32_t surely = 0, hardly = 0;
};

/// Which pixels of a row of `width` differ: bit i of masks[n] is pixel 32 n + i. Returns how many do. `index` is the
/// position of the first. May read Pixels::kPadding bytes past the last pixel.
using RowKernel = int (*)(const std::uint8_t* a, const std::uint8_t* b, int width, std::int64_t index,
                          const YiqLimit& limit, std::uint32_t* masks);

/// Which vectors a kernel uses: none is plain C++.
enum class Vectors { none, avx2, avx512 };

/// The widest that this machine has.
Vectors widest_vectors();

/// The kernel for images of 3 or 4 channels; `vectors` are no wider than the machine's.
RowKernel row_kernel(Metric metric, int channels, Vectors vectors = widest_vectors());

}  // namespace qa
