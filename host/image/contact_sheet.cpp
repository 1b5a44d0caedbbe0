#include "host/image/contact_sheet.h"

#include <algorithm>

namespace qa {

Result<ImagePtr> contact_sheet(const std::vector<ImagePtr>& images, int columns, int cell) {
  const Image& first = *images.at(0);
  const Size size{cell, std::max(1, static_cast<int>(static_cast<std::int64_t>(first.height) * cell / first.width))};
  const int rows = (static_cast<int>(images.size()) + columns - 1) / columns;
  const std::int64_t width = std::int64_t{columns} * size.width, height = std::int64_t{rows} * size.height;
  if (is_too_large(width, height)) {
    return Error{ErrorKind::image_size,
                 "a sheet of " + std::to_string(width) + "x" + std::to_string(height) +
                     " pixels is too large: a side has at most 16384, an image 64 megapixels; take fewer or smaller "
                     "images, or other columns",
                 "", ""};
  }
  auto sheet = std::make_shared<Image>(static_cast<int>(width), static_cast<int>(height), 3);
  std::memset(sheet->pixels.data(), 0, sheet->pixels.size());
  for (std::size_t i = 0; i < images.size(); ++i) {
    const ImagePtr small = QA_TRY(resize_image(*images[i], size));
    const int left = static_cast<int>(i) % columns * size.width, top = static_cast<int>(i) / columns * size.height;
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x)
        std::memcpy(sheet->row(top + y) + (left + x) * 3, small->row(y) + x * small->channels, 3);
    }
  }
  return ImagePtr(std::move(sheet));
}

}  // namespace qa
