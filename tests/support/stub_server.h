#pragma once
// StubServer: says exactly the bytes a test wants, also wrong or unfinished ones, on a thread of its own.

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace qa::test {

class StubServer {
 public:
  StubServer();
  ~StubServer();
  StubServer(const StubServer&) = delete;
  StubServer& operator=(const StubServer&) = delete;

  /// "http://127.0.0.1:PORT/path"; another host name makes it another site.
  std::string url(const std::string& path, const std::string& host = "127.0.0.1") const;
  /// A whole HTML document. Paths are registered without a query, and answer with any.
  void page(const std::string& path, const std::string& html, const std::string& status = "200 OK");
  /// Raw bytes after which the connection is closed. Empty bytes: the request is never answered.
  void raw(const std::string& path, const std::string& bytes);
  int requests(const std::string& path);

 private:
  void serve();
  void answer(int connection, const std::string& path);

  int listener_ = -1, port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::map<std::string, std::string> answers_;
  std::map<std::string, int> counts_;
  std::vector<int> held_;
  std::thread thread_;
};

}  // namespace qa::test
