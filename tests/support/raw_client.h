#pragma once
// RawClient: one connection to a server on loopback that speaks plain bytes, so that tests say what no client library
// would.

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

namespace qa::test {

/// One connection that speaks plain bytes.
class RawClient {
 public:
  explicit RawClient(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience = {20, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { ::close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool is_connected() const { return connected_; }
  /// Whether the last read met the end of the connection, not of the patience.
  bool is_closed() const { return is_closed_; }
  void send(const std::string& text) { sent_ = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL); }
  /// Everything until the server closes.
  std::string read_all() {
    while (read_some()) {
    }
    return std::exchange(received_, {});
  }
  /// One answer, by its Content-Length; what follows is kept.
  std::string read_answer() {
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == received_.npos) {
      if (!read_some()) return std::exchange(received_, {});
    }
    const std::size_t field = received_.find("Content-Length: ");
    const std::size_t total = end + 4 + std::stoul(received_.substr(field + 16));
    while (received_.size() < total && read_some()) {
    }
    const std::string answer = received_.substr(0, total);
    received_.erase(0, total);
    return answer;
  }
  /// Up to and with the first `mark`; what follows is kept.
  std::string read_until(const std::string& mark) {
    std::size_t at = 0;
    while ((at = received_.find(mark)) == received_.npos) {
      if (!read_some()) return std::exchange(received_, {});
    }
    const std::string text = received_.substr(0, at + mark.size());
    received_.erase(0, at + mark.size());
    return text;
  }
  std::string read_head() { return read_until("\r\n\r\n"); }
  /// Says that it sends no more.
  void end() { ::shutdown(fd_, SHUT_WR); }
  /// Closes with a reset instead of an orderly end.
  void vanish() {
    const linger now = {1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }

 private:
  bool read_some() {
    char chunk[65536];
    const ssize_t got = ::recv(fd_, chunk, sizeof chunk, 0);
    if (got > 0) received_.append(chunk, static_cast<std::size_t>(got));
    is_closed_ = got == 0 || (got < 0 && errno == ECONNRESET);
    return got > 0;
  }
  int fd_;
  bool connected_ = false;
  bool is_closed_ = false;
  ssize_t sent_ = 0;
  std::string received_;
};

inline int status_of(const std::string& answer) { return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3)); }
inline std::string body_of(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == answer.npos ? "no answer" : answer.substr(end + 4);
}
inline bool has_line(const std::string& answer, const std::string& line) {
  return answer.find("\r\n" + line + "\r\n") != answer.npos;
}

}  // namespace qa::test
