#include <cstddef>

#include "host/image/stb_impl.h"

namespace qa {
namespace {

// Markers (ITU T.81, table B.1).
constexpr int kStart = 0xD8, kEnd = 0xD9, kHuffman = 0xC4, kScan = 0xDA;
constexpr int kMostCodes = 256;
/// Each scan is a pass over all pixels; progressive pictures have about ten.
constexpr int kMostScans = 256;

/// Bytes from front to back; behind the last one, zeros, as stb_image reads them.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  bool is_over() const { return at_ >= bytes_.size(); }
  void skip(std::size_t count) { at_ += count; }
  int next() { return at_ < bytes_.size() ? static_cast<unsigned char>(bytes_[at_++]) : 0; }
  int next_two() {
    const int high = next();
    return high << 8 | next();
  }
  /// The next byte behind FF (several count as one), that is not one of `passing`; 0 at the end.
  template <class Passing>
  int next_marker(const Passing& passing) {
    while (!is_over()) {
      at_ = bytes_.find('\xFF', at_);
      if (at_ == bytes_.npos) break;
      int marker = next();
      while (marker == 0xFF && !is_over()) marker = next();
      if (!passing(marker)) return marker;
    }
    return 0;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

bool is_sound_segment(Bytes& bytes) {
  int left = bytes.next_two() - 2;
  while (left > 0) {
    bytes.next();  // Class and number of the table.
    int codes = 0;
    for (int length = 1; length <= 16; ++length) codes += bytes.next();
    if (codes > kMostCodes) return false;
    bytes.skip(static_cast<std::size_t>(codes));
    left -= 17 + codes;
  }
  return left == 0;
}

}  // namespace

std::string_view jpeg_fault(std::string_view text) {
  if (text.empty() || static_cast<unsigned char>(text[0]) != 0xFF) return "";
  Bytes bytes(text);
  const auto none = [](int) { return false; };
  // Within a scan, FF 00 is a byte of it, and D0 to D7 are restarts.
  const auto of_scan = [](int marker) { return marker == 0 || (marker >= 0xD0 && marker <= 0xD7); };
  if (bytes.next_marker(none) != kStart) return "";
  bool has_table = false, is_in_scan = false;
  int scans = 0;
  while (!bytes.is_over()) {
    const int marker = is_in_scan ? bytes.next_marker(of_scan) : bytes.next_marker(none);
    if (marker == kEnd) return scans > 0 ? "" : "it has no scan";
    if (marker == kScan && !has_table) return "it has a scan before its Huffman tables";
    if (marker == kHuffman) {
      if (!is_sound_segment(bytes)) return "it has a Huffman table with too many codes";
      has_table = true;
    } else {
      const int length = bytes.next_two();
      bytes.skip(static_cast<std::size_t>(length < 2 ? 0 : length - 2));
    }
    is_in_scan = marker == kScan;
    scans += is_in_scan;
    if (scans > kMostScans) return "it has more than 256 scans";
  }
  return "";
}

}  // namespace qa
