#pragma once
// SHA-256, for files, pictures, recorded questions and signatures. Any thread.

#include <string>
#include <string_view>

namespace qa {

/// Of the bytes, as 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

/// HMAC-SHA-256 (RFC 2104) of the text, as 64 lower-case hex digits.
std::string hmac_sha256_hex(std::string_view key, std::string_view text);

}  // namespace qa
