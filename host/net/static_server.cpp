#include "host/net/static_server.h"

#include <utility>

#include "host/net/http_server.h"
#include "host/net/static_files.h"

namespace qa {

Result<std::unique_ptr<StaticServer>> StaticServer::start(EventLoop& loop, const std::string& root) {
  const auto files = std::make_shared<StaticFiles>(QA_TRY(StaticFiles::open(root)));
  auto server = HttpServer::start(loop, "127.0.0.1", 0, {}, [files](const HttpServerRequest& request) {
    // Without validators of our own, If-Range can never match: the whole file is the answer.
    const bool has_condition = !request.header("If-Range").empty();
    return files->answer({request.method, request.target, request.header("Host"),
                          has_condition ? std::string_view() : request.header("Range")});
  });
  if (!server) return Error{ErrorKind::io_error, "cannot serve " + root + ": " + server.error().message};
  const std::string port = std::to_string((*server)->port());
  files->set_hosts({"127.0.0.1:" + port, "localhost:" + port});
  return std::unique_ptr<StaticServer>(new StaticServer(std::move(*server), files, "http://127.0.0.1:" + port));
}

StaticServer::StaticServer(std::unique_ptr<HttpServer> server, std::shared_ptr<const StaticFiles> files,
                           std::string origin)
    : server_(std::move(server)), files_(std::move(files)), origin_(std::move(origin)) {}
StaticServer::~StaticServer() = default;

int StaticServer::port() const { return server_->port(); }
int StaticServer::request_count() const { return server_->request_count(); }

}  // namespace qa
