#pragma once
// What stb_image 2.27 does not check in a JPEG (ITU T.81): more than 256 codes in a Huffman table (B.2.4.2) are written
// past the end of its arrays; a scan before any table, and an image without a scan, give pixels of nothing.

#include <string_view>

namespace qa {

/// Why stb_image must not see these bytes, "" when it may. Walks the segments of a JPEG as stb_image does; bytes of
/// other formats pass.
std::string_view jpeg_fault(std::string_view bytes);

}  // namespace qa
