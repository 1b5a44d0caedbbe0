#pragma once
// HttpReply: what a server answers to one request, and HttpStream, an answer that goes on. Made by handlers
// (StaticFiles, the service), sent by http_server.cpp; no Beast here. Loop thread only.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "host/net/http_message.h"
#include "host/net/served_file.h"

namespace qa {

/// Text that is sent as it comes, until one side ends it: server-sent events.
class HttpStream {
 public:
  /// Ignored after the end. A reader that is further behind than kMostPending is cut off.
  void write(std::string_view text);
  void end();
  bool is_open() const { return is_open_; }
  std::size_t pending() const { return pending_.size(); }

  static constexpr std::size_t kMostPending = std::size_t{1} << 20;

 private:
  friend class HttpSession;
  std::string pending_;
  bool is_open_ = true;
  std::function<void()> wake_;  ///< Of the connection that sends it.
};

struct HttpReply {
  int status = 200;
  HttpHeaders headers;  ///< Content-Length and Connection are the server's own.
  std::string text;
  std::shared_ptr<ServedFile> file;  ///< When set, `part` of it is the body.
  ByteRange part;
  std::shared_ptr<HttpStream> stream;  ///< When set, it is the body after `text`; the connection ends with it.
};

/// A line of text as the answer.
HttpReply text_reply(int status, std::string text, HttpHeaders headers = {});

}  // namespace qa
