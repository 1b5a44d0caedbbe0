// libFuzzer: decoding pictures. An even first byte gives the rest to the decoder as it is; an odd one makes a PNG whose
// checksums hold, so that the fuzzer reaches the filters behind them: width, height, colour type, chunk split, rows.
#include <libdeflate.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "host/image/image.h"
#include "host/image/isal_library.h"

namespace {

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

std::string chunk(const std::string& type, const std::string& body) {
  const std::string checked = type + body;
  return big_endian(static_cast<std::uint32_t>(body.size())) + checked +
         big_endian(libdeflate_crc32(0, checked.data(), checked.size()));
}

std::string deflate(std::string_view rows) {
  static libdeflate_compressor* const compressor = libdeflate_alloc_compressor(1);
  std::string out(libdeflate_zlib_compress_bound(compressor, rows.size()), '\0');
  out.resize(libdeflate_zlib_compress(compressor, rows.data(), rows.size(), out.data(), out.size()));
  return out;
}

std::string valid_png(std::string_view seed) {
  const auto byte = [&](std::size_t i) { return i < seed.size() ? static_cast<unsigned char>(seed[i]) : 0U; };
  const std::uint32_t width = 1 + byte(0) % 70, height = 1 + byte(1) % 40;
  constexpr char kColours[] = {2, 6, 2, 6, 0, 3, 4, 2};
  constexpr std::uint32_t kChannels[] = {3, 4, 3, 4, 1, 1, 2, 3};
  const unsigned colour = byte(2) % 8;
  const char depth = byte(2) >= 250 ? 16 : 8;
  const char interlace = byte(3) >= 250 ? 1 : 0;
  std::string rows(seed.substr(seed.size() < 5 ? seed.size() : 5));
  // Mostly as many bytes as the header promises, sometimes fewer or more.
  if (byte(4) < 240) rows.resize(std::size_t{height} * (1 + width * kChannels[colour]), '\2');
  for (std::size_t at = 0; byte(4) < 200 && at < rows.size(); at += 1 + width * kChannels[colour]) {
    rows[at] = static_cast<char>(static_cast<unsigned char>(rows[at]) % 5);
  }
  const std::string stream = deflate(rows), header = big_endian(width) + big_endian(height) + depth + kColours[colour];
  const std::size_t split = byte(3) % (stream.size() + 1);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header + '\0' + '\0' + interlace) +
         chunk("IDAT", stream.substr(0, split)) + chunk("IDAT", stream.substr(split)) + chunk("IEND", "");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Without its library the fast decoder would leave everything to stb_image.
  if (!qa::isal_fault().empty()) std::abort();
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto decoded = qa::decode_image(data[0] % 2 == 0 ? std::string(rest) : valid_png(rest));
  if (decoded && (*decoded)->pixels.size() != (*decoded)->row_bytes() * static_cast<std::size_t>((*decoded)->height)) {
    std::abort();
  }
  return 0;
}
