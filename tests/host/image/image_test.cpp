#include "host/image/image.h"

#include <libdeflate.h>
#include <stb/stb_image_write.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "host/base64.h"
#include "host/image/picture.h"

using qa::decode_image;
using qa::ErrorKind;
using qa::Image;

namespace {

using Pixels = std::vector<std::uint8_t>;

/// Red, green / blue, half-transparent white: the pixels of all the 2x2 images below.
const Pixels kFour = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 128};

const char* const kPng =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAE0lEQVR42mP4z8DwHwyBNAg0AABJSQl4nFEXkgAAAABJRU5ErkJggg==";

std::string bytes_of(const char* base64) { return qa::decode_base64(base64).value(); }

ErrorKind failure_of(std::string_view bytes) {
  const auto image = decode_image(bytes);
  REQUIRE_FALSE(image);
  return image.error().kind;
}

/// The pixels as RGBA, whatever the image holds.
Pixels rgba(const Image& image) {
  Pixels out;
  for (std::size_t i = 0; i < image.pixels.size(); i += static_cast<std::size_t>(image.channels)) {
    for (std::size_t channel = 0; channel < 4; ++channel) {
      out.push_back(channel == 3 && image.channels == 3 ? std::uint8_t{255} : image.pixels[i + channel]);
    }
  }
  return out;
}

Image solid(int width, int height, std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
  Image image(width, height, 4);
  for (std::size_t i = 0; i < image.pixels.size(); i += 4) {
    image.pixels[i] = red;
    image.pixels[i + 1] = green;
    image.pixels[i + 2] = blue;
    image.pixels[i + 3] = 255;
  }
  return image;
}

Image noise(int width, int height, int channels = 4) {
  std::mt19937 random(3);
  Image image(width, height, channels);
  for (auto& byte : image.pixels) byte = static_cast<std::uint8_t>(random());
  return image;
}

std::string big_endian(std::size_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

std::string png_chunk(const std::string& type, const std::string& data) {
  return big_endian(data.size()) + type + data +
         std::string(4, '\0');  // Nobody looks at the checksum: zlib's own covers the pixels.
}

/// An 8x8 PNG whose zlib stream inflates to `megabytes` of zeros: one literal, then copies of 258 bytes.
std::string bomb(std::size_t megabytes) {
  std::string zlib = "\x78\x01";
  unsigned bits = 0, count = 0;
  const auto put = [&](unsigned code, unsigned length) {  // Huffman codes go most significant bit first.
    for (; length > 0; --length) {
      bits |= (code >> (length - 1) & 1u) << count;
      if (++count == 8) {
        zlib += static_cast<char>(bits);
        bits = count = 0;
      }
    }
  };
  put(0b110, 3);       // Last block, fixed codes (their two bits, 01, go least significant first).
  put(0b00110000, 8);  // Literal 0.
  for (std::size_t i = 0; i < (megabytes << 20) / 258; ++i) put(0b11000101'00000, 13);  // Length 258, distance 1.
  put(0, 7);                                                                            // End of block.
  put(0, 7);
  const std::string header("\0\0\0\x08\0\0\0\x08\x08\x06\0\0\0", 13);
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) + png_chunk("IDAT", zlib + std::string(4, '\0')) +
         png_chunk("IEND", "");
}

}  // namespace

