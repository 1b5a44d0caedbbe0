#pragma once
// Where this program or library is installed, told by its own file, so that an installation can be moved:
//
//   PREFIX/bin/qa-host    PREFIX/<lib>/libqa_host.so.1    <lib> is CMAKE_INSTALL_LIBDIR: lib, lib/x86_64-linux-gnu, ...
//   PREFIX/share/qa-host/{scripts,strategies}             PREFIX/<lib>/qa-host/libqa_ocr.so
//
// The build tree is laid out in the same way. Any thread.

#include <string>
#include <string_view>

namespace qa {

/// The prefix of an installation that `file`, an absolute path, belongs to: above `lib`, such as
/// "lib/x86_64-linux-gnu", when the file is in it, else above the file's folder.
std::string prefix_of(std::string_view file, std::string_view lib);

/// PREFIX/share/qa-host of what is running.
std::string share_folder();

/// PREFIX/<lib>/qa-host of what is running: shared objects that are loaded when they are needed.
std::string plugin_folder();

}  // namespace qa
