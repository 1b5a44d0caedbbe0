#pragma once
// SQLite, loaded with the first store that is opened; sqlite_library.cpp has the functions that are called.

#include <string>

namespace qa {

/// Loads the library the first time; "" when it is there, else why it is not. No function of SQLite may be called
/// before.
const std::string& sqlite_fault();

}  // namespace qa
