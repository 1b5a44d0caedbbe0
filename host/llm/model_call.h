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
#include "host/money/ledger.h"
#include "host/money/prices.h"
#include "host/net/http_client.h"

namespace qa {

class Cassette;
class SharedLedger;

/// What a call goes by.
struct CallPlan {
  Endpoint endpoint;
  ModelRow model;
  PriceRow price;          ///< Of the endpoint, or the row of a table; of a free endpoint the default one.
  std::string purpose;     ///< "action", "analysis", "repair" ...
  int timeout_ms = 60000;  ///< For everything.
  int max_attempts = 3;
  int longest_pause_ms = 60000;  ///< A server that asks for a longer one is not asked again.
  bool has_shared = true;        ///< Is there a suite or a day whose cap counts, too?
  /// Called with the text that a streamed answer has brought so far; false ends the call early.
  std::function<bool(std::string_view text)> on_text;
};

/// What became of one attempt, for the journal.
struct Attempt {
  int status = 0;  ///< 0: no answer.
  std::string request_id, failure;
  double ms = 0, paused_ms = 0;
  Nano reserved = 0, spent = 0;
};

struct CallResult {
  std::optional<Answer> answer;
  std::optional<Error> error;  ///< Instead of an answer.
  std::vector<Attempt> attempts;
  Nano spent = 0;
  bool is_assumed = false;  ///< Part of `spent` is a reservation whose bill nobody knows.
  bool is_replayed = false;
  std::string replayed_by;  ///< The rung of the cassette's ladder that matched.
  std::string price_row;    ///< "openai gpt-4o (source, date)".
  double ms = 0;
};

/// What calls need of the host; outlives them.
struct CallServices {
  EventLoop& loop;
  HttpClient& http;
  Scope scope;                       ///< Of the run, or a child of it.
  SharedLedger* shared = nullptr;    ///< Of suite and day, or none.
  Cassette* cassette = nullptr;      ///< Recording or replaying, or none.
  std::function<std::string(const std::string& name)> key;  ///< The value of an environment variable, "" when it is not set.
};

/// The most that the question can cost: every byte of text taken for a token, pictures by the model's rule and a tenth
/// more, and all of max_output. nullopt when a picture cannot be estimated and the price is not free.
std::optional<std::int64_t> input_upper(const Question& question, const ModelRow& model);

/// Starts a call; `done` runs once, posted. The returned function cancels it: the result then is `cancelled`.
std::function<void()> ask_model(const CallServices& services, CallPlan plan, Question question,
                                std::function<void(CallResult)> done);

}  // namespace qa
