#include "tests/support/fault_proxy.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

namespace qa::test {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

void send_at_once(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// Bytes of a frame of a server, head included; 0 while its head is not complete.
std::size_t frame_size(std::string_view head) {
  if (head.size() < 2) return 0;
  const std::size_t size = static_cast<unsigned char>(head[1]) & 0x7fu;
  const std::size_t length_bytes = size < 126 ? 0 : size == 126 ? 2 : 8;
  if (head.size() < 2 + length_bytes) return 0;
  std::size_t payload = length_bytes == 0 ? size : 0;
  for (std::size_t i = 0; i < length_bytes; ++i) payload = payload << 8 | static_cast<unsigned char>(head[2 + i]);
  return 2 + length_bytes + payload;
}

}  // namespace

FaultProxy::FaultProxy(int server_port, std::chrono::milliseconds delay) : server_port_(server_port), delay_(delay) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
  ::listen(listener_, 16);
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  if (::pipe2(wake_, O_CLOEXEC | O_NONBLOCK) == 0) thread_ = std::thread([this] { run(); });
}

FaultProxy::~FaultProxy() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake();
  if (thread_.joinable()) thread_.join();
  for (const Pair& pair : pairs_) ::close(pair.client), ::close(pair.server);
  for (const int fd : {listener_, wake_[0], wake_[1]}) ::close(fd);
}

void FaultProxy::wake() const { [[maybe_unused]] const auto written = ::write(wake_[1], "x", 1); }

void FaultProxy::each(const std::function<void(Pair&)>& act) {
  const std::lock_guard lock(mutex_);
  for (Pair& pair : pairs_) act(pair);
  wake();
}

void FaultProxy::stall() {
  each([this](Pair&) { stalled_ = true; });
}

void FaultProxy::reset() {
  each([this](Pair& pair) {
    stalled_ = true;
    const linger now{1, 0};
    ::setsockopt(pair.client, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    ::close(pair.client);
    pair.client = -1;
  });
}

void FaultProxy::end() {
  each([this](Pair& pair) {
    stalled_ = true;
    ::shutdown(pair.client, SHUT_WR);
  });
}

void FaultProxy::inject(const std::string& frames) {
  each([&](Pair& pair) {
    if (pair.is_upgraded) pair.injected += frames;
  });
}

int FaultProxy::turns() const {
  const std::lock_guard lock(mutex_);
  return turns_;
}

void FaultProxy::accept() {
  Pair pair;
  pair.client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  pair.server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(server_port_);
  if (::connect(pair.server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(pair.client);
    ::close(pair.server);
    return;
  }
  send_at_once(pair.client);
  send_at_once(pair.server);
  pairs_.push_back(std::move(pair));
}

bool FaultProxy::read(int from, std::deque<Chunk>& into) const {
  char buffer[65536];
  const ssize_t size = ::recv(from, buffer, sizeof buffer, MSG_DONTWAIT);
  if (size > 0) into.push_back({Clock::now() + delay_, std::string(buffer, static_cast<std::size_t>(size))});
  return size > 0 || (size < 0 && errno == EAGAIN);
}

void FaultProxy::write(int to, const std::string& bytes) {
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t size = ::send(to, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (size <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(size));
  }
}

std::size_t FaultProxy::up_to_frame_end(Pair& pair, std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (!pair.is_upgraded) {
      pair.head += bytes[at++];
      if (!pair.head.ends_with("\r\n\r\n")) continue;
      pair.is_upgraded = pair.head.find(" 101 ") != std::string::npos;
      pair.head.clear();
      if (!pair.is_upgraded) return bytes.size();
    } else if (pair.skip > 0) {
      const std::size_t part = std::min(pair.skip, bytes.size() - at);
      pair.skip -= part;
      at += part;
    } else {
      pair.head += bytes[at++];
      const std::size_t size = frame_size(pair.head);
      if (size == 0) continue;
      pair.skip = size - pair.head.size();
      pair.head.clear();
    }
    if (pair.is_upgraded && pair.skip == 0 && pair.head.empty()) return at;
  }
  return at;
}

void FaultProxy::forward(Pair& pair) {
  const auto now = Clock::now();
  for (; !pair.to_server.empty() && pair.to_server.front().due <= now; pair.to_server.pop_front()) {
    write(pair.server, pair.to_server.front().bytes);
    if (!std::exchange(last_to_server_, true)) ++turns_;
  }
  for (; !pair.to_client.empty() && pair.to_client.front().due <= now; pair.to_client.pop_front()) {
    last_to_server_ = false;
    std::string_view bytes = pair.to_client.front().bytes;
    while (!bytes.empty()) {
      if (!pair.injected.empty() && pair.is_upgraded && pair.skip == 0 && pair.head.empty()) {
        write(pair.client, std::exchange(pair.injected, {}));
      }
      const std::size_t count = up_to_frame_end(pair, bytes);
      write(pair.client, std::string(bytes.substr(0, count)));
      bytes.remove_prefix(count);
    }
  }
  const bool is_between = pair.is_upgraded && pair.skip == 0 && pair.head.empty();
  if (!pair.injected.empty() && is_between) write(pair.client, std::exchange(pair.injected, {}));
}

void FaultProxy::run() {
  while (true) {
    std::vector<pollfd> waits{{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
    int wait_ms = -1;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      for (const Pair& pair : pairs_) {
        if (stalled_) continue;
        waits.push_back({pair.client, POLLIN, 0});
        waits.push_back({pair.server, POLLIN, 0});
        for (const auto* queue : {&pair.to_client, &pair.to_server}) {
          if (queue->empty()) continue;
          const auto rest = std::chrono::ceil<std::chrono::milliseconds>(queue->front().due - Clock::now());
          const int ms = std::max(0, static_cast<int>(rest.count()));
          wait_ms = wait_ms < 0 ? ms : std::min(wait_ms, ms);
        }
      }
    }
    ::poll(waits.data(), waits.size(), wait_ms);
    char drained[64];
    while (::read(wake_[0], drained, sizeof drained) > 0) continue;
    const std::lock_guard lock(mutex_);
    if (waits[1].revents & POLLIN) accept();
    if (stalled_) continue;
    for (auto pair = pairs_.begin(); pair != pairs_.end();) {
      const bool client_lives = read(pair->client, pair->to_server);
      const bool lives = read(pair->server, pair->to_client) && client_lives;
      forward(*pair);
      if (!lives && pair->to_client.empty() && pair->to_server.empty()) {
        ::close(pair->client);
        ::close(pair->server);
        pair = pairs_.erase(pair);
      } else {
        ++pair;
      }
    }
  }
}

}  // namespace qa::test
