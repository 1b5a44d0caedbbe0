#pragma once
// Whole files, read and written at once. Any thread.

#include <string>
#include <string_view>

#include "host/error.h"

namespace qa {

inline constexpr std::size_t kLargestFile = std::size_t{128} << 20;

/// io_error names the path and the cause; also for folders and files above kLargestFile.
Result<std::string> read_file(const std::string& path);
/// Writes under a temporary name and renames; makes missing folders.
Result<Unit> write_file(const std::string& path, std::string_view bytes);

}  // namespace qa