TEST_CASE("PNG images of every colour type decode to the same pixels", "[image]") {
  const std::pair<const char*, const char*> images[] = {
      {"8-bit RGBA", kPng},
      {"16-bit RGBA",
       "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACEAYAAAAiJtFnAAAAFklEQVR42mP4/58BCEAkDIO5MNDQAAATnhLvAWA5MgAAAABJRU5ErkJggg=="},
      {"8-bit palette",
       "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAMAAABFaP0WAAAADFBMVEX/AAAA/wAAAP/////7AGD2AAAABHRSTlP///"
       "+ArZIq1AAAAA5JREFUeNpj"
       "YGBkYGIGAAARAAeDymRkAAAAAElFTkSuQmCC"},
      {"2-bit palette",
       "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACAgMAAAAP2OW3AAAADFBMVEX/AAAA/wAAAP/////7AGD2AAAABHRSTlP///"
       "+ArZIq1AAAAAxJREFUeNpj"
       "EGDYAAAA5ADBGVU7+wAAAABJRU5ErkJggg=="},
      {"interlaced",
       "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAAEFsT2yAAAAFElEQVR42mP4z8AARkCC4T8INAAAS0gJeBx5OyQAAAAASUVORK5CYII="},
      {"empty IDAT first",
       "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAAElEQVQ1rwYeAAAAE0lEQVR4nGP4z8DwHwyBNAg0AABJSQl4KKDbdwAAAABJRU5"
       "E"
       "rkJggg=="}};
  for (const auto& [name, base64] : images) {
    INFO(name);
    const std::string png = bytes_of(base64);
    const auto image = decode_image(png);
    REQUIRE(image);
    CHECK((*image)->width == 2);
    CHECK((*image)->height == 2);
    CHECK(rgba(**image) == kFour);
    const auto picture = qa::Picture::of(png);
    REQUIRE(picture);
    CHECK(*(*picture)->png() == png);
  }
}

TEST_CASE("grey images become RGBA", "[image]") {
  const auto image = decode_image(
      bytes_of("iVBORw0KGgoAAAANSUhEUgAAAAIAAAABAQAAAADcWUInAAAACklEQVR42mNwAAAAQgBBhL+OYgAAAABJRU5ErkJggg=="));
  REQUIRE(image);
  CHECK(rgba(**image) == Pixels{0, 0, 0, 255, 255, 255, 255, 255});
}

TEST_CASE("JPEG decodes, and is saved as a PNG", "[image]") {
  std::string jpeg;
  const auto append = [](void* out, void* data, int size) {
    static_cast<std::string*>(out)->append(static_cast<char*>(data), static_cast<std::size_t>(size));
  };
  const Image blue = solid(33, 17, 10, 20, 200);
  REQUIRE(stbi_write_jpg_to_func(append, &jpeg, 33, 17, 4, blue.pixels.data(), 95));
  const auto image = decode_image(jpeg);
  REQUIRE(image);
  CHECK((*image)->width == 33);
  CHECK((*image)->height == 17);
  const auto picture = qa::Picture::of(jpeg);
  REQUIRE(picture);
  CHECK((*picture)->size().width == 33);
  const auto saved = decode_image(*(*picture)->png());
  REQUIRE(saved);
  CHECK(rgba(**saved) == rgba(**image));
  CHECK(rgba(**image)[0] == Approx(10).margin(4));
  CHECK(rgba(**image)[2] == Approx(200).margin(4));
  CHECK(rgba(**image)[3] == 255);
}

TEST_CASE("a JPEG whose Huffman table has more codes than there are is refused", "[image]") {
  std::string jpeg;
  const auto append = [](void* out, void* data, int size) {
    static_cast<std::string*>(out)->append(static_cast<char*>(data), static_cast<std::size_t>(size));
  };
  REQUIRE(stbi_write_jpg_to_func(append, &jpeg, 33, 17, 4, solid(33, 17, 10, 20, 200).pixels.data(), 95));
  const std::size_t table = jpeg.find("\xFF\xC4");
  REQUIRE(table != std::string::npos);
  for (const std::size_t length : {std::size_t{1}, std::size_t{16}}) {  // Codes of one bit, and of sixteen.
    std::string broken = jpeg;
    for (std::size_t i = 0; i < 2; ++i) broken[table + 4 + (length + i - 1) % 16 + 1] = '\xFF';
    const auto image = decode_image(broken);
    REQUIRE_FALSE(image);
    CHECK(image.error().kind == ErrorKind::image_decode);
    CHECK(image.error().message.find("too many codes") != std::string::npos);
  }
  // As the fuzzer found it: padded markers, a table that goes on behind the end.
  const auto found = decode_image(bytes_of("///////Y/////////8T//wEAf/xwuAN0/w=="));
  REQUIRE_FALSE(found);
  CHECK(found.error().message.find("too many codes") != std::string::npos);
}

