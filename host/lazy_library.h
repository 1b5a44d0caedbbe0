#pragma once
// Shared libraries that are loaded when something first needs them: few runs speak TLS, and what is linked in or loaded
// at the start is paid for by each, in the supervisor and in the worker. A list F(result, name, parameters, arguments)
// names what is called; QA_LAZY_LIBRARY defines these functions, each a jump into the library, for the whole program.
//
//   #pragma GCC visibility push(hidden)       so that the library keeps calling its own functions
//   #include <sqlite3.h>
//   #pragma GCC visibility pop
//   #define FUNCTIONS(F) F(int, sqlite3_sleep, (int a), (a))
//   QA_LAZY_LIBRARY("libsqlite3.so.0", FUNCTIONS)
//   std::string qa::sqlite_fault() { return loaded(); }     "" when it is there, else why not

#include <dlfcn.h>

#include <string>

#define QA_LAZY_DECLARE(RESULT, NAME, PARAMETERS, ARGUMENTS) decltype(&::NAME) NAME = nullptr;
#define QA_LAZY_FIND(RESULT, NAME, PARAMETERS, ARGUMENTS)                               \
  if (!(functions.NAME = reinterpret_cast<decltype(&::NAME)>(::dlsym(library, #NAME)))) \
    return std::string(path) + " has no function " #NAME;
#define QA_LAZY_FORWARD(RESULT, NAME, PARAMETERS, ARGUMENTS) \
  RESULT NAME PARAMETERS { return functions.NAME ARGUMENTS; }

#define QA_LAZY_LIBRARY(SONAME, LIST)                            \
  namespace {                                                    \
  struct Functions {                                             \
    LIST(QA_LAZY_DECLARE)                                        \
  } functions;                                                   \
  std::string load(const char* path) {                           \
    void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL); \
    const char* const fault = library ? nullptr : ::dlerror();   \
    if (!library) return fault ? fault : path;                   \
    LIST(QA_LAZY_FIND)                                           \
    return "";                                                   \
  }                                                              \
  const std::string& loaded() {                                  \
    static const std::string fault = load(SONAME);               \
    return fault;                                                \
  }                                                              \
  }                                                              \
  extern "C" {                                                   \
  LIST(QA_LAZY_FORWARD)                                          \
  }
