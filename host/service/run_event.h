#pragma once
// RunEvent: what a client asks the service, the Lambda function or `test --event` to run. The seed's event (C-002):
//   {"gameUrl": "https://…", "metadata": {…}, "config": {"strategy": "adaptive", "maxDuration": 120000, …}}
// or an API Gateway proxy event, whose `body` is that as text. It names no file, no Lua and no model. Any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/error.h"

namespace qa {

struct RunEvent {
  std::string game_url;  ///< http or https, written as it was understood: what is checked is what is opened.
  std::string metadata;  ///< JSON text of an object, or "".
  std::string strategy;  ///< A name, or "".
  std::string webhook;   ///< http or https, or "".
  std::optional<std::int64_t> max_duration_ms, seed;
  std::vector<std::string> settings;  ///< Of the strategy, "key=value".
};

/// The error is one sentence that names the place: "config.maxDuration: expected …".
Result<RunEvent> parse_run_event(std::string text);

/// Words of `qa-host test` for the event, but for the metadata, which is a file there. The time is at most `limit_ms`.
std::vector<std::string> words_of(const RunEvent& event, std::int64_t limit_ms);

/// C-002: {"statusCode": 200, "body": "…"}, the body as text, as API Gateway wants it.
std::string lambda_result(int status, std::string_view body);
/// {"error": "…"}.
std::string error_body(std::string_view message);

}  // namespace qa
