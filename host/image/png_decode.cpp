#include "host/image/png_decode.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "host/image/isal_library.h"

namespace qa {
namespace {

constexpr std::size_t kHeaderEnd = 8 + 8 + 13 + 4;  ///< Signature and the IHDR chunk.

// Filter types of a row (PNG specification, section 9).
enum Filter : std::uint8_t { none, sub, up, average, paeth };

std::uint32_t big_endian(const char* at) {
  const auto byte = [&](int i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(at[i])); };
  return byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
}

bool has_header(std::string_view bytes) {
  return bytes.size() >= kHeaderEnd && bytes.starts_with(kPngSignature) && bytes.substr(12, 4) == "IHDR";
}

Error broken(const char* why) {
  return {ErrorKind::image_decode, std::string("the bytes are not a PNG image that can be decoded: ") + why, "", ""};
}

Error wrong_pixels() {
  return broken("its compressed pixels are truncated, corrupt or of another size than the header says");
}

/// The compressed pixels of a plain PNG, in the parts that its chunks hold. Nothing when a chunk says that the pixels
/// mean something else than they say, or the file is not a sequence of chunks.
std::optional<std::vector<std::string_view>> data_chunks(std::string_view bytes) {
  std::vector<std::string_view> parts;
  for (std::size_t at = kHeaderEnd; at + 12 <= bytes.size();) {
    const std::size_t length = big_endian(bytes.data() + at);
    const std::string_view type = bytes.substr(at + 4, 4);
    if (length > bytes.size() - at - 12) return std::nullopt;
    if (type == "tRNS" || type == "PLTE" || type == "acTL") return std::nullopt;
    if (type == "IEND") break;
    if (type == "IDAT") parts.push_back(bytes.substr(at + 8, length));
    at += 12 + length;
  }
  return parts;
}

std::uint8_t paeth_of(int left, int above, int corner) {
  const int estimate = left + above - corner;
  const int by_left = std::abs(estimate - left), by_above = std::abs(estimate - above),
            by_corner = std::abs(estimate - corner);
  if (by_left <= by_above && by_left <= by_corner) return static_cast<std::uint8_t>(left);
  return static_cast<std::uint8_t>(by_above <= by_corner ? above : corner);
}

/// Any filter, byte by byte, on machines without SSE2.
[[maybe_unused]] void unfilter_bytes(Filter filter, const std::uint8_t* in, const std::uint8_t* above,
                                     std::uint8_t* out, std::size_t size, std::size_t step) {
  for (std::size_t i = 0; i < size; ++i) {
    const int left = i >= step ? out[i - step] : 0, corner = i >= step ? above[i - step] : 0;
    int add = 0;
    if (filter == sub) add = left;
    if (filter == up) add = above[i];
    if (filter == average) add = (left + above[i]) / 2;
    if (filter == paeth) add = paeth_of(left, above[i], corner);
    out[i] = static_cast<std::uint8_t>(in[i] + add);
  }
}

/// Every row of Chromium's fast PNGs.
void add_bytes(const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out, std::size_t size) {
  std::size_t i = 0;
#if defined(__SSE2__)
  for (; i + 16 <= size; i += 16) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i));
    const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(above + i));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), _mm_add_epi8(x, y));
  }
#endif
  for (; i < size; ++i) out[i] = static_cast<std::uint8_t>(in[i] + above[i]);
}

#if defined(__SSE2__)
/// Four bytes; of a 3-byte pixel the last one belongs to the next pixel and is overwritten by it.
__m128i load_pixel(const std::uint8_t* at) {
  int value = 0;
  std::memcpy(&value, at, sizeof value);
  return _mm_cvtsi32_si128(value);
}

template <int step>
void store_pixel(std::uint8_t* at, __m128i pixel) {
  const int value = _mm_cvtsi128_si32(pixel);
  std::memcpy(at, &value, step);
}

__m128i absolute(__m128i words) { return _mm_max_epi16(words, _mm_sub_epi16(_mm_setzero_si128(), words)); }

__m128i select(__m128i mask, __m128i yes, __m128i no) {
  return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

/// Rows whose pixels depend on the pixel before: one pixel at a time, its channels side by side.
template <int step>
void unfilter_chain(Filter filter, const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out,
                    std::size_t size) {
  const __m128i zero = _mm_setzero_si128();
  __m128i left = zero, corner = zero;
  for (std::size_t i = 0; i + step <= size; i += step) {
    const __m128i top = load_pixel(above + i);
    __m128i add = left;
    if (filter == average) {
      // pavgb rounds up; the format rounds down.
      const __m128i odd = _mm_and_si128(_mm_xor_si128(left, top), _mm_set1_epi8(1));
      add = _mm_sub_epi8(_mm_avg_epu8(left, top), odd);
    } else if (filter == paeth) {
      const __m128i l = _mm_unpacklo_epi8(left, zero), t = _mm_unpacklo_epi8(top, zero),
                    c = _mm_unpacklo_epi8(corner, zero);
      const __m128i to_left = absolute(_mm_sub_epi16(t, c)), to_top = absolute(_mm_sub_epi16(l, c));
      const __m128i to_corner = absolute(_mm_sub_epi16(_mm_add_epi16(l, t), _mm_add_epi16(c, c)));
      const __m128i least = _mm_min_epi16(to_corner, _mm_min_epi16(to_left, to_top));
      const __m128i nearest = select(_mm_cmpeq_epi16(least, to_left), l, select(_mm_cmpeq_epi16(least, to_top), t, c));
      add = _mm_packus_epi16(nearest, nearest);
    }
    left = _mm_add_epi8(load_pixel(in + i), add);
    corner = top;
    store_pixel<step>(out + i, left);
  }
}
#endif

void unfilter_row(Filter filter, const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out, std::size_t size,
                  int step) {
  if (filter == none) {
    std::memcpy(out, in, size);
  } else if (filter == up) {
    add_bytes(in, above, out, size);
#if defined(__SSE2__)
  } else if (step == 3) {
    unfilter_chain<3>(filter, in, above, out, size);
  } else if (step == 4) {
    unfilter_chain<4>(filter, in, above, out, size);
#endif
  } else {
    unfilter_bytes(filter, in, above, out, size, static_cast<std::size_t>(step));
  }
}

}  // namespace