TEST_CASE("a JPEG without what its pixels come from is refused", "[image]") {
  const std::string jpeg = encode_jpeg(solid(33, 17, 10, 20, 200), 90);
  REQUIRE(decode_image(jpeg));
  std::string tableless = jpeg;
  for (std::size_t at; (at = tableless.find("\xFF\xC4")) != std::string::npos;) {
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(tableless[i])); };
    tableless.erase(at, 2 + byte(at + 2) * 256 + byte(at + 3));
  }
  REQUIRE_FALSE(decode_image(tableless));
  CHECK(decode_image(tableless).error().message.find("before its Huffman tables") != std::string::npos);
  const std::string scanless = jpeg.substr(0, jpeg.find("\xFF\xDA")) + "\xFF\xD9";
  REQUIRE_FALSE(decode_image(scanless));
  CHECK(decode_image(scanless).error().message.find("no scan") != std::string::npos);
}

TEST_CASE("a JPEG of hundreds of scans is refused", "[image]") {
  const std::string jpeg = encode_jpeg(solid(33, 17, 10, 20, 200), 90);
  const std::size_t scan = jpeg.find("\xFF\xDA");
  const std::string header = jpeg.substr(scan, 2 + static_cast<unsigned char>(jpeg[scan + 3]));
  const auto with_scans = [&](int more) {
    std::string out = jpeg;
    for (int i = 0; i < more; ++i) out.insert(scan, header);
    return decode_image(out);
  };
  const auto most = with_scans(255), more = with_scans(256);
  CHECK((most || most.error().message.find("scans") == std::string::npos));
  REQUIRE_FALSE(more);
  CHECK(more.error().message.find("more than 256 scans") != std::string::npos);
}

TEST_CASE("encoding and decoding give the same pixels", "[image]") {
  const Image image = noise(37, 21);
  const std::string png = qa::encode_png(image);
  const auto again = decode_image(png);
  REQUIRE(again);
  CHECK(rgba(**again) == rgba(image));
  CHECK(qa::encode_png(**again) == png);
}

TEST_CASE("images too large are refused by their header", "[image]") {
  CHECK(failure_of(
            bytes_of("iVBORw0KGgoAAAANSUhEUgAAPoAAAD6ACAYAAABBft/eAAAACUlEQVR42mMAAAABAAGxDbaTAAAAAElFTkSuQmCC")) ==
        ErrorKind::image_too_large);  // 16000x16000
  CHECK(failure_of(
            bytes_of("iVBORw0KGgoAAAANSUhEUgAAQAEAAAABCAYAAADJXd1mAAAACUlEQVR42mMAAAABAAGxDbaTAAAAAElFTkSuQmCC")) ==
        ErrorKind::image_too_large);  // 16385x1
  // More than stb_image tells the size of, up to what an integer holds.
  std::string huge =
      bytes_of("iVBORw0KGgoAAAANSUhEUgAAPoAAAD6ACAYAAABBft/eAAAACUlEQVR42mMAAAABAAGxDbaTAAAAAElFTkSuQmCC");
  for (const auto& side : {std::string("\x00\x00\x4E\x20", 4), std::string("\x7F\xFF\xFF\xFF", 4)}) {
    huge.replace(16, 8, side + side);
    CHECK(failure_of(huge) == ErrorKind::image_too_large);
  }
  huge.replace(16, 4, std::string("\x80\x00\x00\x00", 4));
  CHECK(failure_of(huge) == ErrorKind::image_decode);
}

TEST_CASE("a small image that inflates to hundreds of megabytes is refused", "[image]") {
  CHECK(failure_of(bomb(200)) == ErrorKind::image_decode);
}

TEST_CASE("bytes that are no image are refused", "[image]") {
  for (const std::string& bytes :
       {std::string(), std::string("x"), std::string("GIF89a\1\0\1\0\0\0\0;", 14), std::string("<svg/>"),
        std::string("RIFF....WEBPVP8 "), std::string("\x89PNG\r\n\x1a\n"), std::string("\xff\xd8\xff\xe0"),
        std::string("BM\x1e\0\0\0\0\0\0\0", 10), std::string(1000, '\0')}) {
    CHECK(failure_of(bytes) == ErrorKind::image_decode);
  }
}

