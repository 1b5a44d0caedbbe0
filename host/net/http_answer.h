#pragma once
// HttpAnswer: reads one answer of an HTTP/1.1 server from bytes as they come: interim answers, head, body by length, by
// chunks or to the end. Called by http_client.cpp; Beast's parser is behind it, no socket is.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "host/net/http_message.h"

namespace qa {

class HttpAnswer {
 public:
  enum class State { head, body, complete, stopped, malformed, too_large };
  using OnPiece = std::function<BodyStep(std::string_view piece)>;

  /// Limits in bytes. Without a body (to HEAD, to CONNECT) the answer is complete after its head.
  HttpAnswer(std::uint32_t max_header, std::size_t max_body, bool has_body, OnPiece on_piece);
  ~HttpAnswer();
  HttpAnswer(const HttpAnswer&) = delete;
  HttpAnswer& operator=(const HttpAnswer&) = delete;

  /// Where the next bytes are to be put: at least `count` of them.
  char* room(std::size_t count);
  /// `count` bytes were put there. Calls on_piece for what is body.
  State take(std::size_t count);
  /// The peer has ended the connection in order: complete, if only that could end the body.
  State end();

  State state() const;
  /// The head of the answer itself is complete, and was none of an interim answer.
  bool has_head() const;
  /// The server keeps the connection and has sent nothing beyond the answer.
  bool leaves_connection() const;
  /// What is wrong with a malformed answer.
  const std::string& fault() const;
  HttpResponse& response();

 private:
  struct Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace qa
