#pragma once
// GateServer: what stands in front of a staging build, on loopback: answers by path, and keeps every request it got.

#include <map>
#include <string>
#include <vector>

#include "tests/support/fault_server.h"

namespace qa::test {

class GateServer {
 public:
  /// Adds a path; `head` is more header lines, each with its end.
  void page(const std::string& path, const std::string& body, const std::string& head = "Content-Type: text/html\r\n",
            const std::string& status = "200 OK") {
    answers_[path] =
        "HTTP/1.1 " + status + "\r\n" + head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  /// A path whose connection does what a script says, and ends then.
  void scripted(const std::string& path, FaultServer::Script script) { scripts_[path] = std::move(script); }
  /// A path that wants a password first.
  void locked(const std::string& path) { locked_ = path; }

  std::string origin(const std::string& host = "127.0.0.1") const { return "http://" + host + ":" + port(); }
  std::string port() const { return std::to_string(server_.port()); }
  /// The last request for this path, in lower case; "" when there was none.
  std::string last(const std::string& path) const {
    std::string found;
    for (const std::string& request : server_.requests()) {
      if (path_of(request) == path) found = request;
    }
    for (char& c : found) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return found;
  }
  int count(const std::string& path) const {
    int count = 0;
    for (const std::string& request : server_.requests()) count += path_of(request) == path;
    return count;
  }
  std::vector<std::string> requests() const { return server_.requests(); }
  /// Does any request hold this?
  bool got(const std::string& text) const {
    for (const std::string& request : server_.requests()) {
      if (request.find(text) != request.npos) return true;
    }
    return false;
  }

 private:
  static std::string path_of(const std::string& request) {
    const std::size_t begin = request.find(' ') + 1;
    return request.substr(begin, request.find_first_of(" ?", begin) - begin);
  }
  void serve(Peer& peer) {
    for (std::string request; !(request = peer.request()).empty();) {
      const std::string path = path_of(request);
      if (const auto script = scripts_.find(path); script != scripts_.end()) return script->second(peer);
      const auto found = answers_.find(path);
      std::string answer = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
      if (found != answers_.end()) answer = found->second;
      if (path == locked_ && request.find("\r\nAuthorization: Basic YW5uYTpzZXNhbWUtb3BlbnM=\r\n") == request.npos) {
        answer = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"stage\"\r\nContent-Length: 0\r\n\r\n";
      }
      if (!peer.send(answer)) return;
    }
  }

  std::map<std::string, std::string> answers_;  ///< Complete before the first request.
  std::map<std::string, FaultServer::Script> scripts_;
  std::string locked_;
  FaultServer server_{[this](Peer& peer) { serve(peer); }};
};

}  // namespace qa::test
