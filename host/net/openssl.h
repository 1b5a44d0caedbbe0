#pragma once
// OpenSSL, loaded with the first connection that needs TLS: linked in it would be half of the program, and most of
// what each start relocates. openssl.cpp has the functions that are called.

#include <string>

namespace qa {

/// Loads the library the first time; "" when it is there, else why it is not. No function of OpenSSL may be called
/// before.
const std::string& openssl_fault();

}  // namespace qa
