#include "host/net/static_files.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace qa {
namespace {

constexpr const char* kJournal = "trace.jsonl";
constexpr std::string_view kRuns = "qa-runs", kWellKnown = ".well-known";

HttpReply not_found(std::string_view path) {
  const bool names_dot = path.find("/.") != path.npos;
  // The same words whether the file exists or not.
  return text_reply(404, names_dot ? "not found; names that begin with a dot are not served\n" : "not found\n");
}

/// The whole file, or the part that the request asks for.
HttpReply file_reply(const std::string& path, std::string_view name, std::string_view range) {
  auto file = std::make_shared<ServedFile>();
  if (!file->open(path)) return not_found(name);
  const std::string size = std::to_string(file->size());
  HttpReply reply;
  reply.part = {0, file->size()};
  const auto wanted = range.empty() ? RangeAnswer::whole : parse_range(range, file->size(), reply.part);
  if (wanted == RangeAnswer::unsatisfiable) {
    return text_reply(
        416, "range not satisfiable\n",
        {{"Accept-Ranges", "bytes"}, {"Cache-Control", "no-cache"}, {"Content-Range", "bytes */" + size}});
  }
  reply.headers = {
      {"Content-Type", std::string(mime_type(name))}, {"Accept-Ranges", "bytes"}, {"Cache-Control", "no-cache"}};
  if (wanted == RangeAnswer::part) {
    reply.status = 206;
    reply.headers.emplace_back("Content-Range", "bytes " + std::to_string(reply.part.start) + "-" +
                                                    std::to_string(reply.part.start + reply.part.length - 1) + "/" +
                                                    size);
  }
  reply.file = std::move(file);
  return reply;
}

}  // namespace

bool is_private(const std::string& root, const std::string& real) {
  for (std::size_t begin = root.size(); begin < real.size();) {
    const std::size_t end = std::min(real.find('/', begin), real.size());
    const auto name = std::string_view(real).substr(begin, end - begin);
    if (name.starts_with('.') && !(begin == root.size() && name == kWellKnown)) return true;
    if (name == kRuns || name == kJournal || ::access((real.substr(0, end) + "/" + kJournal).c_str(), F_OK) == 0)
      return true;
    begin = end + 1;
  }
  return false;
}

Result<StaticFiles> StaticFiles::open(const std::string& root) {
  const std::string real = real_path(root);
  const auto failure = [&](const char* why) { return Error{ErrorKind::io_error, "cannot serve " + root + ": " + why}; };
  if (real.empty()) return failure("there is no such folder");
  std::string folder = real == "/" ? real : real + "/";
  if (locate(folder, "/").kind != Located::Kind::folder) return failure("it is not a folder");
  return StaticFiles(std::move(folder));
}

HttpReply StaticFiles::answer(const FileRequest& request) const {
  const bool is_known = std::any_of(hosts_.begin(), hosts_.end(),
                                    [&](const auto& host) { return equal_ignoring_case(host, request.host); });
  if (!is_known) return text_reply(421, "this server answers to its own address only\n");
  if (!snapshot_) return answer_from_folder(request);
  return snapshot_(request, [this](const FileRequest& whole) { return answer_from_folder(whole); });
}

HttpReply StaticFiles::answer_from_folder(const FileRequest& request) const {
  if (request.method != "GET" && request.method != "HEAD") {
    return text_reply(405, "only GET and HEAD\n", {{"Allow", "GET, HEAD"}});
  }
  const auto escaped = target_path(request.target);
  const auto path = escaped ? unescape_path(*escaped) : std::nullopt;
  if (!path) return text_reply(400, "bad request\n");
  const Located located = locate(root_, *path);
  if (located.kind == Located::Kind::missing || is_private(root_, located.path)) return not_found(*path);
  if (located.kind == Located::Kind::folder) return answer_folder(request, *escaped, *path);
  return file_reply(located.path, *path, request.range);
}

HttpReply StaticFiles::answer_folder(const FileRequest& request, std::string_view escaped,
                                     const std::string& path) const {
  if (escaped.back() != '/') {
    // Relative links of the page need the slash. Only one leading slash: "//name" would name another host.
    std::string location = "/" + std::string(escaped.substr(std::min(escaped.find_first_not_of('/'), escaped.size())));
    location += '/';
    const std::size_t query = request.target.find('?');
    if (query != request.target.npos) location += request.target.substr(query);
    return text_reply(301, "moved\n", {{"Location", location}});
  }
  for (const char* name : {"index.html", "index.htm"}) {
    const Located index = locate(root_, path + name);
    if (index.kind == Located::Kind::file && !is_private(root_, index.path)) {
      return file_reply(index.path, name, request.range);
    }
  }
  return text_reply(404, "not found: this folder has no index.html\n");
}

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

}  // namespace qa
