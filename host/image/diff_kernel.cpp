#include "host/image/diff_kernel.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#if defined(__x86_64__)
// GCC 12 takes what its own functions leave open for a mistake (GCC bug 105593).
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
// Its C++ is not clang's.
#if __has_include(<sys/platform/x86.h>) && !defined(__clang__)
#include <sys/platform/x86.h>
#endif
#endif

namespace qa {
namespace {

// RGB to YIQ (NTSC), and the weights of the squared differences.
constexpr double kY[3] = {0.29889531, 0.58662247, 0.11448223};
constexpr double kI[3] = {0.59597799, -0.27417610, -0.32180189};
constexpr double kQ[3] = {0.21147017, -0.52261711, 0.31114694};
/// Of two colours: black and white.
constexpr double kLargestDifference = 35215;
constexpr double kWeightY = 0.5053, kWeightI = 0.299, kWeightQ = 0.1957;

// The squared difference is a quadratic form of the changes of red, green and blue. As three squares of two channels
// each, (88 r + 11 g)^2 + (-27 r + 53 b)^2 + (114 g + 13 b)^2, it needs bytes and 16 bits only, and holds kSquareScale
// times the difference, but for a share of kSquareError at most (the extreme eigenvalues of the one form in terms of
// the other). What comes that near the limit is computed again in full precision. At most 2.11e9, less than 2^31.
constexpr double kSquareScale = 52701.75, kSquareError = 0.0048;

/// Pixels of one call of a block function at most: a bit of the answer each.
constexpr int kBlock = 32;
using Block = std::uint32_t (*)(const std::uint8_t* a, const std::uint8_t* b, int count, std::int64_t index,
                                const YiqLimit& limit);

/// A row, block by block.
template <Block block, int channels>
inline int each_block(const std::uint8_t* a, const std::uint8_t* b, int width, std::int64_t index,
                      const YiqLimit& limit, std::uint32_t* masks) {
  int differing = 0;
  for (int x = 0; x < width; x += kBlock, ++masks) {
    *masks = block(a + x * channels, b + x * channels, std::min(kBlock, width - x), index + x, limit);
    differing += __builtin_popcount(*masks);
  }
  return differing;
}

struct Change {
  double red = 0, green = 0, blue = 0;
  bool none = false;
};

/// How the colour changes from a to b, once transparent pixels lie over a background that depends on the position.
Change change_of(const std::uint8_t* a, const std::uint8_t* b, int channels, std::int64_t index) {
  const double alpha_a = channels == 4 ? a[3] : 255, alpha_b = channels == 4 ? b[3] : 255;
  if (std::memcmp(a, b, static_cast<std::size_t>(channels)) == 0) return {0, 0, 0, true};
  if (alpha_a == 255 && alpha_b == 255) {
    return {static_cast<double>(a[0]) - b[0], static_cast<double>(a[1]) - b[1], static_cast<double>(a[2]) - b[2]};
  }
  // The pattern of pixelmatch, whose counts are to be met: its position is the byte in an RGBA picture.
  const double at = static_cast<double>(index) * 4;
  const auto shade = [](double step) {
    return 48.0 + 159.0 * static_cast<double>(static_cast<std::int64_t>(step) % 2);
  };
  const double golden = 1.618033988749895;
  const auto blend = [&](int channel, double background) {
    return (a[channel] * alpha_a - b[channel] * alpha_b - background * (alpha_a - alpha_b)) / 255;
  };
  return {blend(0, shade(at)), blend(1, shade(at / golden)), blend(2, shade(at / (golden + 1)))};
}

double weigh(const Change& change, const double (&by)[3]) {
  return change.red * by[0] + change.green * by[1] + change.blue * by[2];
}

template <int channels>
std::uint32_t exact_plain(const std::uint8_t* a, const std::uint8_t* b, int count, std::int64_t, const YiqLimit&) {
  std::uint32_t mask = 0;
  for (int i = 0; i < count; ++i) {
    const bool differs = std::memcmp(a + i * channels, b + i * channels, channels) != 0;
    mask |= static_cast<std::uint32_t>(differs) << i;
  }
  return mask;
}

template <int channels>
std::uint32_t yiq_plain(const std::uint8_t* a, const std::uint8_t* b, int count, std::int64_t index,
                        const YiqLimit& limit) {
  std::uint32_t mask = 0;
  for (int i = 0; i < count; ++i) {
    const bool differs = yiq_difference(a + i * channels, b + i * channels, channels, index + i) > limit.value;
    mask |= static_cast<std::uint32_t>(differs) << i;
  }
  return mask;
}

#if defined(__x86_64__)
/// The weights of the squares for four bytes each, see kSquareScale: red green red blue, and green blue.
constexpr int kRedWeights = 88 | 11 << 8 | (-27 & 255) << 16 | 53 << 24, kGreenWeights = 114 | 13 << 8;

/// `mask` with the pixels of `unsure` computed again in full precision.
template <int channels>
__attribute__((noinline)) std::uint32_t decided(std::uint32_t mask, std::uint32_t unsure, const std::uint8_t* a,
                                                const std::uint8_t* b, std::int64_t index, const YiqLimit& limit) {
  for (; unsure != 0; unsure &= unsure - 1) {
    const int i = __builtin_ctz(unsure);
    const bool differs = yiq_difference(a + i * channels, b + i * channels, channels, index + i) > limit.value;
    mask = (mask & ~(1U << i)) | static_cast<std::uint32_t>(differs) << i;
  }
  return mask;
}

/// The first `count` bits.
inline std::uint32_t first_bits(int count) { return count == kBlock ? ~0U : (1U << count) - 1; }

#define QA_AVX2 __attribute__((target("avx2,popcnt")))

constexpr int kLanes = 8;

/// Eight pixels as they lie in memory, four in each half.
template <int channels>
QA_AVX2 inline __m256i load_pixels(const std::uint8_t* at) {
  if constexpr (channels == 4) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 12));
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/// The order of bytes that gives four channels of each pixel, in a 32-bit lane; -1 for a channel below 0. `part` bytes
/// are ordered by themselves.
template <std::size_t size, std::size_t part, int channels, int... wanted>
constexpr std::array<char, size> order_of() {
  std::array<char, size> order{};
  const int list[4] = {wanted...};
  for (std::size_t i = 0; i < size; ++i) {
    const int pixel = static_cast<int>(i % part / 4), channel = list[i % 4];
    order[i] = static_cast<char>(channel < 0 ? -1 : pixel * channels + channel);
  }
  return order;
}

/// 0 for a channel below 0.
template <int channels, int... wanted>
QA_AVX2 inline __m256i pick(__m256i pixels) {
  alignas(32) static constexpr std::array<char, 32> kOrder = order_of<32, 16, channels, wanted...>();
  return _mm256_shuffle_epi8(pixels, _mm256_load_si256(reinterpret_cast<const __m256i*>(kOrder.data())));
}

template <int channels>
QA_AVX2 inline bool are_equal(const std::uint8_t* a, const std::uint8_t* b) {
  __m256i any = _mm256_setzero_si256();
  for (int i = 0; i < kBlock * channels; i += 32) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i));
    const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + i));
    any = _mm256_or_si256(any, _mm256_xor_si256(x, y));
  }
  return _mm256_testz_si256(any, any) != 0;
}

