#include "host/image/image.h"

#include <stb/stb_image_write.h>

#include <catch2/catch.hpp>
#include <random>

#include "host/base64.h"

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

Image solid(int width, int height, std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
  Image image{width, height, {}, {}};
  for (int i = 0; i < width * height; ++i) image.rgba.insert(image.rgba.end(), {red, green, blue, 255});
  return image;
}

Image noise(int width, int height) {
  std::mt19937 random(3);
  Image image{width, height, Pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4), {}};
  for (auto& byte : image.rgba) byte = static_cast<std::uint8_t>(random());
  return image;
}

std::string png_chunk(const std::string& type, const std::string& data) {
  std::string chunk;
  for (int shift = 24; shift >= 0; shift -= 8) chunk += static_cast<char>(data.size() >> shift);
  return chunk + type + data + std::string(4, '\0');  // stb does not look at the checksum.
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
    CHECK((*image)->rgba == kFour);
    CHECK((*image)->source_png == png);
  }
}

TEST_CASE("grey images become RGBA", "[image]") {
  const auto image = decode_image(
      bytes_of("iVBORw0KGgoAAAANSUhEUgAAAAIAAAABAQAAAADcWUInAAAACklEQVR42mNwAAAAQgBBhL+OYgAAAABJRU5ErkJggg=="));
  REQUIRE(image);
  CHECK((*image)->rgba == Pixels{0, 0, 0, 255, 255, 255, 255, 255});
}

TEST_CASE("JPEG decodes and keeps no PNG", "[image]") {
  std::string jpeg;
  const auto append = [](void* out, void* data, int size) {
    static_cast<std::string*>(out)->append(static_cast<char*>(data), static_cast<std::size_t>(size));
  };
  const Image blue = solid(33, 17, 10, 20, 200);
  REQUIRE(stbi_write_jpg_to_func(append, &jpeg, 33, 17, 4, blue.rgba.data(), 95));
  const auto image = decode_image(jpeg);
  REQUIRE(image);
  CHECK((*image)->width == 33);
  CHECK((*image)->height == 17);
  CHECK((*image)->source_png.empty());
  CHECK((*image)->rgba[0] == Approx(10).margin(4));
  CHECK((*image)->rgba[2] == Approx(200).margin(4));
  CHECK((*image)->rgba[3] == 255);
}

TEST_CASE("encoding and decoding give the same pixels", "[image]") {
  const Image image = noise(37, 21);
  const std::string png = qa::encode_png(image);
  const auto again = decode_image(png);
  REQUIRE(again);
  CHECK((*again)->rgba == image.rgba);
  CHECK(qa::encode_png(**again) == png);
}

TEST_CASE("images too large are refused by their header", "[image]") {
  CHECK(failure_of(
            bytes_of("iVBORw0KGgoAAAANSUhEUgAAPoAAAD6ACAYAAABBft/eAAAACUlEQVR42mMAAAABAAGxDbaTAAAAAElFTkSuQmCC")) ==
        ErrorKind::image_too_large);  // 16000x16000
  CHECK(failure_of(
            bytes_of("iVBORw0KGgoAAAANSUhEUgAAQAEAAAABCAYAAADJXd1mAAAACUlEQVR42mMAAAABAAGxDbaTAAAAAElFTkSuQmCC")) ==
        ErrorKind::image_too_large);  // 16385x1
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
    CHECK((*image)->rgba.size() == pixels * 4);
  }
}

TEST_CASE("cropping clips to the image", "[image]") {
  const Image image = noise(10, 8);
  const auto part = qa::crop_image(image, {8, 6, 100, 100});
  REQUIRE(part);
  CHECK((*part)->width == 2);
  CHECK((*part)->height == 2);
  CHECK((*part)->rgba == [&] {
    Pixels expected(&image.rgba[(6 * 10 + 8) * 4], &image.rgba[(6 * 10 + 8) * 4] + 8);
    expected.insert(expected.end(), &image.rgba[(7 * 10 + 8) * 4], &image.rgba[(7 * 10 + 8) * 4] + 8);
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
  for (const std::size_t pixel : {0, 1, 4, 6}) std::fill_n(&halves.rgba[pixel * 4], 3, std::uint8_t{200});
  CHECK(qa::luma_grid(halves, 2, 1) == std::string("\x96\x32"));
  CHECK(qa::luma_grid(halves, 1, 2) == std::string("\x64\x64"));
}

TEST_CASE("a grid covers every pixel of an image that it does not divide", "[image]") {
  for (int column = 0; column < 101; ++column) {
    Image image = solid(101, 1, 0, 0, 0);
    std::fill_n(&image.rgba[static_cast<std::size_t>(column) * 4], 3, std::uint8_t{255});
    INFO(column);
    CHECK(qa::luma_grid(image, 64, 36).find_first_not_of('\0') != std::string::npos);
  }
}

TEST_CASE("an image smaller than the grid repeats its pixels", "[image]") {
  Image image = solid(2, 1, 0, 0, 0);
  std::fill_n(&image.rgba[4], 3, std::uint8_t{255});
  CHECK(qa::luma_grid(image, 4, 2) == std::string("\0\0\xff\xff\0\0\xff\xff", 8));
  CHECK(qa::luma_grid(Image{}, 2, 2) == std::string(4, '\0'));
  CHECK(qa::luma_grid(image, 0, 5).empty());
}