TEST_CASE("every prefix of an image is refused", "[image]") {
  const std::string png = qa::encode_png(noise(20, 20));
  const std::size_t trailer = 12;  // stb stops before the IEND chunk is complete.
  for (std::size_t length = 0; length + trailer < png.size(); ++length) {
    INFO(length);
    CHECK_FALSE(decode_image(std::string_view(png).substr(0, length)));
  }
}

TEST_CASE("mutated images decode or fail, and never have wrong buffers", "[image]") {
  std::mt19937 random(11);
  const std::string seed = bytes_of(kPng);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = seed;
    for (unsigned i = 1 + random() % 4; i > 0; --i) {
      bytes[8 + random() % (bytes.size() - 8)] = static_cast<char>(random());
    }
    const auto image = decode_image(bytes);
    if (!image) continue;
    const auto pixels = static_cast<std::size_t>((*image)->width) * static_cast<std::size_t>((*image)->height);
    CHECK(rgba(**image).size() == pixels * 4);
  }
}

TEST_CASE("cropping clips to the image", "[image]") {
  const Image image = noise(10, 8);
  const auto part = qa::crop_image(image, {8, 6, 100, 100});
  REQUIRE(part);
  CHECK((*part)->width == 2);
  CHECK((*part)->height == 2);
  CHECK(rgba(**part) == [&] {
    Pixels expected;
    for (const int y : {6, 7}) {
      for (int i = 0; i < 8; ++i) expected.push_back(image.row(y)[8 * 4 + i]);
    }
    return expected;
  }());
  CHECK((*qa::crop_image(image, {-5, -5, 6, 7}))->width == 1);
  for (const qa::Rect rect : {qa::Rect{10, 0, 5, 5}, qa::Rect{-5, 0, 5, 5}, qa::Rect{0, 0, 0, 5}, qa::Rect{0, 0, -1, 5},
                              qa::Rect{2147483647, 2147483647, 2147483647, 2147483647},
                              qa::Rect{-2147483647, -2147483647, 2147483647, 2147483647}}) {
    const auto none = qa::crop_image(image, rect);
    REQUIRE_FALSE(none);
    CHECK(none.error().kind == ErrorKind::image_size);
  }
}

TEST_CASE("the luma grid is the mean of each cell", "[image]") {
  CHECK(qa::luma_grid(solid(640, 360, 255, 255, 255), 64, 36) == std::string(64 * 36, '\xff'));
  CHECK(qa::luma_grid(solid(100, 50, 255, 0, 0), 3, 2) == std::string(6, 76));      // 0.299 * 255
  CHECK(qa::luma_grid(solid(100, 50, 0, 255, 0), 1, 1) == std::string(1, '\x96'));  // 0.587 * 255 = 149.7
  CHECK(qa::luma_grid(solid(100, 50, 0, 0, 255), 1, 1) == std::string(1, 29));      // 0.114 * 255
  Image halves = solid(4, 2, 0, 0, 0);
  for (const std::size_t pixel : {0, 1, 4, 6}) std::fill_n(&halves.pixels[pixel * 4], 3, std::uint8_t{200});
  CHECK(qa::luma_grid(halves, 2, 1) == std::string("\x96\x32"));
  CHECK(qa::luma_grid(halves, 1, 2) == std::string("\x64\x64"));
}

TEST_CASE("a colour grid tells colours of one luma apart", "[image]") {
  const auto red = qa::colour_grid(solid(100, 50, 255, 0, 0), 2, 1);
  REQUIRE(red.size() == 6);
  CHECK(red == "\x4c\x4c\x6b\x6b\xc0\xc0");  // 76, 128 - 0.282 * 76, 128 + 0.3565 * 179
  CHECK(qa::colour_grid(solid(100, 50, 76, 76, 76), 1, 1) == "\x4c\x80\x80");
  CHECK(qa::colour_grid(solid(100, 50, 255, 255, 255), 1, 1) == "\xff\x80\x80");
  CHECK(qa::colour_grid(solid(100, 50, 0, 0, 255), 1, 1) ==
        "\x1d\xc0\x76");  // 29, 128 + 0.282 * 226, 128 - 0.3565 * 29
  Image halves = solid(4, 1, 0, 0, 0);
  halves.pixels[0] = halves.pixels[4] = halves.pixels[8] = 200;
  CHECK(qa::colour_grid(halves, 2, 1).substr(4) == "\xb2\x99");
  CHECK(qa::colour_grid(halves, 0, 1).empty());
}

