#pragma once
// Base64 of RFC 4648, for pictures on their way from the browser and to a model. Pure function; large inputs belong on
// the pool.

#include <optional>
#include <string>
#include <string_view>

namespace qa {

/// The decoded bytes. Strict: standard alphabet, padded to a multiple of four, no white space, unused bits zero;
/// nullopt otherwise.
std::optional<std::string> decode_base64(std::string_view text);

/// Standard alphabet, padded, on one line.
std::string encode_base64(std::string_view bytes);

}  // namespace qa
