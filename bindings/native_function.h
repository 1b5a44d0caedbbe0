#pragma once
// NativeFunction: what a program around a Vm adds to what its scripts can call (VmOptions::functions).

#include <functional>
#include <string>

#include "host/error.h"

namespace qa::lua {

/// A function of the program around the Vm, which scripts call as require "module".name.
struct NativeFunction {
  struct Answer {
    std::string json;     ///< One value.
    std::string failure;  ///< Not empty: the script gets nil and an error of kind "native_error" that says this.
  };
  /// `arguments` is a JSON array. One of the two is set: `now` answers at once; the script waits for `later`, whose
  /// `done` is called on the loop thread, as any completion.
  std::function<Answer(const std::string& arguments)> now;
  std::function<void(const std::string& arguments, Callback<Answer> done)> later;
};

}  // namespace qa::lua
