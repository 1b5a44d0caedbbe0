#pragma once
// One linear pass over foreign JSON before it is parsed: refuses nesting deeper than 256 and replaces lone
// surrogate escapes (\ud800 ...), which nlohmann/json refuses, by \ufffd of the same length. nlohmann parses 100,000
// nested arrays but crashes when it copies them.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/error.h"

namespace qa {

/// Guards and parses. `text` is changed in place. Malformed or too deep: cdp_error.
Result<nlohmann::json> parse_foreign_json(std::string& text);

}  // namespace qa
