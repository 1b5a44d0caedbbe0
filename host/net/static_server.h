#pragma once
// StaticServer: serves one folder on 127.0.0.1 at a random port, so that a
// folder or an .html file is a target. Runs on the loop thread (file reads
// are small and local). By the rules of static_files.h, for requests that are
// addressed to 127.0.0.1:PORT or localhost:PORT (Host header).

#include <memory>
#include <string>

#include "host/error.h"
#include "host/event_loop.h"

namespace qa {

class HttpServer;
class StaticFiles;

class StaticServer {
 public:
  /// Starts serving `root` (an existing folder). io_error when it is not one or the socket fails.
  static Result<std::unique_ptr<StaticServer>> start(EventLoop& loop, const std::string& root);
  ~StaticServer();

  /// "http://127.0.0.1:PORT", no trailing slash. The same port answers to "localhost",
  /// which Chromium treats as another site.
  const std::string& origin() const { return origin_; }
  int port() const;
  /// The same answers without the socket.
  const std::shared_ptr<const StaticFiles>& files() const { return files_; }
  /// Requests answered so far, for tests.
  int request_count() const;

 private:
  StaticServer(std::unique_ptr<HttpServer> server, std::shared_ptr<const StaticFiles> files, std::string origin);

  std::unique_ptr<HttpServer> server_;
  std::shared_ptr<const StaticFiles> files_;
  std::string origin_;
};

}  // namespace qa
