#pragma once
// The user's own configuration, $XDG_CONFIG_HOME/qa-host/config.lua: it says which servers get which keys, so it runs
// in a Lua machine of its own, without qa-host's functions, where nothing that was loaded before can change what it
// says.

#include <functional>
#include <string>

#include "host/error.h"

namespace qa::lua {

/// Its path; $HOME/.config stands in for an XDG_CONFIG_HOME that is not set, or not absolute.
std::string user_configuration_path(const std::function<std::string(const std::string&)>& environment);

/// The table that it returns, as JSON object text; "{}" when there is no file. io_error names the file and what is
/// wrong with it: it cannot be read, raises, does not end, or returns something else.
Result<std::string> read_user_configuration(const std::string& path);

}  // namespace qa::lua
