#pragma once
// Many pictures in one, for people and models to look at. Pool only.

#include <vector>

#include "host/image/image.h"

namespace qa {

/// The images, each made `cell` pixels wide and as high as the first is then, in rows of `columns`, from left to right
/// and from the top down. What is left of the last row is black. At least one image. image_size where it would be
/// too large.
Result<ImagePtr> contact_sheet(const std::vector<ImagePtr>& images, int columns, int cell);

}  // namespace qa
