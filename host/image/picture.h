#pragma once
// Picture: an image that may still be the bytes it came as. A screenshot that is only saved is never decoded; one that
// is looked at is decoded once, by whichever pool thread needs its pixels first. Any thread.

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "host/error.h"
#include "host/image/image.h"

namespace qa {

class Picture {
 public:
  explicit Picture(ImagePtr image);

  /// PNG or JPEG bytes whose header is well: errors of read_image_size. What is broken behind it shows in image().
  static Result<std::shared_ptr<const Picture>> of(std::string bytes);

  Size size() const { return size_; }
  /// The pixels. Pool only: decodes when nobody has yet.
  Result<ImagePtr> image() const;
  /// As a PNG: the bytes it came as, which are not checked, or encoded now. Pool only; image_decode as image().
  Result<std::string> png() const;
  /// The PNG or JPEG that it came as; "" for none.
  const std::string& source() const { return bytes_; }
  /// Bytes that it holds, for the books of a collector.
  std::size_t weight() const;

 private:
  Picture(std::string bytes, Size size) : bytes_(std::move(bytes)), size_(size) {}

  std::string bytes_;
  Size size_;
  mutable std::mutex mutex_;
  mutable std::optional<Result<ImagePtr>> image_;
};
using PicturePtr = std::shared_ptr<const Picture>;

}  // namespace qa