/// Undoes the deflate of a zlib stream (RFC 1950) that comes in parts. Output is written only where it is asked for: a
/// stream that inflates to more ends there, not in memory.
struct PngRows::Stream {
  explicit Stream(std::vector<std::string_view> compressed) : parts(std::move(compressed)) {
    isal_inflate_init(&state);
    state.crc_flag = ISAL_ZLIB;
  }

  /// The next bytes of the output; false when there are fewer, or the stream is broken.
  bool fill(std::uint8_t* out, std::size_t size) {
    state.next_out = out;
    state.avail_out = static_cast<std::uint32_t>(size);
    while (state.avail_out > 0) {
      if (is_complete() || !step()) return false;
    }
    return true;
  }
  /// Is nothing left to come, and the checksum right?
  bool ends() {
    state.avail_out = 0;
    while (!is_complete()) {
      if (!step()) return false;
    }
    return true;
  }

 private:
  bool is_complete() const { return state.block_state == ISAL_BLOCK_FINISH; }
  /// False when nothing more can come of it.
  bool step() {
    const bool takes_part = state.avail_in == 0 && next < parts.size();
    if (takes_part) {
      const std::string_view part = parts[next++];
      state.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(part.data()));
      state.avail_in = static_cast<std::uint32_t>(part.size());
    }
    const auto in = state.avail_in, out = state.avail_out;
    if (isal_inflate(&state) != ISAL_DECOMP_OK) return false;
    return is_complete() || takes_part || state.avail_in != in || state.avail_out != out;
  }

  inflate_state state;  ///< 90 KiB, most of them tables.
  std::vector<std::string_view> parts;
  std::size_t next = 0;
};

/// What is packed at once: large enough that calls cost nothing, small enough for the cache.
constexpr std::size_t kBandBytes = 64 << 10;

Size png_size(std::string_view bytes) {
  if (!has_header(bytes)) return {};
  const std::uint32_t width = big_endian(bytes.data() + 16), height = big_endian(bytes.data() + 20);
  if (std::max(width, height) >> 31 != 0) return {};
  return {static_cast<int>(width), static_cast<int>(height)};
}

std::unique_ptr<PngRows> PngRows::open(std::string_view bytes, Size size) {
  if (!has_header(bytes)) return nullptr;
  const unsigned char depth = static_cast<unsigned char>(bytes[24]), colour = static_cast<unsigned char>(bytes[25]);
  const bool is_plain =
      depth == 8 && (colour == 2 || colour == 6) && bytes[26] == 0 && bytes[27] == 0 && bytes[28] == 0;
  if (!is_plain || !isal_fault().empty()) return nullptr;
  auto parts = data_chunks(bytes);
  if (!parts) return nullptr;
  return std::unique_ptr<PngRows>(new PngRows(std::make_unique<Stream>(std::move(*parts)), size, colour == 2 ? 3 : 4));
}

PngRows::PngRows(std::unique_ptr<Stream> stream, Size size, int channels)
    : stream_(std::move(stream)),
      channels_(channels),
      left_(size.height),
      row_(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(channels)),
      above_(row_) {
  band_ = std::clamp(static_cast<int>(kBandBytes / row_), 1, size.height);
  packed_ = Pixels((row_ + 1) * static_cast<std::size_t>(band_));
  std::fill(above_.begin(), above_.end(), std::uint8_t{0});
}

PngRows::~PngRows() = default;

std::optional<Error> PngRows::read(int count, std::uint8_t* out) {
  const std::uint8_t* above = above_.data();
  while (count > 0) {
    const int rows = std::min(count, band_);
    const std::uint8_t* in = packed_.data();
    if (!stream_->fill(packed_.data(), (row_ + 1) * static_cast<std::size_t>(rows))) return wrong_pixels();
    for (int y = 0; y < rows; ++y, in += row_ + 1, out += row_) {
      if (*in > paeth) return broken("a row has an unknown filter");
      unfilter_row(static_cast<Filter>(*in), in + 1, above, out, row_, channels_);
      above = out;
    }
    count -= rows;
    left_ -= rows;
  }
  if (left_ == 0 && !stream_->ends()) return wrong_pixels();
  std::copy_n(above, row_, above_.data());
  return std::nullopt;
}

std::optional<Result<ImagePtr>> decode_plain_png(std::string_view bytes, Size size) {
  const auto rows = PngRows::open(bytes, size);
  if (!rows) return std::nullopt;
  auto image = std::make_shared<Image>(size.width, size.height, rows->channels());
  if (auto error = rows->read(size.height, image->pixels.data())) return Result<ImagePtr>(std::move(*error));
  return Result<ImagePtr>(ImagePtr(std::move(image)));
}

}  // namespace qa
