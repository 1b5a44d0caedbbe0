#pragma once
// The PNGs that Chromium makes, decoded fast: 8-bit RGB or RGBA, not interlaced, without transparent colour. Pixels are
// unpacked a band of rows at a time, which stays in the cache.

#include <memory>
#include <optional>
#include <string_view>

#include "host/image/image.h"

namespace qa {

/// What each PNG begins with (PNG specification, section 5.2).
inline constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";

/// What the header of a PNG says, whether it can be or not; 0x0 for any other bytes, and for sides of 2^31 and more.
Size png_size(std::string_view bytes);

/// The rows of such a PNG, from the top down, unpacked as they are asked for.
class PngRows {
 public:
  /// Null for any other format or kind of PNG, which stb_image decodes. `bytes` must outlive the rows; `size` is what
  /// the header says, checked by the caller against the limits.
  static std::unique_ptr<PngRows> open(std::string_view bytes, Size size);
  ~PngRows();
  PngRows(const PngRows&) = delete;
  PngRows& operator=(const PngRows&) = delete;

  int channels() const { return channels_; }
  /// Rows that a caller who needs no more should ask for at once.
  int band() const { return band_; }
  /// Writes the next `count` rows, of those that are left, without gaps. With the last one it is checked that the
  /// pixels end there and have the right checksum (image_decode).
  std::optional<Error> read(int count, std::uint8_t* out);

 private:
  struct Stream;
  PngRows(std::unique_ptr<Stream> stream, Size size, int channels);

  std::unique_ptr<Stream> stream_;
  int channels_, band_, left_;
  std::size_t row_;
  Pixels packed_;  ///< A band of rows, each behind the number of its filter.
  Pixels above_;   ///< The last row that was read.
};

/// All pixels of such a PNG; an error for a broken one; nothing for any other, as PngRows::open.
std::optional<Result<ImagePtr>> decode_plain_png(std::string_view bytes, Size size);

}  // namespace qa