QA_AVX2 inline std::uint32_t lane_bits(__m256i lanes) {
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(lanes)));
}

/// The weighted sums of two channels of x less those of y, two to a 32-bit lane, and the sum of their squares.
QA_AVX2 inline __m256i sum_of_squares(__m256i x, __m256i y, __m256i weights) {
  const __m256i change = _mm256_sub_epi16(_mm256_maddubs_epi16(x, weights), _mm256_maddubs_epi16(y, weights));
  return _mm256_madd_epi16(change, change);
}

template <int channels>
QA_AVX2 inline __m256i squared_difference(__m256i x, __m256i y) {
  const __m256i of_red = _mm256_set1_epi32(kRedWeights), of_green = _mm256_set1_epi32(kGreenWeights);
  return _mm256_add_epi32(sum_of_squares(pick<channels, 0, 1, 0, 2>(x), pick<channels, 0, 1, 0, 2>(y), of_red),
                          sum_of_squares(pick<channels, 1, 2, -1, -1>(x), pick<channels, 1, 2, -1, -1>(y), of_green));
}

template <int channels>
QA_AVX2 std::uint32_t exact_avx2(const std::uint8_t* a, const std::uint8_t* b, int count, std::int64_t,
                                 const YiqLimit&) {
  constexpr int kAlpha = channels == 4 ? 3 : -1;
  if (count == kBlock && are_equal<channels>(a, b)) return 0;
  std::uint32_t mask = 0;
  for (int i = 0; i < count; i += kLanes) {
    const __m256i changed =
        _mm256_xor_si256(load_pixels<channels>(a + i * channels), load_pixels<channels>(b + i * channels));
    const __m256i same = _mm256_cmpeq_epi32(pick<channels, 0, 1, 2, kAlpha>(changed), _mm256_setzero_si256());
    mask |= (lane_bits(same) ^ 0xFFU) << i;
  }
  return mask & first_bits(count);
}

