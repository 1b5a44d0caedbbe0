#pragma once
// StaticFiles: answers requests for the files of one folder, without a socket. StaticServer serves it on loopback; the
// transport of a remote browser fulfils intercepted requests with it. Loop thread only.
//
// GET and HEAD, byte ranges, content types, index.html for folders, 404 otherwise. No path leaves the root, by dots,
// escapes or links. Private to the tester, hence 404 as well, wherever the path leads after links:
//   * files and folders whose name begins with a dot (.git, .env), but for .well-known in the root;
//   * runs: every folder below the root that holds trace.jsonl, every one named qa-runs, and trace.jsonl itself.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/error.h"
#include "host/net/http_server.h"

namespace qa {

struct FileRequest {
  std::string_view method = "GET";
  std::string_view target;  ///< "/a%20b.js?v=1" or its absolute form.
  std::string_view host;    ///< Of the Host header, with port; "" when it is missing or there are several.
  std::string_view range;   ///< Of the Range header; "" without one, and for a request with If-Range.
};

class StaticFiles {
 public:
  /// io_error when `root` is no folder.
  static Result<StaticFiles> open(const std::string& root);

  /// Values of the Host header that are answered ("127.0.0.1:8000"); others get 421, for a page elsewhere whose name
  /// was made to mean this machine (DNS rebinding) may not read the files.
  void set_hosts(std::vector<std::string> hosts) { hosts_ = std::move(hosts); }

  HttpReply answer(const FileRequest& request) const;

  /// What answers in place of the folder; it gets the request, and a function that asks the folder.
  using Ask = std::function<HttpReply(const FileRequest&)>;
  void set_snapshot(std::function<HttpReply(const FileRequest&, const Ask&)> snapshot) {
    snapshot_ = std::move(snapshot);
  }

 private:
  HttpReply answer_from_folder(const FileRequest& request) const;
  explicit StaticFiles(std::string root) : root_(std::move(root)) {}
  HttpReply answer_folder(const FileRequest& request, std::string_view escaped, const std::string& path) const;

  std::string root_;  ///< Real path, ends in "/".
  std::vector<std::string> hosts_;
  std::function<HttpReply(const FileRequest&, const Ask&)> snapshot_;
};

/// StaticServer: serves one folder on 127.0.0.1 at a random port, so that a folder or an .html file is a target, for
/// requests that are addressed to 127.0.0.1:PORT or localhost:PORT (Host header).
class StaticServer {
 public:
  /// Starts serving `root` (an existing folder). io_error when it is not one or the socket fails.
  static Result<std::unique_ptr<StaticServer>> start(EventLoop& loop, const std::string& root);

  /// "http://127.0.0.1:PORT", no trailing slash. The same port answers to "localhost", which Chromium treats as another
  /// site.
  const std::string& origin() const { return origin_; }
  int port() const { return server_->port(); }
  /// The same answers without the socket.
  const std::shared_ptr<StaticFiles>& files() const { return files_; }
  /// Requests answered so far, for tests.
  int request_count() const { return server_->request_count(); }

 private:
  StaticServer(std::unique_ptr<HttpServer> server, std::shared_ptr<StaticFiles> files, std::string origin)
      : server_(std::move(server)), files_(std::move(files)), origin_(std::move(origin)) {}

  std::unique_ptr<HttpServer> server_;
  std::shared_ptr<StaticFiles> files_;
  std::string origin_;
};

/// Is a file or folder below `root` kept private by the rules above? `real` is its path without links.
bool is_private(const std::string& root, const std::string& real);

}  // namespace qa
