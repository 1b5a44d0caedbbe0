// libFuzzer: reading HTTP answers. The first byte is the size of the packets; an answer that is complete in packets has
// to be the same answer in one piece.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "host/net/http_answer.h"

namespace {

constexpr std::size_t kMaxBody = 2000;

struct Reading {
  std::string body;
  qa::HttpAnswer answer{1000, kMaxBody, true, [this](std::string_view piece) {
                          body += piece;
                          return qa::BodyStep::more;
                        }};

  void take(std::string_view bytes, std::size_t size) {
    while (!bytes.empty() && answer.state() <= qa::HttpAnswer::State::body) {
      const std::size_t count = std::min(size, bytes.size());
      std::memcpy(answer.room(count), bytes.data(), count);
      answer.take(count);
      bytes.remove_prefix(count);
    }
    answer.end();
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Reading packets, whole;
  packets.take(bytes, 1 + data[0] % 64);
  whole.take(bytes, bytes.size());
  if (packets.body.size() > kMaxBody || whole.body.size() > kMaxBody) std::abort();
  const bool is_complete = packets.answer.state() == qa::HttpAnswer::State::complete;
  if (is_complete && (packets.body != whole.body || packets.answer.state() != whole.answer.state())) std::abort();
  return 0;
}
