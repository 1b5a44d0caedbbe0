// libFuzzer: from the bytes of the DevTools pipe to the bytes of a picture. The first byte says how the input is split.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "host/base64.h"
#include "host/browser/cdp_frame.h"

namespace {

/// What was cut out of a frame holds no quote, and what decodes is shorter by a quarter.
void check(const std::string& cut) {
  if (cut.find('"') != std::string::npos) std::abort();
  const auto bytes = qa::decode_base64(cut);
  if (bytes && (cut.size() % 4 != 0 || bytes->size() > cut.size() / 4 * 3 || bytes->size() + 2 < cut.size() / 4 * 3)) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto* bytes = reinterpret_cast<const char*>(data) + 1;
  const std::size_t step = 1 + data[0] % 64U;
  check(std::string(bytes, size - 1).substr(0, std::string(bytes, size - 1).find('"')));
  qa::FrameBuffer frames(256);
  for (std::size_t at = 0; at + 1 < size; at += step) {
    frames.append(bytes + at, std::min(step, size - 1 - at));
    while (auto frame = frames.next()) {
      qa::leading_id(frame->text);
      std::string other = frame->text;
      check(qa::cut_screenshot(frame->text));
      check(qa::cut_screencast(other));
    }
  }
  return 0;
}