TEST_CASE("a grid covers every pixel of an image that it does not divide", "[image]") {
  for (int column = 0; column < 101; ++column) {
    Image image = solid(101, 1, 0, 0, 0);
    std::fill_n(&image.pixels[static_cast<std::size_t>(column) * 4], 3, std::uint8_t{255});
    INFO(column);
    CHECK(qa::luma_grid(image, 64, 36).find_first_not_of('\0') != std::string::npos);
  }
}

TEST_CASE("an image smaller than the grid repeats its pixels", "[image]") {
  Image image = solid(2, 1, 0, 0, 0);
  std::fill_n(&image.pixels[4], 3, std::uint8_t{255});
  CHECK(qa::luma_grid(image, 4, 2) == std::string("\0\0\xff\xff\0\0\xff\xff", 8));
  CHECK(qa::luma_grid(Image{}, 2, 2) == std::string(4, '\0'));
  CHECK(qa::luma_grid(image, 0, 5).empty());
}

namespace {

std::string zlib_of(const std::string& raw) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> packer(libdeflate_alloc_compressor(6),
                                                                                        libdeflate_free_compressor);
  std::string packed(libdeflate_zlib_compress_bound(packer.get(), raw.size()), '\0');
  packed.resize(libdeflate_zlib_compress(packer.get(), raw.data(), raw.size(), packed.data(), packed.size()));
  return packed;
}

/// A PNG whose rows use the filters given in turn, as another encoder might; its pixels come in two chunks.
std::string filtered_png(const Image& image, const std::string& filters, std::size_t first_chunk = 100) {
  const auto size = static_cast<std::size_t>(image.channels);
  std::string raw;
  for (int y = 0; y < image.height; ++y) {
    const char filter = filters[static_cast<std::size_t>(y) % filters.size()];
    raw += filter;
    for (std::size_t i = 0; i < image.row_bytes(); ++i) {
      const int left = i >= size ? image.row(y)[i - size] : 0, above = y > 0 ? image.row(y - 1)[i] : 0;
      const int corner = i >= size && y > 0 ? image.row(y - 1)[i - size] : 0;
      const int estimate = left + above - corner;
      const int nearest =
          std::min({std::abs(estimate - left), std::abs(estimate - above), std::abs(estimate - corner)});
      const int paeth = std::abs(estimate - left) == nearest    ? left
                        : std::abs(estimate - above) == nearest ? above
                                                                : corner;
      const int by_filter[] = {0, left, above, (left + above) / 2, paeth};
      raw += static_cast<char>(image.row(y)[i] - by_filter[static_cast<int>(filter)]);
    }
  }
  std::string header =
      big_endian(static_cast<std::size_t>(image.width)) + big_endian(static_cast<std::size_t>(image.height));
  header += std::string("\x08", 1) + (image.channels == 3 ? '\2' : '\6') + std::string(3, '\0');
  const std::string packed = zlib_of(raw);
  first_chunk = std::min(first_chunk, packed.size());
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) + png_chunk("IDAT", packed.substr(0, first_chunk)) +
         png_chunk("IDAT", packed.substr(first_chunk)) + png_chunk("IEND", "");
}

}  // namespace

TEST_CASE("every filter of a PNG row is undone, with and without alpha", "[image]") {
  for (const int channels : {3, 4}) {
    for (const auto& [width, height] : {std::pair{1, 1}, {2, 7}, {5, 6}, {37, 11}, {64, 40}}) {
      const Image image = noise(width, height, channels);
      for (const std::string& filters : {std::string(1, '\0'), std::string("\1"), std::string("\2"), std::string("\3"),
                                         std::string("\4"), std::string("\4\3\2\1\0", 5)}) {
        INFO(width << "x" << height << " of " << channels << " channels, first filter "
                   << static_cast<int>(filters[0]));
        const auto decoded = decode_image(filtered_png(image, filters));
        REQUIRE(decoded);
        CHECK((*decoded)->channels == channels);
        CHECK(rgba(**decoded) == rgba(image));
      }
    }
  }
}

