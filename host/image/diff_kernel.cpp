#include "host/image/diff_kernel.h"

#include <cmath>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
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
constexpr double kWeightY = 0.5053, kWeightI = 0.299, kWeightQ = 0.1957;

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
std::uint32_t exact_plain(const std::uint8_t* a, const std::uint8_t* b, int count, std::int64_t, double) {
  std::uint32_t mask = 0;
  for (int i = 0; i < count; ++i) {
    const bool differs = std::memcmp(a + i * channels, b + i * channels, channels) != 0;
    mask |= static_cast<std::uint32_t>(differs) << i;
  }
  return mask;
}

template <int channels>
std::uint32_t yiq_plain(const std::uint8_t* a, const std::uint8_t* b, int count, std::int64_t index, double limit) {
  std::uint32_t mask = 0;
  for (int i = 0; i < count; ++i) {
    const bool differs = yiq_difference(a + i * channels, b + i * channels, channels, index + i) > limit;
    mask |= static_cast<std::uint32_t>(differs) << i;
  }
  return mask;
}

#if defined(__x86_64__)
#define QA_AVX2 __attribute__((target("avx2,fma")))

constexpr int kLanes = 8;

/// Eight pixels, a 32-bit lane each: red, green, blue and alpha, or 0 where there is none.
template <int channels>
QA_AVX2 inline __m256i load_pixels(const std::uint8_t* at) {
  if constexpr (channels == 4) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 12));
  const __m256i spread = _mm256_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1,  //
                                          0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
  return _mm256_shuffle_epi8(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1), spread);
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

/// Eight weighted sums of the colour changes, times 32768. `low` holds pixels 0 1 4 5, `high` 2 3 6 7, 16 bits a
/// channel.
QA_AVX2 inline __m256 weigh(__m256i low, __m256i high, const double (&by)[3]) {
  const auto scaled = [](double weight) {
    return static_cast<std::int64_t>(static_cast<std::uint16_t>(std::lround(weight * 32768)));
  };
  const __m256i weights = _mm256_set1_epi64x(scaled(by[0]) | scaled(by[1]) << 16 | scaled(by[2]) << 32);
  const __m256i sums = _mm256_hadd_epi32(_mm256_madd_epi16(low, weights), _mm256_madd_epi16(high, weights));
  return _mm256_mul_ps(_mm256_cvtepi32_ps(sums), _mm256_set1_ps(1.0F / 32768));
}

template <int channels>
QA_AVX2 std::uint32_t exact_avx2(const std::uint8_t* a, const std::uint8_t* b, int count, std::int64_t, double) {
  if (count == kBlock && are_equal<channels>(a, b)) return 0;
  std::uint32_t mask = 0;
  for (int i = 0; i < count; i += kLanes) {
    const __m256i same =
        _mm256_cmpeq_epi32(load_pixels<channels>(a + i * channels), load_pixels<channels>(b + i * channels));
    mask |= (lane_bits(same) ^ 0xFFU) << i;
  }
  return count == kBlock ? mask : mask & ((1U << count) - 1);
}

template <int channels>
QA_AVX2 std::uint32_t yiq_avx2(const std::uint8_t* a, const std::uint8_t* b, int count, std::int64_t index,
                               double limit) {
  if (count == kBlock && are_equal<channels>(a, b)) return 0;
  // The weights are rounded to 16 bits, so what comes near the limit is computed again in full precision.
  const auto doubt = static_cast<float>(0.05 * std::sqrt(limit) + 0.01);
  const __m256 zero_limit = _mm256_set1_ps(static_cast<float>(limit));
  std::uint32_t mask = 0, unsure = 0;
  for (int i = 0; i < count; i += kLanes) {
    const __m256i x = load_pixels<channels>(a + i * channels), y = load_pixels<channels>(b + i * channels);
    const __m256i changed = _mm256_xor_si256(x, y);
    if (_mm256_testz_si256(changed, changed)) continue;
    const __m256i zero = _mm256_setzero_si256();
    const __m256i low = _mm256_sub_epi16(_mm256_unpacklo_epi8(x, zero), _mm256_unpacklo_epi8(y, zero));
    const __m256i high = _mm256_sub_epi16(_mm256_unpackhi_epi8(x, zero), _mm256_unpackhi_epi8(y, zero));
    const __m256 luma = weigh(low, high, kY), in_phase = weigh(low, high, kI), quadrature = weigh(low, high, kQ);
    __m256 sum = _mm256_mul_ps(_mm256_mul_ps(luma, luma), _mm256_set1_ps(kWeightY));
    sum = _mm256_fmadd_ps(_mm256_mul_ps(in_phase, in_phase), _mm256_set1_ps(kWeightI), sum);
    sum = _mm256_fmadd_ps(_mm256_mul_ps(quadrature, quadrature), _mm256_set1_ps(kWeightQ), sum);
    const __m256 over = _mm256_sub_ps(sum, zero_limit);
    std::uint32_t bits =
        static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(over, _mm256_setzero_ps(), _CMP_GT_OQ)));
    const __m256 distance = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), over);
    std::uint32_t near =
        static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(distance, _mm256_set1_ps(doubt), _CMP_LT_OQ)));
    if constexpr (channels == 4) {
      const __m256i alpha = _mm256_srli_epi32(_mm256_and_si256(x, y), 24);
      near |= lane_bits(_mm256_cmpeq_epi32(alpha, _mm256_set1_epi32(255))) ^ 0xFFU;
    }
    mask |= bits << i;
    unsure |= near << i;
  }
  if (count < kBlock) {
    mask &= (1U << count) - 1;
    unsure &= (1U << count) - 1;
  }
  for (; unsure != 0; unsure &= unsure - 1) {
    const int i = __builtin_ctz(unsure);
    const bool differs = yiq_difference(a + i * channels, b + i * channels, channels, index + i) > limit;
    mask = (mask & ~(1U << i)) | static_cast<std::uint32_t>(differs) << i;
  }
  return mask;
}

#if defined(CPU_FEATURE_ACTIVE)
// What the dynamic loader knows. GCC's own function asks the processor again at each start, which is slow in a guest.
bool has_avx2() { return CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(FMA); }
#else
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#endif
#endif

}  // namespace

double yiq_difference(const std::uint8_t* a, const std::uint8_t* b, int channels, std::int64_t index) {
  const Change change = change_of(a, b, channels, index);
  if (change.none) return 0;
  const double y = weigh(change, kY), i = weigh(change, kI), q = weigh(change, kQ);
  return kWeightY * y * y + kWeightI * i * i + kWeightQ * q * q;
}

double luma_difference(const std::uint8_t* a, const std::uint8_t* b, int channels, std::int64_t index) {
  return weigh(change_of(a, b, channels, index), kY);
}

BlockKernel block_kernel(Metric metric, int channels, bool plain) {
  const bool exact = metric == Metric::exact;
#if defined(__x86_64__)
  static const bool wide = has_avx2();
  if (wide && !plain) {
    if (channels == 3) return exact ? exact_avx2<3> : yiq_avx2<3>;
    return exact ? exact_avx2<4> : yiq_avx2<4>;
  }
#endif
  if (channels == 3) return exact ? exact_plain<3> : yiq_plain<3>;
  return exact ? exact_plain<4> : yiq_plain<4>;
}

}  // namespace qa
