#pragma once
// Turns what Runtime and Log report into health events. Pure functions.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/browser/event_ring.h"

namespace qa {

/// The text of a Runtime.consoleAPICalled, with %s, %d and %c of the first argument applied.
std::string console_text(const nlohmann::json& params);

/// The event of a Runtime.consoleAPICalled of type error, warning or assert.
HealthEvent console_event(const nlohmann::json& params, const std::string& kind);

/// The event of a Runtime.exceptionThrown.
HealthEvent exception_event(const nlohmann::json& params, const std::string& kind);

/// The event of a Log.entryAdded of level error or warning.
HealthEvent log_event(const nlohmann::json& entry, const std::string& kind);

}  // namespace qa
