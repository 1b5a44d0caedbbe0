#include "host/image/picture.h"

#include <utility>

#include "host/image/png_decode.h"

namespace qa {
Picture::Picture(ImagePtr image) : size_{image->width, image->height}, image_(std::move(image)) {}

Result<PicturePtr> Picture::of(std::string bytes) {
  const auto size = read_image_size(bytes);
  if (!size) return size.error();
  return PicturePtr(new Picture(std::move(bytes), *size));
}

Result<ImagePtr> Picture::image() const {
  const std::lock_guard lock(mutex_);
  if (!image_) image_ = decode_image(bytes_);
  return *image_;
}

Result<std::string> Picture::png() const {
  if (bytes_.starts_with(kPngSignature)) return bytes_;
  const auto pixels = image();
  if (!pixels) return pixels.error();
  return encode_png(**pixels);
}

std::size_t Picture::weight() const {
  // Four bytes a pixel, whether they have been made or not: they may be at any time.
  return bytes_.size() + static_cast<std::size_t>(size_.width) * static_cast<std::size_t>(size_.height) * 4;
}

}  // namespace qa
