#include <cstdio>
#include <fstream>
#include <sstream>

#include "host/image/diff.h"
#include "host/image/image.h"
#include "host/main/worker.h"
#include "host/text.h"

namespace qa {
namespace {

constexpr int kSame = 0;
constexpr int kDifferent = 1;
constexpr int kError = 3;

Result<ImagePtr> load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  // A folder opens but does not read; an empty file reads as nothing.
  if (!file || !(bytes << file.rdbuf())) return Error{ErrorKind::io_error, path + ": cannot read", "diff", ""};
  auto image = decode_image(bytes.str());
  if (!image) image.error().message = path + ": " + image.error().message;
  return image;
}

int refuse(const Error& error) {
  std::fprintf(stderr, "qa-host: diff: %s\n", terminal_safe(error.message).c_str());
  return kError;
}

void print_regions(const DiffResult& diff) {
  for (const Rect& region : diff.regions) {
    std::printf("  region x=%d y=%d width=%d height=%d\n", region.x, region.y, region.width, region.height);
  }
}

}  // namespace

int run_diff(const std::string& a, const std::string& b) {
  const auto first = load(a);
  if (!first) return refuse(first.error());
  const auto second = load(b);
  if (!second) return refuse(second.error());
  const Image& left = **first;
  const Image& right = **second;
  if (left.width != right.width || left.height != right.height) {
    std::printf("different: %dx%d and %dx%d pixels\n", left.width, left.height, right.width, right.height);
    return kDifferent;
  }
  const auto diff = diff_exact(left, right);
  if (!diff) return refuse(diff.error());
  if (diff->identical) {
    std::printf("same: %dx%d pixels\n", left.width, left.height);
    return kSame;
  }
  std::printf("different: %lld of %lld pixels, ratio %.6f\n", static_cast<long long>(diff->changed_pixels),
              static_cast<long long>(left.width) * left.height, diff->changed_ratio);
  print_regions(*diff);
  return kDifferent;
}

}  // namespace qa
