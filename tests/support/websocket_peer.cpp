#include "tests/support/websocket_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/sha.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/base64.h"

namespace qa::test {
namespace {

/// Sec-WebSocket-Accept for the key in the head of a request (RFC 6455, 4.2.2).
std::string accept_key(const std::string& head) {
  const std::string name = "Sec-WebSocket-Key: ";
  const std::size_t start = head.find(name) + name.size();
  const std::string text = head.substr(start, head.find('\r', start) - start) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  unsigned char digest[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  return encode_base64({reinterpret_cast<const char*>(digest), sizeof digest});
}

}  // namespace

WebSocketPeer::WebSocketPeer(std::string answer) : answer_(std::move(answer)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
  ::listen(listener_, 1);
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  accepting_ = std::thread([this] { accept(); });
}

WebSocketPeer::~WebSocketPeer() {
  ::shutdown(listener_, SHUT_RDWR);
  if (accepting_.joinable()) accepting_.join();
  end();
  ::close(listener_);
}

std::string WebSocketPeer::url(const std::string& path) const {
  return "ws://127.0.0.1:" + std::to_string(port_) + path;
}

void WebSocketPeer::accept() {
  socket_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket_ < 0) return;
  char byte = 0;
  while (!request_.ends_with("\r\n\r\n") && ::read(socket_, &byte, 1) == 1) request_ += byte;
  send(!answer_.empty() ? answer_
                        : "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          "Sec-WebSocket-Accept: " +
                              accept_key(request_) + "\r\n\r\n");
}

const std::string& WebSocketPeer::request() {
  if (accepting_.joinable()) accepting_.join();
  return request_;
}

std::string WebSocketPeer::frame(int opcode, std::string_view payload, bool is_last) {
  std::string bytes(1, static_cast<char>(opcode | (is_last ? 0x80 : 0)));
  const std::size_t size = payload.size();
  const int length_bytes = size < 126 ? 0 : size < 65536 ? 2 : 8;
  bytes += static_cast<char>(length_bytes == 0 ? size : length_bytes == 2 ? 126 : 127);
  for (int i = length_bytes - 1; i >= 0; --i) bytes += static_cast<char>(size >> (8 * i) & 0xff);
  return bytes.append(payload);
}

void WebSocketPeer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

std::vector<WebSocketPeer::Frame> WebSocketPeer::take_frames() {
  request();
  char buffer[65536];
  for (ssize_t size; (size = ::recv(socket_, buffer, sizeof buffer, MSG_DONTWAIT)) > 0;) {
    inbox_.append(buffer, static_cast<std::size_t>(size));
  }
  std::vector<Frame> frames;
  const auto byte = [this](std::size_t at) { return static_cast<unsigned char>(inbox_[at]); };
  while (inbox_.size() >= 6) {
    std::size_t size = byte(1) & 0x7fu, at = 2;
    const std::size_t length_bytes = size < 126 ? 0 : size == 126 ? 2 : 8;
    if (inbox_.size() < 6 + length_bytes) break;
    if (length_bytes > 0) size = 0;
    for (std::size_t i = 0; i < length_bytes; ++i) size = size << 8 | byte(at++);
    if (inbox_.size() < at + 4 + size) break;
    Frame frame{byte(0) & 0x0f, inbox_.substr(at + 4, size)};
    for (std::size_t i = 0; i < size; ++i) frame.payload[i] = static_cast<char>(frame.payload[i] ^ inbox_[at + i % 4]);
    inbox_.erase(0, at + 4 + size);
    frames.push_back(std::move(frame));
  }
  return frames;
}

void WebSocketPeer::reset() {
  const linger now{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  end();
}

void WebSocketPeer::end() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void WebSocketPeer::stop_reading() { ::shutdown(socket_, SHUT_RD); }

}  // namespace qa::test
