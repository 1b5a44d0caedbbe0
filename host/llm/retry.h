#pragma once
// Retry: what an HTTP answer or a lost connection means for a call of a model: is there an answer, may it be asked
// again and when, and was anything billed. Pure functions; ModelCall acts on them.

#include <optional>
#include <string>
#include <string_view>

#include "host/error.h"
#include "host/net/http_failure.h"
#include "host/net/http_message.h"

namespace qa {

struct Verdict {
  bool ok = false;                       ///< A 2xx answer, to be read.
  bool again = false;                    ///< Asking again may help.
  bool may_be_billed = false;            ///< Of an attempt that is not ok: nobody knows, so its ticket is forfeited.
  std::optional<double> retry_after_ms;  ///< What the server asked for, unclamped.
  Error error;                           ///< Of an attempt that is not ok.
};

/// Judges a complete HTTP answer. `now_unix` dates a Retry-After that is a date.
Verdict judge_answer(const HttpResponse& response, double now_unix);

/// Judges a failed exchange.
Verdict judge_failure(const HttpFailure& failure);

/// Pause before attempt `attempt` (2, 3, ...): what the server asked for, else 500 ms doubled each time up to 8 s, less
/// a random quarter (`random` in [0, 1)). As the vendors' own clients do.
double pause_ms(const Verdict& verdict, int attempt, double random);

/// Milliseconds of a Retry-After: seconds or an HTTP date. nullopt for negative and unreadable ones.
std::optional<double> parse_retry_after(std::string_view value, double now_unix);

}  // namespace qa
