// qa-host diff A B: two picture files to a verdict, as fast as they can be read. No VM, no event loop.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <future>

#include "host/image/diff.h"
#include "host/image/image.h"
#include "host/main/commands.h"
#include "host/text.h"

namespace qa {
namespace {

constexpr int kSame = 0;
constexpr int kDifferent = 1;
constexpr int kError = 3;
constexpr std::size_t kThreadBytes = 32 << 10;  ///< A second thread costs about as much as decoding so much.

/// A file's bytes, mapped.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) : path_(path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat facts {};
    const bool readable = file >= 0 && ::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
    if (!readable) {
      error_ = path + ": cannot read" + (file < 0 ? std::string(": ") + std::strerror(errno) : ": it is no file");
    } else if (facts.st_size > 0) {
      size_ = static_cast<std::size_t>(facts.st_size);
      void* at = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
      if (at == MAP_FAILED) error_ = path + ": cannot read: " + std::strerror(errno);
      if (at != MAP_FAILED) at_ = static_cast<const char*>(at);
    }
    if (file >= 0) ::close(file);
  }
  ~MappedFile() {
    if (at_) ::munmap(const_cast<char*>(at_), size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& error() const { return error_; }
  std::string_view bytes() const { return at_ ? std::string_view(at_, size_) : std::string_view(); }
  std::string named(const Error& error) const { return path_ + ": " + error.message; }

 private:
  std::string path_, error_;
  const char* at_ = nullptr;
  std::size_t size_ = 0;
};

int refuse(const std::string& message) {
  std::fprintf(stderr, "qa-host: diff: %s\n", terminal_safe(message).c_str());
  return kError;
}

int say_same(Size size) {
  std::printf("same: %dx%d pixels\n", size.width, size.height);
  return kSame;
}

bool write_picture(const std::string& path, const Image& image) {
  std::ofstream file(path, std::ios::binary);
  const std::string png = encode_png(image);
  file.write(png.data(), static_cast<std::streamsize>(png.size()));
  return static_cast<bool>(file.flush());
}

int say(const DiffResult& diff, Size size, const DiffRequest& request) {
  if (diff.highlight && !write_picture(request.highlight, *diff.highlight))
    return refuse(request.highlight + ": cannot write");
  if (diff.identical) return say_same(size);
  std::printf("different: %lld of %lld pixels, ratio %.6f\n", static_cast<long long>(diff.changed_pixels),
              static_cast<long long>(size.width) * size.height, diff.changed_ratio);
  for (const Rect& region : diff.regions) {
    std::printf("  region x=%d y=%d width=%d height=%d\n", region.x, region.y, region.width, region.height);
  }
  return kDifferent;
}

}  // namespace

int run_diff(const DiffRequest& request) {
  const MappedFile file_a(request.a), file_b(request.b);
  for (const MappedFile* file : {&file_a, &file_b}) {
    if (!file->error().empty()) return refuse(file->error());
  }
  const auto size_a = read_image_size(file_a.bytes()), size_b = read_image_size(file_b.bytes());
  if (!size_a) return refuse(file_a.named(size_a.error()));
  if (!size_b) return refuse(file_b.named(size_b.error()));
  if (size_a->width != size_b->width || size_a->height != size_b->height) {
    std::printf("different: %dx%d and %dx%d pixels\n", size_a->width, size_a->height, size_b->width, size_b->height);
    return kDifferent;
  }
  // The same bytes are the same picture, or equally broken behind the header.
  if (file_a.bytes() == file_b.bytes() && request.highlight.empty()) return say_same(*size_a);
  if (const auto diff = diff_plain_pngs(file_a.bytes(), file_b.bytes(), *size_a, request.options))
    return say(*diff, *size_a, request);
  const bool parallel = std::min(file_a.bytes().size(), file_b.bytes().size()) > kThreadBytes;
  auto other = std::async(parallel ? std::launch::async : std::launch::deferred, decode_image, file_b.bytes());
  const auto a = decode_image(file_a.bytes()), b = other.get();
  if (!a) return refuse(file_a.named(a.error()));
  if (!b) return refuse(file_b.named(b.error()));
  const auto diff = diff_images(**a, **b, request.options);
  if (!diff) return refuse(diff.error().message);
  return say(*diff, *size_a, request);
}

}  // namespace qa
