#include "host/installation.h"

#include <cstdint>
#include <cstdio>
#include <fstream>

namespace qa {
namespace {

constexpr std::string_view kLibrary = QA_LIBDIR;

/// The file that this code is loaded from. dladdr says what the loader was told, which may be a relative path, and the
/// embedding program may have changed its folder since; /proc/self/exe is the embedding program.
std::string own_file() {
  const auto address = reinterpret_cast<std::uintptr_t>(&own_file);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    int path = 0;  // Of proc(5): begin-end, permissions, offset, device, inode, path.
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %*s %*s %*s %n", &begin, &end, &path) == 2 && begin <= address &&
        address < end) {
      return line.substr(static_cast<std::size_t>(path));
    }
  }
  return "";
}

}  // namespace

std::string prefix_of(std::string_view file, std::string_view lib) {
  const std::string_view folder = file.substr(0, file.rfind('/'));
  const std::string end = "/" + std::string(lib);
  return std::string(folder.substr(0, folder.ends_with(end) ? folder.size() - end.size() : folder.rfind('/')));
}

std::string share_folder() { return prefix_of(own_file(), kLibrary) + "/share/qa-host"; }

std::string plugin_folder() { return prefix_of(own_file(), kLibrary).append("/").append(kLibrary) + "/qa-host"; }

}  // namespace qa
