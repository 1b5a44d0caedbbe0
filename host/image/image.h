#pragma once
// Image: immutable 8-bit RGBA pixels, shared between Lua handles and pool jobs.
// Decoding, encoding and comparing are pure functions; callers run them on the
// pool through EventLoop::compute.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/error.h"

namespace qa {

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;  ///< Row major, 4 bytes a pixel, width * height * 4.
  /// The PNG this image was decoded from, so that saving a screenshot costs no encoding; may be empty.
  std::string source_png;
};
using ImagePtr = std::shared_ptr<const Image>;

struct Size {
  int width = 0, height = 0;
};

/// Rectangle in pixels of one image.
struct Rect {
  int x = 0, y = 0, width = 0, height = 0;
};

/// Decodes PNG or JPEG bytes. Refuses more than 16384 pixels a side or 64 Mpx before
/// taking memory (image_too_large); anything undecodable is image_decode.
Result<ImagePtr> decode_image(std::string_view bytes);

/// PNG bytes of the pixels.
std::string encode_png(const Image& image);

/// Copy of a part; the rectangle is clipped to the image. Empty intersection: image_size.
Result<ImagePtr> crop_image(const Image& image, Rect part);

/// Mean luma (BT.601: 0.299 R + 0.587 G + 0.114 B) of each cell of a columns x rows grid, row major,
/// one byte a cell. Cells cover the image without gaps; images smaller than the grid repeat pixels.
std::string luma_grid(const Image& image, int columns, int rows);

}  // namespace qa
