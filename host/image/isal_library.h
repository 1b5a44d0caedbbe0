#pragma once
// ISA-L, which inflates in three quarters of libdeflate's time; loaded with the first picture. isal_library.cpp has the
// functions that are called.

#include <string>

namespace qa {

/// Loads the library the first time; "" when it is there, else why it is not: stb_image decodes then. No function of
/// ISA-L may be called before.
const std::string& isal_fault();

}  // namespace qa
