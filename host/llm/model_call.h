#pragma once
// ModelCall: one question to one endpoint, with all that may happen on the way: money is reserved before a byte is
// sent, each attempt has a ticket of its own, what can be asked again is, and one deadline covers connecting, sending,
// the answer and every pause. Loop thread only; the shared ledger and large answers are worked on in the pool.
//
//   ask() -> [cassette] -> reserve -> send -> judge --> read -> settle -> done
//                             ^---- pause, again -----'

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/error.h"
#include "host/event_loop.h"
#include "host/llm/conversation.h"
#include "host/llm/endpoint.h"
#include "host/llm/models.h"
#include "host/money/budget_scope.h"
#include "host/money/prices.h"
#include "host/net/http_client.h"

namespace qa {

class Cassette;

/// What a call goes by.
struct CallPlan {
  Endpoint endpoint;
  ModelRow model;
  PriceRow price;          ///< Of the endpoint or of a table; a free endpoint's is the default one.
  std::string purpose;     ///< "action", "analysis", "repair" ...
  int timeout_ms = 60000;  ///< For everything, pauses included.
  int max_attempts = 3;
};

/// What became of one attempt, for the journal.
struct Attempt {
  int status = 0;  ///< 0: no answer.
  std::string request_id, failure;
  double ms = 0;
  Nano reserved = 0, spent = 0;
};

struct CallResult {
  std::optional<Answer> answer;
  std::optional<Error> error;  ///< Instead of an answer.
  std::vector<Attempt> attempts;
  Nano spent = 0;
  bool is_assumed = false;  ///< Part of `spent` is a reservation whose bill nobody knows.
  std::string replayed_by;  ///< How the cassette found it (Recorded::matched_by); "" when the model was asked.
  Nano replayed_cost = 0;   ///< What the recorded usage costs; nothing was spent.
  double ms = 0;
};

/// What calls need of the host; all of it but the loop is gone with `owner`, and a call says nothing any more then.
struct CallServices {
  std::weak_ptr<const void> owner;
  EventLoop& loop;
  HttpClient& http;
  BudgetScope& budget;
  Cassette* cassette = nullptr;  ///< Recording or replaying, or none.
  /// The key of that name for a request to `url`, or why it is not sent there (KeyHosts::key_for).
  std::function<Result<std::string>(const std::string& name, const std::string& url)> key;
  /// Told before an attempt sends its first byte, so that a journal knows what a dead process may have spent.
  std::function<void(const CallPlan& plan, int attempt, Nano reserved)> on_reserved;
};

/// The most tokens that the question can have: each byte of text for one, pictures by the model's rule and a tenth
/// more. nullopt when a picture goes to a model whose rule is not known.
std::optional<std::int64_t> input_upper(const Question& question, const ModelRow& model);

/// What is reserved for each attempt.
struct WorstCase {
  std::int64_t input = 0;  ///< Tokens.
  Nano cost = 0;
};
/// budget_exceeded when the question has a picture whose price nobody knows, and the endpoint is not free.
Result<WorstCase> worst_of(const CallPlan& plan, const Question& question);

/// Starts a call; `done` runs once, posted. The returned function cancels it: the result is `cancelled` then.
std::function<void()> ask_model(const CallServices& services, CallPlan plan, Question question,
                                std::function<void(CallResult)> done);

}  // namespace qa