template <int channels>
QA_AVX2 std::uint32_t yiq_avx2(const std::uint8_t* a, const std::uint8_t* b, int count, std::int64_t index,
                               const YiqLimit& limit) {
  if (count == kBlock && are_equal<channels>(a, b)) return 0;
  const __m256i surely = _mm256_set1_epi32(limit.surely), hardly = _mm256_set1_epi32(limit.hardly);
  std::uint32_t mask = 0, unsure = 0;
  for (int i = 0; i < count; i += kLanes) {
    const __m256i x = load_pixels<channels>(a + i * channels), y = load_pixels<channels>(b + i * channels);
    const __m256i square = squared_difference<channels>(x, y);
    const std::uint32_t bits = lane_bits(_mm256_cmpgt_epi32(square, surely));
    std::uint32_t near = lane_bits(_mm256_cmpgt_epi32(square, hardly)) ^ bits;
    if constexpr (channels == 4) {
      const __m256i alpha = _mm256_srli_epi32(_mm256_and_si256(x, y), 24);
      near |= lane_bits(_mm256_cmpeq_epi32(alpha, _mm256_set1_epi32(255))) ^ 0xFFU;
    }
    mask |= bits << i;
    unsure |= near << i;
  }
  mask &= first_bits(count);
  unsure &= first_bits(count);
  return unsure == 0 ? mask : decided<channels>(mask, unsure, a, b, index, limit);
}

#define QA_AVX512 __attribute__((target("avx512bw,avx512vbmi,popcnt")))

constexpr int kWideLanes = 16;

/// As pick, of sixteen pixels that lie in a row; a channel below 0 is any: its weight is 0.
template <int channels, int... wanted>
QA_AVX512 inline __m512i pick_wide(__m512i pixels) {
  alignas(64) static constexpr std::array<char, 64> kOrder = order_of<64, 64, channels, wanted...>();
  return _mm512_permutexvar_epi8(_mm512_load_si512(kOrder.data()), pixels);
}

QA_AVX512 inline __m512i sum_of_squares_wide(__m512i x, __m512i y, __m512i weights) {
  const __m512i change = _mm512_sub_epi16(_mm512_maddubs_epi16(x, weights), _mm512_maddubs_epi16(y, weights));
  return _mm512_madd_epi16(change, change);
}

template <int channels>
QA_AVX512 std::uint32_t yiq_avx512(const std::uint8_t* a, const std::uint8_t* b, int count, std::int64_t index,
                                   const YiqLimit& limit) {
  const __m512i surely = _mm512_set1_epi32(limit.surely), hardly = _mm512_set1_epi32(limit.hardly);
  const __m512i red_weights = _mm512_set1_epi32(kRedWeights), green_weights = _mm512_set1_epi32(kGreenWeights);
  std::uint32_t mask = 0, unsure = 0;
  for (int i = 0; i < count; i += kWideLanes) {
    const __m512i x = _mm512_loadu_si512(a + i * channels), y = _mm512_loadu_si512(b + i * channels);
    if (_mm512_cmpneq_epi64_mask(x, y) == 0) continue;
    const __m512i square = _mm512_add_epi32(
        sum_of_squares_wide(pick_wide<channels, 0, 1, 0, 2>(x), pick_wide<channels, 0, 1, 0, 2>(y), red_weights),
        sum_of_squares_wide(pick_wide<channels, 1, 2, -1, -1>(x), pick_wide<channels, 1, 2, -1, -1>(y), green_weights));
    const std::uint32_t bits = _mm512_cmpgt_epi32_mask(square, surely);
    std::uint32_t near = _mm512_cmpgt_epi32_mask(square, hardly) ^ bits;
    if constexpr (channels == 4) {
      const __m512i alpha = _mm512_srli_epi32(_mm512_and_si512(x, y), 24);
      near |= _mm512_cmpneq_epi32_mask(alpha, _mm512_set1_epi32(255));
    }
    mask |= bits << i;
    unsure |= near << i;
  }
  mask &= first_bits(count);
  unsure &= first_bits(count);
  return unsure == 0 ? mask : decided<channels>(mask, unsure, a, b, index, limit);
}

