#pragma once
// SHA-256, for files, pictures and recorded questions. Any thread.

#include <string>
#include <string_view>

namespace qa {

/// Of the bytes, as 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace qa
