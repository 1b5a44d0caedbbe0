#pragma once
// The one place where stb is compiled (stb_impl.cpp), and the limit that its allocations obey. A PNG header tells how
// large the pixels are, but not how much its zlib stream inflates to; stb would follow a stream of zeros to 200 MB for
// an 8x8 image. While an AllocationLimit lives, a larger single allocation of stb fails on this thread, and stb
// reports the image as undecodable. (stb grows its output by doubling one block.)
//
// And what stb_image 2.27 does not check in a JPEG (ITU T.81): more than 256 codes in a Huffman table (B.2.4.2) are
// written past the end of its arrays; a scan before any table, and an image without a scan, give pixels of nothing.

#include <cstddef>
#include <string_view>

namespace qa {

class AllocationLimit {
 public:
  explicit AllocationLimit(std::size_t bytes);
  ~AllocationLimit();
  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;

 private:
  std::size_t previous_;
};

/// Why stb_image must not see these bytes, "" when it may. Walks the segments of a JPEG as stb_image does; bytes of
/// other formats pass.
std::string_view jpeg_fault(std::string_view bytes);

}  // namespace qa
