#pragma once
// What stb_image 2.27 does not check in a JPEG: more than 256 codes in a Huffman table (ITU T.81, B.2.4.2) are written
// past the end of its arrays.

#include <string_view>

namespace qa {

/// False when stb_image must not see these bytes. Walks the segments of a JPEG as stb_image does; bytes of other
/// formats pass.
bool are_huffman_tables_sound(std::string_view bytes);

}  // namespace qa
