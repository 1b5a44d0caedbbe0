#include "tests/support/fault_server.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "host/net/tls.h"

namespace qa::test {

Peer::~Peer() {
  if (tls_) {
    SSL_shutdown(tls_);
    SSL_free(tls_);
  }
  std::lock_guard lock(server_.mutex_);
  server_.open_.remove(fd_);
  ::close(fd_);
  ++server_.closed_;
}

std::string Peer::request() {
  for (;;) {
    const std::size_t end = pending_.find("\r\n\r\n"), field = pending_.find("Content-Length: ");
    const std::size_t whole =
        field < end && end != pending_.npos ? end + 4 + std::stoul(pending_.substr(field + 16, 12)) : end + 4;
    if (end != pending_.npos && pending_.size() >= whole) {
      const std::string request = pending_.substr(0, whole);
      pending_.erase(0, whole);
      server_.count(request);
      return request;
    }
    char chunk[65536];
    const long got = read_some(chunk, sizeof chunk);
    if (got <= 0) return "";
    pending_.append(chunk, static_cast<std::size_t>(got));
  }
}

bool Peer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const long sent = tls_ ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                           : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void Peer::trickle(std::string_view bytes, std::chrono::milliseconds gap, bool endless) {
  do {
    for (const char byte : bytes) {
      if (!send({&byte, 1})) return;
      pollfd gone{fd_, POLLIN | POLLRDHUP, 0};
      if (::poll(&gone, 1, static_cast<int>(gap.count())) != 0) return;
    }
  } while (endless);
}

void Peer::take_some() {
  char byte;
  read_some(&byte, 1);
}

void Peer::hold() {
  char chunk[4096];
  while (read_some(chunk, sizeof chunk) > 0) {
  }
}

void Peer::reset() {
  const linger now = {1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

void Peer::cut() { SSL_set_quiet_shutdown(tls_, 1); }

bool Peer::start_tls(const TlsManner& manner) {
  if (!openssl_fault().empty()) return false;
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (manner.is_old) {
    SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context.get(), TLS1_1_VERSION);
    SSL_CTX_set_cipher_list(context.get(), "DEFAULT@SECLEVEL=0");
  }
  SSL_CTX_use_certificate(context.get(), manner.identity.certificate.get());
  SSL_CTX_use_PrivateKey(context.get(), manner.identity.key.get());
  tls_ = SSL_new(context.get());
  SSL_set_fd(tls_, fd_);
  const bool is_done = SSL_accept(tls_) == 1;
  if (const char* name = SSL_get_servername(tls_, TLSEXT_NAMETYPE_host_name)) wanted_name_ = name;
  return is_done;
}

long Peer::read_some(char* to, std::size_t count) {
  return tls_ ? SSL_read(tls_, to, static_cast<int>(count)) : ::recv(fd_, to, count, 0);
}

FaultServer::FaultServer(Script script) : script_(std::move(script)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0) ::listen(listener_, 64);
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  accepting_ = std::thread([this] { accept(); });
}

FaultServer::~FaultServer() {
  {
    std::lock_guard lock(mutex_);
    is_stopping_ = true;
    for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
  }
  ::shutdown(listener_, SHUT_RDWR);
  accepting_.join();
  for (auto& thread : threads_) thread.join();
  ::close(listener_);
}

std::string FaultServer::url(const std::string& path, const std::string& start) const {
  return start + ":" + std::to_string(port_) + path;
}

int FaultServer::connections() const {
  std::lock_guard lock(mutex_);
  return connections_;
}

int FaultServer::closed() const {
  std::lock_guard lock(mutex_);
  return closed_;
}

std::vector<std::string> FaultServer::requests() const {
  std::lock_guard lock(mutex_);
  return requests_;
}

void FaultServer::accept() {
  for (;;) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    std::lock_guard lock(mutex_);
    if (is_stopping_) {
      ::close(fd);
      return;
    }
    open_.push_back(fd);
    const int number = ++connections_;
    threads_.emplace_back([this, fd, number] {
      sigset_t broken_pipe;  // OpenSSL writes without MSG_NOSIGNAL.
      sigemptyset(&broken_pipe);
      sigaddset(&broken_pipe, SIGPIPE);
      pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
      Peer peer(*this, fd, number);
      script_(peer);
    });
  }
}

void FaultServer::count(const std::string& request) {
  std::lock_guard lock(mutex_);
  requests_.push_back(request);
}

}  // namespace qa::test
