#include <stb/stb_image_write.h>

#include "host/image/image.h"

namespace qa {

std::string encode_png(const Image& image) {
  std::string png;
  const auto append = [](void* out, void* bytes, int size) {
    static_cast<std::string*>(out)->append(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
  };
  if (!stbi_write_png_to_func(append, &png, image.width, image.height, image.channels, image.pixels.data(),
                              image.width * image.channels)) {
    png.clear();
  }
  return png;
}

}  // namespace qa
