#pragma once
// Lambda: `qa-host lambda`, the loop of an AWS custom runtime. Takes an event, plays it in a process of its own, hands
// back {statusCode, body} or an error, and again. Loop thread only.
//
//   GET  /2018-06-01/runtime/invocation/next          event; Lambda-Runtime-Aws-Request-Id, Lambda-Runtime-Deadline-Ms
//   POST /2018-06-01/runtime/invocation/ID/response   result
//   POST /2018-06-01/runtime/invocation/ID/error      {errorMessage, errorType}; Lambda-Runtime-Function-Error-Type
// Source: docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/event_loop.h"

namespace qa {

struct LambdaOptions {
  std::string api;                     ///< "host:port" of AWS_LAMBDA_RUNTIME_API.
  std::string folder;                  ///< Of the run, emptied before each: below /tmp, which alone may be written.
  std::vector<std::string> words;      ///< The program that plays one run, and its options.
  std::chrono::milliseconds limit{0};  ///< Of a run, where Lambda's own deadline leaves it.
};

/// Plays one event after the other. `on_failed` is called when the runtime interface does not answer as it should: that
/// was the last one. What is returned kills, when it goes, what still runs.
std::shared_ptr<void> play_lambda_events(EventLoop& loop, LambdaOptions options,
                                         std::function<void(std::string)> on_failed);

}  // namespace qa
