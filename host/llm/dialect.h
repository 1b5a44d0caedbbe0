#pragma once
// Dialect: one vendor's way to write a question as a request body and to read the answer, whole or as a stream of
// events. Pure functions of text, so that they are tested without a socket; ModelCall does the sending.
//   Facts: OpenAI's API document 2.3.0 (chat completions, responses) and Anthropic's Messages API.

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "host/error.h"
#include "host/llm/conversation.h"
#include "host/llm/endpoint.h"
#include "host/llm/models.h"

namespace qa {

class ObjectText;

/// Reads one streamed answer, event by event.
class AnswerStream {
 public:
  virtual ~AnswerStream() = default;
  /// The data of an event of the stream (server-sent events, WHATWG), a JSON object.
  virtual Result<Unit> event(std::string_view data);
  /// Has the stream said that the answer is complete?
  virtual bool complete() const { return done_; }
  /// What has been read; only a complete answer may be taken as one.
  const Answer& answer() const { return answer_; }

 protected:
  virtual Result<Unit> take(const nlohmann::json& event) = 0;
  Answer answer_;
  bool done_ = false;
};

class Dialect {
 public:
  virtual ~Dialect() = default;
  /// "/chat/completions": what follows the endpoint's base URL.
  virtual std::string path() const = 0;
  virtual std::vector<std::pair<std::string, std::string>> headers(const Endpoint&, const Question&) const {
    return {};
  }
  /// The request body: stable parts first, so that caches of prompts hit.
  std::string compose(const Endpoint& endpoint, const ModelRow& model, const Question& question) const;
  /// The answer in a whole body; llm_invalid when it is none.
  Result<Answer> read(std::string_view body) const;
  virtual std::unique_ptr<AnswerStream> stream() const = 0;

 protected:
  /// Writes what stands between the model and the question's own members.
  virtual void write(ObjectText& body, const ModelRow& model, const Question& question) const = 0;
  /// The answer in a body; `text` is what it was read from.
  virtual Result<Answer> read_body(const nlohmann::json& body, std::string_view text) const = 0;
};

const Dialect& dialect_of(DialectKind kind);

/// What a body says about its failure: {"error": {"type", "code", "message"}} of either vendor, or its first words.
struct ApiError {
  std::string type, code, message;
  /// Is this about money or quota? Asking again does not help then.
  bool about_money() const;
};
ApiError read_api_error(std::string_view body);

}  // namespace qa
