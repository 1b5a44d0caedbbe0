#pragma once
// A picture made ready to be sent: encoded as small as it can be without harm, and hashed for cassettes. Runs on the
// pool.

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "host/error.h"
#include "host/image/picture.h"
#include "host/llm/conversation.h"

namespace qa {

/// PNG, as it came or packed anew; JPEG where that has less than half the bytes, which photographs and gradients have
/// and flat scenes do not. Text stays readable: quality 92 with full colour resolution. image_decode as Picture::image.
/// is_hashed: with the hashes that cassettes know pictures by.
Result<SentImage> sent_image(const Picture& picture, bool is_hashed = true);

/// Pictures that are in use, each encoded once: several models are asked about one picture at the same time.
class SentImages {
 public:
  explicit SentImages(bool is_hashed) : is_hashed_(is_hashed) {}
  /// As sent_image; waits where another thread is encoding the same picture.
  Result<SentImage> of(const PicturePtr& picture);

 private:
  struct Entry {
    std::weak_ptr<const Picture> picture;
    std::once_flag once;
    std::optional<Result<SentImage>> made;
  };
  const bool is_hashed_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Entry>> entries_;  ///< Of pictures that are still held by somebody.
};

}  // namespace qa
