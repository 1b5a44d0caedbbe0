#include "host/net/served_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>

#include "host/net/http_message.h"
#include "host/text.h"

namespace qa {
namespace {

struct MimeType {
  std::string_view type, extensions;
};

constexpr MimeType kMimeTypes[] = {
    {"text/html; charset=utf-8", "html htm"},
    {"application/xhtml+xml; charset=utf-8", "xhtml"},
    {"text/javascript; charset=utf-8", "js mjs"},
    {"text/css; charset=utf-8", "css"},
    {"application/json; charset=utf-8", "json map"},
    {"application/manifest+json; charset=utf-8", "webmanifest"},
    {"text/plain; charset=utf-8", "txt md atlas fnt glsl vert frag obj mtl"},
    {"text/csv; charset=utf-8", "csv"},
    {"application/xml; charset=utf-8", "xml tmx"},
    {"image/svg+xml; charset=utf-8", "svg"},
    {"image/png", "png"},
    {"image/jpeg", "jpg jpeg"},
    {"image/gif", "gif"},
    {"image/webp", "webp"},
    {"image/avif", "avif"},
    {"image/bmp", "bmp"},
    {"image/x-icon", "ico"},
    {"application/wasm", "wasm"},
    {"audio/mpeg", "mp3"},
    {"audio/ogg", "ogg oga opus"},
    {"audio/wav", "wav"},
    {"audio/mp4", "m4a"},
    {"audio/aac", "aac"},
    {"audio/flac", "flac"},
    {"audio/midi", "mid"},
    {"video/mp4", "mp4"},
    {"video/webm", "webm"},
    {"video/ogg", "ogv"},
    {"font/woff", "woff"},
    {"font/woff2", "woff2"},
    {"font/ttf", "ttf"},
    {"font/otf", "otf"},
    {"model/gltf+json", "gltf"},
    {"model/gltf-binary", "glb"},
    {"application/pdf", "pdf"},
    {"application/zip", "zip"},
};

bool parse_number(std::string_view text, std::uint64_t& value) {
  const char* end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, value);
  return failed == std::errc() && stop == end;
}

}  // namespace

std::string_view mime_type(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  for (const auto& [type, extensions] : kMimeTypes) {
    for (const std::string_view known : split(extensions, ' ')) {
      if (dot != name.npos && equal_ignoring_case(known, name.substr(dot + 1))) return type;
    }
  }
  return "application/octet-stream";
}

std::optional<std::string_view> target_path(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equal_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
    const std::size_t slash = target.find('/', scheme.size());
    target = slash == target.npos ? std::string_view("/") : target.substr(slash);
    break;
  }
  if (target.empty() || target.front() != '/') return std::nullopt;
  return target.substr(0, target.find_first_of("?#"));
}

std::optional<std::string> unescape_path(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '%') {
      out += path[i];
      continue;
    }
    const int byte = hex_value(path, i + 1, 2);
    if (byte <= 0) return std::nullopt;
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

Located locate(const std::string& root, const std::string& path) {
  if ((path + "/").find("/../") != path.npos) return {};
  const std::string real = real_path(root + path);
  // The root itself comes without the slash that `root` ends in.
  if (real.empty() || (real + "/").compare(0, root.size(), root) != 0) return {};
  struct stat info {};
  if (::stat(real.c_str(), &info) != 0) return {};
  if (S_ISDIR(info.st_mode)) return {Located::Kind::folder, real};
  return {S_ISREG(info.st_mode) ? Located::Kind::file : Located::Kind::missing, real};
}

RangeAnswer parse_range(std::string_view header, std::uint64_t size, ByteRange& range) {
  constexpr std::string_view unit = "bytes=";
  if (!equal_ignoring_case(header.substr(0, unit.size()), unit)) return RangeAnswer::whole;
  header.remove_prefix(unit.size());
  const std::size_t dash = header.find('-');
  if (dash == header.npos) return RangeAnswer::whole;
  const std::string_view first = header.substr(0, dash), last = header.substr(dash + 1);
  std::uint64_t from = 0, to = UINT64_MAX;
  if (first.empty()) {
    std::uint64_t suffix = 0;
    if (!parse_number(last, suffix)) return RangeAnswer::whole;
    if (suffix == 0 || size == 0) return RangeAnswer::unsatisfiable;
    from = suffix < size ? size - suffix : 0;
  } else {
    const bool is_valid = parse_number(first, from) && (last.empty() || parse_number(last, to)) && from <= to;
    if (!is_valid) return RangeAnswer::whole;
    if (from >= size) return RangeAnswer::unsatisfiable;
  }
  range = {from, std::min(to, size - 1) - from + 1};
  return RangeAnswer::part;
}

bool ServedFile::open(const std::string& path) {
  close();
  // O_NONBLOCK, so that a FIFO which took the file's place cannot hold the loop.
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info {};
  if (fd_ < 0 || ::fstat(fd_, &info) != 0 || !S_ISREG(info.st_mode)) {
    close();
    return false;
  }
  size_ = static_cast<std::uint64_t>(info.st_size);
  return true;
}

void ServedFile::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  size_ = 0;
}

std::optional<std::string> ServedFile::read(const ByteRange& part) const {
  std::string bytes(part.length, '\0');
  for (std::size_t got = 0, more; got < bytes.size(); got += more) {
    more = read_at(part.start + got, bytes.data() + got, bytes.size() - got);
    if (more == 0) return std::nullopt;
  }
  return bytes;
}

std::size_t ServedFile::read_at(std::uint64_t offset, char* to, std::size_t count) const {
  ssize_t got = 0;
  do {
    got = ::pread(fd_, to, count, static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

std::string real_path(const std::string& path) {
  std::error_code failed;
  return std::filesystem::canonical(path, failed).string();
}

}  // namespace qa
