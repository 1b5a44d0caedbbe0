#include "host/base64.h"

#include <catch2/catch.hpp>

using qa::decode_base64;

TEST_CASE("base64 is decoded by the vectors of RFC 4648", "[base64]") {
  CHECK(decode_base64("") == "");
  CHECK(decode_base64("Zg==") == "f");
  CHECK(decode_base64("Zm8=") == "fo");
  CHECK(decode_base64("Zm9v") == "foo");
  CHECK(decode_base64("Zm9vYg==") == "foob");
  CHECK(decode_base64("Zm9vYmE=") == "fooba");
  CHECK(decode_base64("Zm9vYmFy") == "foobar");
  CHECK(decode_base64("AP+/4A==") == std::string("\x00\xff\xbf\xe0", 4));
}

TEST_CASE("bad base64 is refused wherever it is bad", "[base64]") {
  for (const char* text : {"Z", "Zg", "Zg=", "Zm9vY", "=", "====", "Z===", "Zg=a", "Zm9v Zg==", "Zm9v\nZm9v", "Zm9-",
                           "Zm9_", "Z*9vZm9v", "Zm9vZm9*", "Zg==Zg==", "Zh==", "Zm9=",
                           "\xc3\xa4"
                           "9v",
                           "Zm9vZm\x80v"}) {
    INFO(text);
    CHECK_FALSE(decode_base64(text));
  }
}

TEST_CASE("every byte value survives at every place of a group", "[base64]") {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  for (int i = 0; i < 256 * 3; ++i) bytes += static_cast<char>(i * 7 + i / 256);
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned word = 0;
    for (std::size_t j = i; j < i + 3; ++j) word = word << 8 | static_cast<unsigned char>(bytes[j]);
    for (int shift = 18; shift >= 0; shift -= 6) text += alphabet[word >> shift & 63];
  }
  CHECK(decode_base64(text) == bytes);
}
