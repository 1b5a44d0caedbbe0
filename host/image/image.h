#pragma once
// Image: immutable 8-bit pixels, shared between Lua handles and pool jobs. Decoding, encoding and comparing are pure
// functions; callers run them on the pool through EventLoop::compute.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "host/error.h"

namespace qa {

/// Bytes that are written once, by whoever makes the picture: they start out undefined. kPadding bytes behind the last
/// one may be read, so that vector loads need no special end.
class Pixels {
 public:
  static constexpr std::size_t kPadding = 64;

  Pixels() = default;
  explicit Pixels(std::size_t size) : bytes_(allocate(size + kPadding)), size_(size) {
    std::memset(bytes_.get() + size, 0, kPadding);
  }
  Pixels(const Pixels& other) : Pixels(other.size_) {
    if (size_ != 0) std::memcpy(bytes_.get(), other.bytes_.get(), size_);
  }
  Pixels(Pixels&& other) noexcept = default;
  Pixels& operator=(Pixels other) noexcept {
    bytes_.swap(other.bytes_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Pixels() = default;

  std::size_t size() const { return size_; }
  std::uint8_t* data() { return bytes_.get(); }
  const std::uint8_t* data() const { return bytes_.get(); }
  std::uint8_t* begin() { return data(); }
  std::uint8_t* end() { return data() + size_; }
  std::uint8_t& operator[](std::size_t i) { return bytes_[i]; }
  const std::uint8_t& operator[](std::size_t i) const { return bytes_[i]; }

 private:
  struct Free {
    void operator()(std::uint8_t* bytes) const { std::free(bytes); }
  };
  /// Whole 2 MiB parts come as huge pages where the kernel grants them: 512 page faults less for each.
  static std::uint8_t* allocate(std::size_t bytes);

  std::unique_ptr<std::uint8_t[], Free> bytes_;
  std::size_t size_ = 0;
};

struct Image {
  int width = 0, height = 0;
  int channels = 4;  ///< 3: RGB, as Chromium's screenshots are; 4: RGBA.
  Pixels pixels;     ///< Row major without gaps, width * height * channels bytes.

  Image() = default;
  Image(int pixels_wide, int pixels_high, int bytes_a_pixel)
      : width(pixels_wide),
        height(pixels_high),
        channels(bytes_a_pixel),
        pixels(row_bytes() * static_cast<std::size_t>(pixels_high)) {}

  std::size_t row_bytes() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(channels); }
  const std::uint8_t* row(int y) const { return pixels.data() + row_bytes() * static_cast<std::size_t>(y); }
  std::uint8_t* row(int y) { return pixels.data() + row_bytes() * static_cast<std::size_t>(y); }
};
using ImagePtr = std::shared_ptr<const Image>;

struct Size {
  int width = 0, height = 0;
};
std::string size_text(Size size);                            ///< "640x480".
bool is_too_large(std::int64_t width, std::int64_t height);  ///< More than 16384 pixels a side, or 64 Mpx.

/// Rectangle in pixels of one image.
struct Rect {
  int x = 0, y = 0, width = 0, height = 0;
  std::int64_t area() const { return std::int64_t{width} * height; }
};
/// What lies in both; without width and height where nothing does.
Rect shared_part(const Rect& a, const Rect& b);

/// What the header of PNG or JPEG bytes says, with the errors of decode_image.
Result<Size> read_image_size(std::string_view bytes);

/// Decodes PNG or JPEG bytes. Refuses more than 16384 pixels a side or 64 Mpx before
/// taking memory (image_too_large); anything undecodable is image_decode.
Result<ImagePtr> decode_image(std::string_view bytes);

/// PNG bytes of the pixels.
std::string encode_png(const Image& image);

/// JPEG bytes of the pixels, without alpha; above quality 90 colours keep their full resolution.
std::string encode_jpeg(const Image& image, int quality);

/// Copy of a part; the rectangle is clipped to the image. Empty intersection: image_size.
Result<ImagePtr> crop_image(const Image& image, Rect part);

/// Copy of another size, 1..16384 a side (else image_size): the mean of the pixels that a new one covers, the nearest
/// where it grows.
Result<ImagePtr> resize_image(const Image& image, Size size);

/// Mean luma (BT.601: 0.299 R + 0.587 G + 0.114 B) of each cell of a columns x rows grid, row major,
/// one byte a cell. Cells cover the image without gaps; images smaller than the grid repeat pixels.
std::string luma_grid(const Image& image, int columns, int rows);

/// The same luma grid, and after it one of blueness and one of redness, so that colours of one luma differ: Cb and Cr
/// of BT.601 (0.564 (B - Y) and 0.713 (R - Y), 0 for grey), halved about 128 since a JPEG keeps colour more coarsely.
std::string colour_grid(const Image& image, int columns, int rows);

/// dHash: one bit for each of 8x8 neighbouring pairs of a 9x8 luma grid, set where the left cell is the brighter.
/// Similar pictures differ in few bits (N. Krawetz, "Kind of Like That", 2013).
std::uint64_t difference_hash(const Image& image);

}  // namespace qa
