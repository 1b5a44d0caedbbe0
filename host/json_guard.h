#pragma once
// One linear pass over foreign JSON before it is parsed: refuses nesting deeper than 256, for nlohmann parses 100,000
// nested arrays but crashes when it copies them, and replaces by U+FFFD what it refuses and a page may write: lone
// surrogate escapes (\ud800 ...), and bytes that are no UTF-8.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/error.h"

namespace qa {

/// Guards and parses. `text` is changed in place. Malformed: cdp_error; too deep: cdp_too_large, and JSON all the same.
Result<nlohmann::json> parse_foreign_json(std::string& text);

}  // namespace qa
