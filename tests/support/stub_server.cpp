#include "tests/support/stub_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string_view>

namespace qa::test {

StubServer::StubServer() {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0) ::listen(listener_, 64);
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

StubServer::~StubServer() {
  stopping_ = true;
  thread_.join();
  for (const int held : held_) ::close(held);
  ::close(listener_);
}

std::string StubServer::url(const std::string& path, const std::string& host) const {
  return "http://" + host + ":" + std::to_string(port_) + path;
}

void StubServer::page(const std::string& path, const std::string& html, const std::string& status) {
  raw(path, "HTTP/1.1 " + status +
                "\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\nContent-Length: " +
                std::to_string(html.size()) + "\r\n\r\n" + html);
}

void StubServer::raw(const std::string& path, const std::string& bytes) {
  std::lock_guard lock(mutex_);
  answers_[path] = bytes;
}

int StubServer::requests(const std::string& path) {
  std::lock_guard lock(mutex_);
  return counts_[path];
}

/// Connections that have said nothing yet (a browser opens some ahead of need) wait in `pending`.
void StubServer::serve() {
  std::map<int, std::string> pending;
  while (!stopping_) {
    std::vector<pollfd> watched{{listener_, POLLIN, 0}};
    for (const auto& [fd, text] : pending) watched.push_back({fd, POLLIN, 0});
    if (::poll(watched.data(), watched.size(), 20) <= 0) continue;
    if (watched[0].revents != 0) pending[::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)] = "";
    for (std::size_t i = 1; i < watched.size(); ++i) {
      if (watched[i].revents == 0) continue;
      char buffer[8192];
      const ssize_t size = ::read(watched[i].fd, buffer, sizeof buffer);
      std::string& text = pending[watched[i].fd];
      if (size > 0) text.append(buffer, static_cast<std::size_t>(size));
      if (size <= 0) ::close(watched[i].fd);
      const bool whole = text.find("\r\n\r\n") != std::string::npos;
      if (size > 0 && whole)
        answer(watched[i].fd, text.substr(text.find(' ') + 1, text.find(' ', 5) - text.find(' ') - 1));
      if (size <= 0 || whole) pending.erase(watched[i].fd);
    }
  }
  for (const auto& [fd, text] : pending) ::close(fd);
}

void StubServer::answer(int connection, const std::string& path) {
  std::string bytes = "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 4\r\n\r\nnone";
  {
    std::lock_guard lock(mutex_);
    ++counts_[path];
    if (const auto known = answers_.find(path.substr(0, path.find('?'))); known != answers_.end())
      bytes = known->second;
  }
  if (bytes.empty()) {
    held_.push_back(connection);
    return;
  }
  for (std::string_view left = bytes; !left.empty();) {
    const ssize_t size = ::send(connection, left.data(), left.size(), MSG_NOSIGNAL);
    if (size <= 0) break;
    left.remove_prefix(static_cast<std::size_t>(size));
  }
  ::shutdown(connection, SHUT_WR);
  ::close(connection);
}

}  // namespace qa::test