// All that a row needs is compiled into it, for its vectors.
template <Block block, int channels>
QA_AVX2 __attribute__((flatten)) int row_avx2(const std::uint8_t* a, const std::uint8_t* b, int width,
                                              std::int64_t index, const YiqLimit& limit, std::uint32_t* masks) {
  return each_block<block, channels>(a, b, width, index, limit, masks);
}

template <Block block, int channels>
QA_AVX512 __attribute__((flatten)) int row_avx512(const std::uint8_t* a, const std::uint8_t* b, int width,
                                                  std::int64_t index, const YiqLimit& limit, std::uint32_t* masks) {
  return each_block<block, channels>(a, b, width, index, limit, masks);
}

// What the dynamic loader knows. GCC's own function asks the processor again at each start, which is slow in a guest.
#if defined(CPU_FEATURE_ACTIVE)
#define QA_HAS(feature, name) (CPU_FEATURE_ACTIVE(feature))
#else
#define QA_HAS(feature, name) (__builtin_cpu_supports(name) != 0)
#endif
#endif

}  // namespace

YiqLimit::YiqLimit(double threshold) : value(kLargestDifference * threshold * threshold) {
  const auto scaled = [this](double by) {
    return static_cast<int>(std::min(value * kSquareScale * by, static_cast<double>(std::numeric_limits<int>::max())));
  };
  surely = scaled(1 + kSquareError);
  hardly = scaled(1 - kSquareError);
}

double yiq_difference(const std::uint8_t* a, const std::uint8_t* b, int channels, std::int64_t index) {
  const Change change = change_of(a, b, channels, index);
  if (change.none) return 0;
  const double y = weigh(change, kY), i = weigh(change, kI), q = weigh(change, kQ);
  return kWeightY * y * y + kWeightI * i * i + kWeightQ * q * q;
}

double luma_difference(const std::uint8_t* a, const std::uint8_t* b, int channels, std::int64_t index) {
  return weigh(change_of(a, b, channels, index), kY);
}

Vectors widest_vectors() {
#if defined(__x86_64__)
  static const Vectors widest = QA_HAS(AVX512_VBMI, "avx512vbmi") ? Vectors::avx512
                                : QA_HAS(AVX2, "avx2")            ? Vectors::avx2
                                                                  : Vectors::none;
  return widest;
#else
  return Vectors::none;
#endif
}

RowKernel row_kernel(Metric metric, int channels, Vectors vectors) {
  const bool exact = metric == Metric::exact, rgb = channels == 3;
#if defined(__x86_64__)
  if (vectors == Vectors::avx512 && !exact) return rgb ? row_avx512<yiq_avx512<3>, 3> : row_avx512<yiq_avx512<4>, 4>;
  if (vectors != Vectors::none) {
    if (exact) return rgb ? row_avx2<exact_avx2<3>, 3> : row_avx2<exact_avx2<4>, 4>;
    return rgb ? row_avx2<yiq_avx2<3>, 3> : row_avx2<yiq_avx2<4>, 4>;
  }
#endif
  if (exact) return rgb ? each_block<exact_plain<3>, 3> : each_block<exact_plain<4>, 4>;
  return rgb ? each_block<yiq_plain<3>, 3> : each_block<yiq_plain<4>, 4>;
}

}  // namespace qa
