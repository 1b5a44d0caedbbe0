#pragma once
// The PNGs that Chromium makes, decoded fast: 8-bit RGB or RGBA, not interlaced, without transparent colour.

#include <optional>
#include <string_view>

#include "host/image/image.h"

namespace qa {

/// Pixels of such a PNG; an error for a broken one; nothing for any other format or kind of PNG, which stb_image then
/// decodes. `size` is what the header says, checked by the caller against the limits.
std::optional<Result<ImagePtr>> decode_plain_png(std::string_view bytes, Size size);

}  // namespace qa