TEST_CASE("a PNG whose pixels are more or fewer than its header says is refused", "[image]") {
  const Image image = noise(4, 20, 3);
  // Wherever the chunks meet, as before the checksum.
  for (std::size_t first_chunk = 0; first_chunk < 300; ++first_chunk) {
    std::string png = filtered_png(image, "\2", first_chunk);
    CHECK(decode_image(png));
    for (const char height : {'\x13', '\x15', '\x01'}) {
      png[23] = height;
      CHECK(failure_of(png) == ErrorKind::image_decode);
    }
  }
}

TEST_CASE("resizing takes the mean, and repeats where it grows", "[image]") {
  Image image = solid(4, 2, 0, 0, 0);
  std::fill_n(&image.pixels[0], 8, std::uint8_t{200});
  const auto half = qa::resize_image(image, {2, 1});
  REQUIRE(half);
  const std::uint8_t expected[] = {100, 100, 100, 228, 0, 0, 0, 255};
  CHECK(std::memcmp((*half)->row(0), expected, sizeof expected) == 0);
  const auto twice = qa::resize_image(image, {8, 4});
  REQUIRE(twice);
  CHECK((*twice)->row(1)[3 * 4] == 200);
  CHECK((*twice)->row(2)[3 * 4] == 0);
  for (const qa::Size size : {qa::Size{0, 5}, {5, 0}, {16385, 1}, {16384, 16384}}) {
    CHECK(qa::resize_image(image, size).error().kind == ErrorKind::image_size);
  }
}

TEST_CASE("each pixel of a smaller picture is the rounded mean of its part", "[image]") {
  const Image image = noise(97, 61);
  const qa::Size size{23, 14};
  const auto small = qa::resize_image(image, size);
  REQUIRE(small);
  int wrong = 0;
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      const int top = y * 61 / size.height, bottom = (y + 1) * 61 / size.height;
      const int left = x * 97 / size.width, right = (x + 1) * 97 / size.width;
      const int count = (bottom - top) * (right - left);
      int sum = 0;
      for (int row = top; row < bottom; ++row) {
        for (int column = left; column < right; ++column) sum += image.row(row)[column * image.channels];
      }
      wrong += (*small)->row(y)[x * image.channels] != (sum + count / 2) / count;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("the perceptual hash keeps with brightness and changes with shape", "[image]") {
  Image image = noise(90, 80, 3);
  const auto smooth = qa::resize_image(**qa::resize_image(image, {9, 8}), {90, 80});
  image = **smooth;
  const std::uint64_t hash = qa::difference_hash(image);
  Image darker = image;
  for (auto& byte : darker.pixels) byte = static_cast<std::uint8_t>(byte * 3 / 4);
  CHECK(__builtin_popcountll(hash ^ qa::difference_hash(darker)) <= 4);
  Image turned = image;
  for (int y = 0; y < 80; ++y) std::memcpy(turned.row(y), image.row(79 - y), image.row_bytes());
  CHECK(__builtin_popcountll(hash ^ qa::difference_hash(turned)) >= 16);
}

TEST_CASE("a picture is decoded when its pixels are asked for", "[image]") {
  const std::string png = qa::encode_png(solid(5, 4, 1, 2, 3));
  const auto picture = qa::Picture::of(png);
  REQUIRE(picture);
  CHECK((*picture)->size().height == 4);
  const auto first = (*picture)->image(), second = (*picture)->image();
  REQUIRE(first);
  CHECK(*first == *second);
  // The header is well, what follows is not: told by whoever looks.
  const auto cut = qa::Picture::of(png.substr(0, 40));
  REQUIRE(cut);
  CHECK((*cut)->image().error().kind == qa::ErrorKind::image_decode);
  CHECK(qa::Picture::of("no picture").error().kind == qa::ErrorKind::image_decode);
}
