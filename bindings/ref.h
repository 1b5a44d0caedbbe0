#pragma once
// Ref: RAII anchor of one Lua value in the registry. The only registry references are task anchors and results; their
// count lets tests assert that they are all returned. A Ref may outlive its Lua machine, in a completion that the loop
// still keeps: it is empty then.

#include <lua.hpp>
#include <memory>
#include <utility>

namespace qa::lua {

/// The registry of one Lua machine, shared by its Refs.
struct Registry {
  lua_State* L = nullptr;  ///< Null once the machine is closed.
  int refs = 0;            ///< That are alive.
};

class Ref {
 public:
  Ref() = default;
  /// Pops the value at the top of L and anchors it.
  Ref(lua_State* L, std::shared_ptr<Registry> registry)
      : registry_(std::move(registry)), ref_(luaL_ref(L, LUA_REGISTRYINDEX)) {
    ++registry_->refs;
  }
  ~Ref() { reset(); }
  Ref(Ref&& other) noexcept { swap(other); }
  Ref& operator=(Ref&& other) noexcept {
    swap(other);
    return *this;
  }

  explicit operator bool() const { return registry_ != nullptr; }
  void push(lua_State* L) const { lua_rawgeti(L, LUA_REGISTRYINDEX, ref_); }
  void reset() {
    const auto registry = std::exchange(registry_, nullptr);
    if (!registry || !registry->L) return;
    luaL_unref(registry->L, LUA_REGISTRYINDEX, ref_);
    --registry->refs;
  }

 private:
  void swap(Ref& other) noexcept {
    std::swap(registry_, other.registry_);
    std::swap(ref_, other.ref_);
  }
  std::shared_ptr<Registry> registry_;
  int ref_ = LUA_NOREF;
};

}  // namespace qa::lua
