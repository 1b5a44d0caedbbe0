#include "host/browser/cdp_frame.h"

#include <charconv>
#include <cstring>

#include "host/json_text.h"

namespace qa {
namespace {

constexpr std::size_t kHeadBytes = 256;
constexpr std::size_t kKeepBytes = std::size_t{1} << 20;

std::string cut_after(std::string& frame, std::string_view opening) {
  const std::size_t found = std::string_view(frame).substr(0, kHeadBytes).find(opening);
  if (found == std::string_view::npos) return {};
  const std::size_t begin = found + opening.size();
  const void* quote = std::memchr(frame.data() + begin, '"', frame.size() - begin);
  if (quote == nullptr) return {};
  const std::size_t end = static_cast<std::size_t>(static_cast<const char*>(quote) - frame.data());
  std::string base64 = frame.substr(begin, end - begin);
  frame.erase(begin, end - begin);
  return base64;
}

}  // namespace

void FrameBuffer::append(const char* bytes, std::size_t size) {
  if (skipping_) {
    const void* end = std::memchr(bytes, '\0', size);
    if (end == nullptr) return;
    const std::size_t dropped = static_cast<std::size_t>(static_cast<const char*>(end) - bytes) + 1;
    skipping_ = false;
    bytes += dropped;
    size -= dropped;
  }
  bytes_.append(bytes, size);
}

std::optional<WireMessage> FrameBuffer::next() {
  if (scanned_ < bytes_.size()) {
    const void* end = std::memchr(bytes_.data() + scanned_, '\0', bytes_.size() - scanned_);
    if (end != nullptr) {
      const std::size_t stop = static_cast<std::size_t>(static_cast<const char*>(end) - bytes_.data());
      WireMessage frame{bytes_.substr(start_, stop - start_), false};
      start_ = scanned_ = stop + 1;
      if (start_ == bytes_.size()) drop_consumed();
      return frame;
    }
    scanned_ = bytes_.size();
  }
  if (bytes_.size() - start_ > max_frame_) {
    WireMessage frame{bytes_.substr(start_, kHeadBytes), true};
    start_ = bytes_.size();
    skipping_ = true;
    drop_consumed();
    return frame;
  }
  drop_consumed();
  return std::nullopt;
}

void FrameBuffer::drop_consumed() {
  bytes_.erase(0, start_);
  scanned_ -= std::min(scanned_, start_);
  start_ = 0;
  if (bytes_.empty()) {
    scanned_ = 0;
    // One large answer must not hold its memory for the rest of the run.
    if (bytes_.capacity() > kKeepBytes) std::string().swap(bytes_);
  }
}

std::optional<std::int64_t> leading_id(std::string_view frame) {
  constexpr std::string_view kStart = "{\"id\":";
  if (frame.substr(0, kStart.size()) != kStart) return std::nullopt;
  std::int64_t id = 0;
  const auto [end, failed] = std::from_chars(frame.data() + kStart.size(), frame.data() + frame.size(), id);
  if (failed != std::errc{} || end == frame.data() + frame.size() || (*end != ',' && *end != '}')) return std::nullopt;
  return id;
}

std::optional<std::string_view> reply_result(std::string_view frame) {
  constexpr std::string_view kResult = ",\"result\":", kSession = ",\"sessionId\":\"";
  const std::size_t start = frame.find(',');
  if (start == frame.npos || frame.substr(start, kResult.size()) != kResult || frame.back() != '}') return std::nullopt;
  frame = frame.substr(start + kResult.size(), frame.size() - start - kResult.size() - 1);
  if (frame.empty() || frame.back() != '"') return frame;
  const std::size_t session = frame.rfind(kSession);
  if (session == frame.npos) return std::nullopt;
  return frame.substr(0, session);
}

std::string cut_screenshot(std::string& frame) { return cut_after(frame, ",\"result\":{\"data\":\""); }

std::string cut_screencast(std::string& frame) {
  constexpr std::string_view kStart = "{\"method\":\"Page.screencastFrame\",";
  if (frame.compare(0, kStart.size(), kStart) != 0) return {};
  return cut_after(frame, "\"params\":{\"data\":\"");
}

std::string compose_command(std::int64_t id, std::string_view session, std::string_view method,
                            std::string_view params) {
  std::string text;
  text.reserve(params.size() + method.size() + session.size() + 64);
  text.append("{\"id\":").append(std::to_string(id)).append(",\"method\":");
  append_quoted(text, method);
  if (!params.empty()) text.append(",\"params\":").append(params);
  if (!session.empty()) append_quoted(text.append(",\"sessionId\":"), session);
  text.push_back('}');
  return text;
}

}  // namespace qa
