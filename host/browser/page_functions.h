#pragma once
// The in-page functions of host/browser/js/, embedded by the build.

#include <string_view>

namespace qa {

/// The text of host/browser/js/NAME.js, one JavaScript function expression; "" for an unknown name.
std::string_view page_function(std::string_view name);

}  // namespace qa
