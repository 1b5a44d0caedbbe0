#include "host/llm/sent_image.h"

#include <stb/stb_image_write.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <thread>

#include "host/base64.h"
#include "host/llm/cassette.h"

using qa::Image;
using qa::Picture;
using qa::SentImage;

namespace {

qa::PicturePtr picture_of(Image image) {
  return std::make_shared<Picture>(std::make_shared<const Image>(std::move(image)));
}

/// A game of few colours: boxes on a ground.
Image flat() {
  Image image(640, 360, 3);
  for (int y = 0; y < 360; ++y) {
    for (int x = 0; x < 640; ++x) {
      std::uint8_t* pixel = image.row(y) + x * 3;
      const bool inside = x % 80 < 50 && y % 60 < 40;
      pixel[0] = inside ? 250 : 20;
      pixel[1] = static_cast<std::uint8_t>(inside ? x / 80 * 30 : 40);
      pixel[2] = 90;
    }
  }
  return image;
}

/// What a camera sees: slopes with some noise.
Image photograph(int channels = 3) {
  std::mt19937 random(5);
  Image image(640, 360, channels);
  for (int y = 0; y < 360; ++y) {
    for (int x = 0; x < 640; ++x) {
      std::uint8_t* pixel = image.row(y) + x * channels;
      for (int c = 0; c < channels; ++c) {
        const double slope = 128 + 90 * std::sin(x * 0.01 + c) * std::cos(y * 0.013);
        pixel[c] = static_cast<std::uint8_t>(slope + static_cast<double>(random() % 9));
      }
    }
  }
  return image;
}

std::string bytes_of(const SentImage& image) { return qa::decode_base64(*image.base64).value(); }

qa::Question question_with(const SentImage& image) {
  qa::Question question;
  question.messages.push_back({qa::Message::Role::user, {{"What?", {}}, {"", image}}, {}, "", ""});
  return question;
}

}  // namespace

TEST_CASE("a flat scene is sent as a PNG, exactly, and smaller than stb packs it", "[sent_image]") {
  const Image image = flat();
  const auto sent = qa::sent_image(*picture_of(image));
  REQUIRE(sent);
  CHECK(sent->media_type == "image/png");
  const auto again = qa::decode_image(bytes_of(*sent));
  REQUIRE(again);
  REQUIRE((*again)->pixels.size() == image.pixels.size());
  CHECK(std::memcmp((*again)->pixels.data(), image.pixels.data(), image.pixels.size()) == 0);
  std::string stb;
  const auto append = [](void* out, void* bytes, int size) {
    static_cast<std::string*>(out)->append(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
  };
  REQUIRE(stbi_write_png_to_func(append, &stb, 640, 360, 3, image.pixels.data(), 640 * 3));
  CHECK(bytes_of(*sent).size() < stb.size());
}

TEST_CASE("a photograph is sent as a JPEG of less than half the bytes", "[sent_image]") {
  const Image image = photograph();
  const auto sent = qa::sent_image(*picture_of(image));
  REQUIRE(sent);
  CHECK(sent->media_type == "image/jpeg");
  CHECK(bytes_of(*sent).size() * 2 < qa::encode_png(image).size());
  const auto again = qa::decode_image(bytes_of(*sent));
  REQUIRE(again);
  double off = 0;
  for (std::size_t i = 0; i < 640 * 360; ++i)
    off += std::abs(int{(*again)->pixels[i * 4 + 1]} - int{image.pixels[i * 3 + 1]});
  CHECK(off / (640 * 360) < 3);
}

TEST_CASE("a picture that two ask about at once is encoded once", "[sent_image]") {
  qa::SentImages images(false);
  const auto picture = picture_of(flat());
  std::shared_ptr<const std::string> seen[2];
  {
    std::jthread other([&] { seen[0] = images.of(picture)->base64; });
    seen[1] = images.of(picture)->base64;
  }
  CHECK(seen[0] == seen[1]);
  CHECK(*images.of(picture_of(flat()))->base64 == *seen[0]);
  CHECK(images.of(picture_of(photograph()))->media_type == "image/jpeg");
}

TEST_CASE("a picture that lets its ground shine through is no JPEG", "[sent_image]") {
  CHECK(qa::sent_image(*picture_of(photograph(4)))->media_type == "image/png");
}

TEST_CASE("what a picture came as is sent again where nothing is smaller", "[sent_image]") {
  const std::string jpeg = qa::encode_jpeg(photograph(), 60);
  const auto sent = qa::sent_image(**Picture::of(jpeg));
  REQUIRE(sent);
  CHECK(sent->media_type == "image/jpeg");
  CHECK(bytes_of(*sent) == jpeg);
}

TEST_CASE("a picture that cannot be decoded is not sent", "[sent_image]") {
  const auto broken = Picture::of(qa::encode_png(flat()).substr(0, 60));
  REQUIRE(broken);
  CHECK(qa::sent_image(**broken).error().kind == qa::ErrorKind::image_decode);
}

TEST_CASE("a cassette knows a picture by its pixels, however it is encoded", "[sent_image]") {
  const Image image = photograph();
  const auto fresh = qa::sent_image(*picture_of(image));
  const auto loaded = qa::sent_image(**Picture::of(qa::encode_png(image)));
  CHECK(fresh->sha256 == loaded->sha256);
  Image other = image;
  other.pixels[1000] ^= 1;
  CHECK(qa::sent_image(*picture_of(other))->sha256 != fresh->sha256);
  SentImage as_png = *fresh;
  as_png.media_type = "image/png";
  as_png.base64 = std::make_shared<const std::string>("AAEC");
  for (const auto kind :
       {qa::DialectKind::openai_chat, qa::DialectKind::openai_responses, qa::DialectKind::anthropic_messages}) {
    qa::Endpoint endpoint;
    endpoint.dialect = kind;
    const auto key = qa::cassette_key(endpoint, {}, question_with(*fresh), "action");
    const auto key_of_png = qa::cassette_key(endpoint, {}, question_with(as_png), "action");
    CHECK(key.exact == key_of_png.exact);
    CHECK(key.text == key_of_png.text);
    CHECK(key.images[0].media_type == "image/jpeg");
  }
}
