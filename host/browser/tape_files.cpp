#include "host/browser/tape_files.h"

namespace qa {
namespace {

TapeResponse taped(HttpReply&& reply) {
  TapeResponse response;
  response.status = reply.status;
  response.headers = std::move(reply.headers);
  std::string body = std::move(reply.text);
  if (reply.file) body = reply.file->read(reply.part).value_or("");
  response.body = std::make_shared<const std::string>(std::move(body));
  return response;
}

}  // namespace

void put_on_tape(StaticFiles& files, std::shared_ptr<Tape> tape) {
  files.set_snapshot([tape = std::move(tape)](const FileRequest& request, const StaticFiles::Ask& ask) {
    const std::string target(request.target), url = "http://" + std::string(request.host) + target;
    const bool is_get = request.method == "GET" || request.method == "HEAD";
    if (!is_get || !target.starts_with("/")) return ask(request);
    auto known = tape->file(url);
    if (!known) {
      HttpReply whole = ask({"GET", request.target, request.host, ""});
      if (whole.file && tape->bytes() + whole.file->size() > tape->max_bytes()) {
        tape->note_gap(url, "the tape is full; it is served from the folder");
        return ask(request);
      }
      if (!tape->keep_file(url, taped(std::move(whole)))) return ask(request);
      known = tape->file(url);
    }
    TapePart part = cut_range(*known, request.range);
    HttpReply reply;
    reply.status = part.status;
    reply.headers = std::move(part.headers);
    reply.text = std::move(part.body);
    return reply;
  });
}

}  // namespace qa
