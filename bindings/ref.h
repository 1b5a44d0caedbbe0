#pragma once
// Ref: RAII anchor of one Lua value in the registry. The only registry references are task anchors and results; VmState
// counts them so that tests can assert that they are all returned.

#include <lua.hpp>
#include <utility>

namespace qa::lua {

class Ref {
 public:
  Ref() = default;
  /// Pops the value at the top of L and anchors it. `counter` outlives the Ref.
  Ref(lua_State* L, lua_State* main, int& counter)
      : main_(main), counter_(&counter), ref_(luaL_ref(L, LUA_REGISTRYINDEX)) {
    ++counter;
  }
  ~Ref() { reset(); }
  Ref(Ref&& other) noexcept { swap(other); }
  Ref& operator=(Ref&& other) noexcept {
    swap(other);
    return *this;
  }

  explicit operator bool() const { return main_ != nullptr; }
  void push(lua_State* L) const { lua_rawgeti(L, LUA_REGISTRYINDEX, ref_); }
  void reset() {
    if (!main_) return;
    luaL_unref(main_, LUA_REGISTRYINDEX, ref_);
    --*counter_;
    main_ = nullptr;
  }

 private:
  void swap(Ref& other) noexcept {
    std::swap(main_, other.main_);
    std::swap(counter_, other.counter_);
    std::swap(ref_, other.ref_);
  }
  lua_State* main_ = nullptr;
  int* counter_ = nullptr;
  int ref_ = LUA_NOREF;
};

}  // namespace qa::lua
