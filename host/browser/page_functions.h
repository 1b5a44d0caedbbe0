#pragma once
// The in-page functions of host/browser/js/, embedded by the build: those of preload/ run before any script of the
// page, those of probe/ when they are called.

#include <string_view>

namespace qa {

/// The text of js/preload/NAME.js or js/probe/NAME.js, one JavaScript expression; "" for an unknown name.
std::string_view page_function(std::string_view name);

}  // namespace qa
