#include "host/net/http_answer.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

using namespace qa;
using State = HttpAnswer::State;

namespace {

constexpr std::uint32_t kMaxHeader = 64 * 1024;

/// An answer and what its body came to.
struct Reading {
  std::string body;
  HttpAnswer answer;

  explicit Reading(std::size_t max_body = 1 << 20, std::uint32_t max_header = kMaxHeader, bool has_body = true)
      : answer(max_header, max_body, has_body, [this](std::string_view piece) {
          body += piece;
          return BodyStep::more;
        }) {}

  /// In packets of `size` bytes, until the answer is over.
  State take(std::string_view bytes, std::size_t size = 1 << 16) {
    while (!bytes.empty() && answer.state() <= State::body) {
      const std::size_t count = std::min(size, bytes.size());
      std::memcpy(answer.room(count), bytes.data(), count);
      answer.take(count);
      bytes.remove_prefix(count);
    }
    return answer.state();
  }
};

std::string with_length(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

const std::string kChunked =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;x=y\r\nWiki\r\nA\r\npedia in\r\n\r\n0\r\nX-After: "
    "1\r\n\r\n";

}  // namespace

TEST_CASE("an answer is the same however it is cut into packets", "[http]") {
  for (std::size_t size = 1; size < 40; ++size) {
    CAPTURE(size);
    Reading whole;
    CHECK(whole.take(with_length(std::string("a\0b\xff", 4)), size) == State::complete);
    CHECK(whole.body == std::string("a\0b\xff", 4));
    CHECK(whole.answer.leaves_connection());

    Reading chunked;
    CHECK(chunked.take(kChunked, size) == State::complete);
    CHECK(chunked.body == "Wikipedia in\r\n");
    CHECK(chunked.answer.response().headers.size() == 1);
    CHECK(chunked.answer.leaves_connection());
  }
}

TEST_CASE("an empty body in chunks is the same however it is cut", "[http]") {
  for (std::size_t size = 1; size < 10; ++size) {
    Reading reading;
    CHECK(reading.take("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", size) == State::complete);
    CHECK(reading.body.empty());
  }
}

TEST_CASE("a body without length lasts until the end of the connection", "[http]") {
  Reading reading;
  CHECK(reading.take("HTTP/1.1 200 OK\r\n\r\nsome") == State::body);
  CHECK(reading.answer.end() == State::complete);
  CHECK(reading.body == "some");
  CHECK_FALSE(reading.answer.leaves_connection());
}

TEST_CASE("the end of the connection completes nothing that promised more", "[http]") {
  for (const char* bytes : {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsome", "HTTP/1.1 200 OK\r\nContent-Le",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWiki\r\n",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
    CAPTURE(bytes);
    Reading reading;
    reading.take(bytes);
    CHECK(reading.answer.end() <= State::body);
  }
}

TEST_CASE("interim answers are passed over", "[http]") {
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += "HTTP/1.1 10" + std::to_string(i % 2 * 2) + " Go on\r\nX-Interim: 1\r\n\r\n";
  Reading reading;
  CHECK(reading.take(bytes + with_length("{}"), 7) == State::complete);
  CHECK(reading.answer.response().status == 200);
  CHECK(reading.answer.response().headers.size() == 1);
  CHECK(reading.body == "{}");
}

TEST_CASE("endless heads are cut off", "[http]") {
  std::string interim;
  while (interim.size() <= kMaxHeader) interim += "HTTP/1.1 100 Continue\r\n\r\n";
  CHECK(Reading().take(interim) == State::malformed);
  CHECK(Reading().take("HTTP/1.1 200 OK\r\nX: " + std::string(1 << 20, 'x')) == State::malformed);
  std::string many = "HTTP/1.1 200 OK\r\n";
  while (many.size() <= kMaxHeader + 100) many += "X-Header-Of-This: 1\r\n";
  CHECK(Reading().take(many) == State::malformed);
}

TEST_CASE("a thousand headers are no reason to fail", "[http]") {
  std::string head = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 1000; ++i) head += "X-" + std::to_string(i) + ": value\r\n";
  Reading reading;
  CHECK(reading.take(head + "Content-Length: 2\r\n\r\n{}", 1000) == State::complete);
  CHECK(*reading.answer.response().header("x-999") == "value");
}

TEST_CASE("statuses without a body end with their head", "[http]") {
  for (const char* head :
       {"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"}) {
    Reading reading;
    CHECK(reading.take(std::string(head)) == State::complete);
    CHECK(reading.answer.leaves_connection());
    Reading with_rest;
    CHECK(with_rest.take(std::string(head) + "hello") == State::complete);
    CHECK(with_rest.body.empty());
    CHECK_FALSE(with_rest.answer.leaves_connection());
  }
  Reading to_head(1 << 20, kMaxHeader, false);
  CHECK(to_head.take("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n") == State::complete);
}

TEST_CASE("what is no answer of HTTP/1.1 is refused", "[http]") {
  const std::string ok = "HTTP/1.1 200 OK\r\n", chunked = ok + "Transfer-Encoding: chunked\r\n";
  const std::string bad[] = {
      "hello there\r\n\r\n",
      "\x15\x03\x03\x02\x02\x16\x03\x03\x02",
      "HTTP/2.0 200 OK\r\n\r\n",
      "HTTP/1.1 20 OK\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      ok + "no colon\r\n\r\n",
      ok + std::string("X: a\0b\r\n\r\n", 10),
      ok + std::string("X\0: a\r\n\r\n", 9),
      ok + "Content-Length: 1x\r\n\r\n",
      ok + "Content-Length: -1\r\n\r\n",
      ok + "Content-Length: 99999999999999999999\r\n\r\n",
      ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
      chunked + "Content-Length: 1\r\n\r\n",
      ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      chunked + "Transfer-Encoding: chunked\r\n\r\n",
      ok + "Transfer-Encoding: gzip, chunked\r\n\r\n",
      ok + "Transfer-Encoding: gzip\r\n\r\n",
      chunked + "\r\nxyz\r\n",
      chunked + "\r\n-1\r\n\r\n",
      chunked + "\r\nFFFFFFFFFFFFFFFFF\r\n",
      chunked + "\r\n4\r\nWikiX\r\n0\r\n\r\n",
      chunked + "\r\n4" + std::string(20 * 1024, ' '),
      chunked + "\r\n0\r\n" + std::string(20 * 1024, 'x'),
      ok + "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08",
  };
  for (const std::string& bytes : bad) {
    CAPTURE(bytes.substr(0, 100));
    Reading reading;
    CHECK(reading.take(bytes, 1000) == State::malformed);
    CHECK_FALSE(reading.answer.fault().empty());
    CHECK_FALSE(reading.answer.leaves_connection());
    Reading slow;
    CHECK(slow.take(bytes, 1) != State::complete);
  }
}

TEST_CASE("a body that grows beyond its limit is too large, however it comes", "[http]") {
  const std::string long_body(101, 'x');
  CHECK(Reading(101).take(with_length(long_body)) == State::complete);
  CHECK(Reading(100).take(with_length(long_body)) == State::too_large);
  CHECK(Reading(100).take("HTTP/1.1 200 OK\r\nContent-Length: 200000000\r\n\r\n") == State::too_large);
  CHECK(Reading(100).take("HTTP/1.1 200 OK\r\n\r\n" + long_body, 10) == State::too_large);
  std::string chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 11; ++i) chunks += "a\r\n0123456789\r\n";
  Reading reading(100);
  CHECK(reading.take(chunks) == State::too_large);
  CHECK(reading.body.size() == 100);
}

TEST_CASE("a compressed error keeps its status", "[http]") {
  Reading reading;
  CHECK(reading.take("HTTP/1.1 429 Busy\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b") ==
        State::complete);
  CHECK(reading.answer.response().status == 429);
}

TEST_CASE("a reader that has enough gets no more", "[http]") {
  int pieces = 0;
  HttpAnswer answer(kMaxHeader, 1 << 20, true,
                    [&](std::string_view) { return ++pieces == 1 ? BodyStep::stop : BodyStep::more; });
  std::memcpy(answer.room(kChunked.size()), kChunked.data(), kChunked.size());
  CHECK(answer.take(kChunked.size()) == State::stopped);
  CHECK(pieces == 1);
  CHECK(answer.response().stopped);
  CHECK_FALSE(answer.leaves_connection());
}

TEST_CASE("the server decides whether its connection stays", "[http]") {
  Reading closing;
  closing.take("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  CHECK_FALSE(closing.answer.leaves_connection());
  Reading old;
  old.take("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n");
  CHECK_FALSE(old.answer.leaves_connection());
  Reading chatty;
  chatty.take(with_length("{}") + "more");
  CHECK(chatty.answer.state() == State::complete);
  CHECK_FALSE(chatty.answer.leaves_connection());
}
