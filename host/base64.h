#pragma once
// Base64 of RFC 4648, for screenshots on their way from the browser. Pure function; large inputs belong on the pool.

#include <optional>
#include <string>
#include <string_view>

namespace qa {

/// The decoded bytes. Strict: standard alphabet, padded to a multiple of four, no white space, unused bits zero;
/// nullopt otherwise.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace qa
