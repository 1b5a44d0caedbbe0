#pragma once
// Running a piece of JavaScript in a known context. Private to host/browser/; include it from .cpp files only, since
// it needs the whole JSON header.

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "host/browser/page_contexts.h"
#include "host/browser/page_state.h"

namespace qa {

struct Script {
  std::string source;             ///< An expression, or a function when `arguments` is set.
  std::optional<Json> arguments;  ///< An array.
};

/// The value of a Runtime.evaluate or callFunctionOn reply: js_error, eval_unserializable and cdp_too_large as page.h
/// says.
Result<Json> remote_value(const std::string& op, Json reply);

/// Runs a script, awaiting promises, and gives its value as JSON.
void run_script(std::shared_ptr<Page::State> page, const std::string& op, const WorldContext& context, Script script,
                int timeout_ms, Callback<Json> done);

}  // namespace qa
