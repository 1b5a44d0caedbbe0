#pragma once
// The one place where stb is compiled (stb_impl.cpp), and the limit that its allocations obey. A PNG header tells how
// large the pixels are, but not how much its zlib stream inflates to; stb would follow a stream of zeros to 200 MB for
// an 8x8 image. While an AllocationLimit lives, a larger single allocation of stb fails on this thread, and stb
// reports the image as undecodable. (stb grows its output by doubling one block.)

#include <cstddef>

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

}  // namespace qa
