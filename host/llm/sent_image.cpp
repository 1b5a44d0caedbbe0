#include "host/llm/sent_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "host/base64.h"
#include "host/sha256.h"

namespace qa {
namespace {

constexpr std::string_view kJpegSignature = "\xff\xd8\xff";
constexpr int kQuality = 92;
/// A smaller PNG is not worth a loss.
constexpr std::size_t kSmallPng = 32 * 1024;

bool is_opaque(const Image& image) {
  if (image.channels == 3) return true;
  for (std::size_t i = 3; i < image.pixels.size(); i += 4) {
    if (image.pixels[i] != 255) return false;
  }
  return true;
}

std::string pixel_hash(const Image& image) {
  std::string all = fmt::format("{}x{}x{}\n", image.width, image.height, image.channels);
  all.append(reinterpret_cast<const char*>(image.pixels.data()), image.pixels.size());
  return sha256_hex(all);
}

/// `source`: what the picture came as, sent again where nothing is smaller.
std::string smallest(const Image& image, const std::string& source) {
  std::string best = encode_png(image);
  if (!source.empty() && source.size() <= best.size()) best = source;
  if (best.size() <= kSmallPng || best.starts_with(kJpegSignature) || !is_opaque(image)) return best;
  std::string jpeg = encode_jpeg(image, kQuality);
  return jpeg.size() * 2 < best.size() ? jpeg : best;
}

}  // namespace

Result<SentImage> sent_image(const Picture& picture, bool is_hashed) {
  const auto image = QA_TRY(picture.image());
  SentImage out;
  const std::string bytes = smallest(*image, picture.source());
  out.media_type = bytes.starts_with(kJpegSignature) ? "image/jpeg" : "image/png";
  out.base64 = std::make_shared<const std::string>(encode_base64(bytes));
  out.width = image->width;
  out.height = image->height;
  if (!is_hashed) return out;
  out.sha256 = pixel_hash(*image);
  out.dhash = difference_hash(*image);
  return out;
}

Result<SentImage> SentImages::of(const PicturePtr& picture) {
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [](const auto& known) { return known->picture.expired(); });
    const auto found = std::ranges::find_if(entries_, [&](const auto& e) { return e->picture.lock() == picture; });
    if (found != entries_.end()) {
      entry = *found;
    } else {
      entry = entries_.emplace_back(std::make_shared<Entry>());
      entry->picture = picture;
    }
  }
  std::call_once(entry->once, [&] { entry->made = sent_image(*picture, is_hashed_); });
  return *entry->made;
}

}  // namespace qa
