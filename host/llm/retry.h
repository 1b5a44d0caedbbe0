#pragma once
// Retry: what an HTTP answer or a lost connection means for a call of a model: is there an answer, may it be asked
// again and when, and was anything billed. Pure functions; ModelCall acts on them.

#include <optional>
#include <string>
#include <string_view>

#include "host/error.h"

namespace qa {

/// What the money of an attempt becomes (Ticket): not billed, billed by its usage, or nobody knows.
enum class Billed { no, by_usage, assumed };

struct Verdict {
  bool ok = false;     ///< A 2xx answer, to be read.
  bool again = false;  ///< Asking again may help.
  Billed billed = Billed::no;
  std::optional<double> retry_after_ms;  ///< What the server asked for, unclamped.
  Error error;                           ///< Of an attempt that is not ok.
};

/// What the head and body of an answer say. Header values are "" when they are missing.
struct AnswerHead {
  int status = 0;
  std::string_view retry_after, retry_after_ms, should_retry, content_type, location;
};

/// Judges a complete HTTP answer. `now_unix` dates a Retry-After that is a date.
Verdict judge_answer(const AnswerHead& head, std::string_view body, double now_unix);

/// Judges a failed exchange: `request_sent` when the whole request had been handed over.
Verdict judge_failure(const Error& error, bool request_sent, bool response_begun);

/// Pause before attempt `attempt` (2, 3, ...): what the server asked for, else 500 ms doubled each time up to 8 s, less
/// a random quarter (`random` in [0, 1)). As the vendors' own clients do.
double pause_ms(const Verdict& verdict, int attempt, double random);

/// Milliseconds of a Retry-After: seconds or an HTTP date. nullopt for negative and unreadable ones.
std::optional<double> parse_retry_after(std::string_view value, double now_unix);

}  // namespace qa
