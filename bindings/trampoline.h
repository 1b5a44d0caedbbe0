#pragma once
// The one door between Lua and C++: every bound function is `bound<f>`. A body throws Misuse or Raised (or any
// std::exception); the trampoline copies the message, leaves the catch block, and raises in one place. LuaJIT itself
// would replace the message of an exception by a fixed string.

#include <initializer_list>
#include <lua.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "host/error.h"

namespace qa::lua {

struct VmState;

/// Wrong use by the script: raised as a string at the caller's line, behind the public name of the primitive.
class Misuse : public std::runtime_error {
 public:
  explicit Misuse(const std::string& message, bool whole = false) : std::runtime_error(message), whole_(whole) {}
  /// True when the message is the whole sentence and gets no name in front.
  bool whole() const { return whole_; }

 private:
  bool whole_;
};

/// A loss: raised as an error table.
class Raised : public std::exception {
 public:
  explicit Raised(Error error) : error_(std::move(error)) {}
  const char* what() const noexcept override { return error_.message.c_str(); }
  const Error& error() const { return error_; }

 private:
  Error error_;
};

/// One call of a bound function.
struct Call {
  lua_State* L;
  VmState& vm;
  const char* name;  ///< As Lua spells it: "page:press".
  int level;         ///< Stack level of the line that a misuse points at.
  std::string file;  ///< The file of the run directory that a waiting primitive writes, for the journal.
};

using Function = int (*)(Call&);
inline constexpr int kRaise = -2;  ///< What a body returns to raise the value on top of the stack.

/// Runs a body; kRaise when the value on top of the stack must be raised.
int run_guarded(lua_State* L, Function body);

template <Function body>
int bound(lua_State* L) {
  const int count = run_guarded(L, body);
  return count == kRaise ? lua_error(L) : count;
}

/// raw[field] = closures over `functions`, whose misuse messages start with `prefix` + name; an existing table gets
/// more of them. `raw` is at the top of the stack. Where `field` ends in _waits, the prelude wraps them in a Lua shim,
/// so that the caller's line is one level further up.
void add_functions(lua_State* L, const std::string& field, const char* prefix,
                   std::initializer_list<luaL_Reg> functions);

}  // namespace qa::lua
