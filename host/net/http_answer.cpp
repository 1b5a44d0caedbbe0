#include "host/net/http_answer.h"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <optional>

namespace qa {
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::size_t kLongestLine = 16 * 1024;  // Of a chunk's head, and of the trailer.

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

/// Beast's parser writing straight into the response: no message in between.
class Parser final : public http::basic_parser<false> {
 public:
  Parser(HttpResponse& response, const HttpAnswer::OnPiece& on_piece) : response_(response), on_piece_(on_piece) {}

  /// Bytes that have to be there to go on. A body in chunks begins with no less than "0\r\n\r\n"; Beast asserts that
  /// when it comes back to it.
  std::size_t least() const { return is_header_done() && chunked() && !has_chunk_ ? 5 : 1; }

 private:
  void on_response_impl(int code, beast::string_view, int, error_code&) override {
    response_.status = code;
    response_.headers.clear();
  }
  void on_field_impl(http::field name, beast::string_view text, beast::string_view value, error_code& fault) override {
    if (is_header_done()) return;  // A trailer, which nobody here reads.
    // Any other coding would have to be undone, and none was asked for.
    if (name == http::field::transfer_encoding && !equal_ignoring_case(view(value), "chunked"))
      fault = http::error::bad_transfer_encoding;
    response_.headers.emplace_back(view(text), view(value));
  }
  std::size_t on_body_impl(beast::string_view piece, error_code&) override {
    if (!piece.empty() && on_piece_(view(piece)) == BodyStep::stop) response_.stopped = true;
    return piece.size();
  }
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view piece, error_code& fault) override {
    return on_body_impl(piece, fault);
  }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override { has_chunk_ = true; }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  void on_request_impl(http::verb, beast::string_view, beast::string_view, int, error_code&) override {}
  void on_finish_impl(error_code&) override {}

  HttpResponse& response_;
  const HttpAnswer::OnPiece& on_piece_;
  bool has_chunk_ = false;
};

}  // namespace

struct HttpAnswer::Reader {
  void expect_head() {
    parser.emplace(response, on_piece);
    parser->skip(!has_body);
    parser->header_limit(max_header);
    parser->body_limit(max_body);
  }
  void parse();
  void step(error_code& failed);
  std::string head_fault() const;
  State malformed(std::string text) {
    fault = std::move(text);
    return state = State::malformed;
  }

  const std::uint32_t max_header;
  const std::size_t max_body;
  const bool has_body;
  const OnPiece on_piece;
  HttpResponse response;
  beast::flat_buffer buffer;
  std::optional<Parser> parser;
  std::size_t head_bytes = 0;  ///< Of all heads, interim ones included.
  bool has_head = false;
  State state = State::head;
  std::string fault;
};

/// One part of the answer: a head, a chunk's head, a piece of the body.
void HttpAnswer::Reader::step(error_code& failed) {
  const std::size_t used = parser->put(buffer.data(), failed);
  buffer.consume(used);
  if (state != State::head) return;
  head_bytes += used;
  // Beast's own limit begins anew where it has parsed some lines.
  const std::size_t unread = parser->is_header_done() ? 0 : buffer.size();
  if (head_bytes + unread > max_header) failed = http::error::header_limit;
  if (failed || !parser->is_header_done()) return;
  if (response.status / 100 == 1 && response.status != 101) return expect_head();
  has_head = true;
  state = State::body;
  if (std::string text = head_fault(); !text.empty()) malformed(std::move(text));
}

/// What HTTP allows but nobody asked for.
std::string HttpAnswer::Reader::head_fault() const {
  if (response.status == 101) return "it switches protocols";
  const std::string* coding = response.header("content-encoding");
  const bool is_plain = !coding || coding->empty() || equal_ignoring_case(*coding, "identity");
  return is_plain || !has_body || response.status / 100 != 2 ? "" : "it is compressed though that was not asked for";
}

void HttpAnswer::Reader::parse() {
  error_code failed;
  const auto is_going_on = [&] { return !failed && !response.stopped && state <= State::body && !parser->is_done(); };
  while (is_going_on() && buffer.size() >= parser->least()) step(failed);
  if (state > State::body) return;
  if (response.stopped) {
    state = State::stopped;
  } else if (failed == http::error::body_limit) {
    state = State::too_large;
  } else if (failed && failed != http::error::need_more) {
    malformed(failed.message());
  } else if (parser->is_done()) {
    state = State::complete;
  } else if (state == State::body && buffer.size() > kLongestLine) {
    malformed("a line in its body does not end");
  }
}

HttpAnswer::HttpAnswer(std::uint32_t max_header, std::size_t max_body, bool has_body, OnPiece on_piece)
    : reader_(new Reader{max_header, max_body, has_body, std::move(on_piece), {}, {}, {}, 0, false, State::head, ""}) {
  reader_->expect_head();
}
HttpAnswer::~HttpAnswer() = default;

char* HttpAnswer::room(std::size_t count) { return static_cast<char*>(reader_->buffer.prepare(count).data()); }

HttpAnswer::State HttpAnswer::take(std::size_t count) {
  reader_->buffer.commit(count);
  reader_->parse();
  return reader_->state;
}

HttpAnswer::State HttpAnswer::end() {
  if (reader_->state != State::body) return reader_->state;
  error_code failed;
  reader_->parser->put_eof(failed);
  return failed ? reader_->state : reader_->state = State::complete;
}

bool HttpAnswer::has_head() const { return reader_->has_head; }
HttpAnswer::State HttpAnswer::state() const { return reader_->state; }
const std::string& HttpAnswer::fault() const { return reader_->fault; }
HttpResponse& HttpAnswer::response() { return reader_->response; }

bool HttpAnswer::leaves_connection() const {
  return reader_->state == State::complete && reader_->parser->keep_alive() && reader_->buffer.size() == 0;
}

}  // namespace qa
