#include "host/image/isal_library.h"

#pragma GCC visibility push(hidden)
#include <isa-l/igzip_lib.h>
#pragma GCC visibility pop

#include "host/lazy_library.h"

// clang-format off
/// What png_decode.cpp calls: F(result, name, parameters, arguments).
#define QA_ISAL_FUNCTIONS(F) \
  F(void, isal_inflate_init, (inflate_state* a), (a)) \
  F(int, isal_inflate, (inflate_state* a), (a))
// clang-format on

QA_LAZY_LIBRARY("libisal.so.2", QA_ISAL_FUNCTIONS)

const std::string& qa::isal_fault() { return loaded(); }
