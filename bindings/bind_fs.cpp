// qa.fs.read list stat sha256 share.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "bindings/vm_state.h"
#include "host/files.h"
#include "host/sha256.h"

namespace qa::lua {
namespace {

namespace fs = std::filesystem;

int refuse(Call& call, const std::string& path, const std::string& why) {
  return push_outcome(call, Error{ErrorKind::io_error, path + ": " + why, "", ""});
}

int fs_read(Call& call) {
  const std::string path(string_at(call, 1, "path"));
  const auto bytes = read_file(path);
  if (bytes) {
    const std::string why = call.vm.options.project.refusal(path, *bytes);
    if (!why.empty()) return push_outcome(call, Error{ErrorKind::io_error, why, "", ""});
  }
  return push_outcome(call, bytes);
}

int fs_list(Call& call) {
  const std::string path(string_at(call, 1, "path"));
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(path, failed), end; !failed && entry != end; entry.increment(failed)) {
    std::error_code unknown;
    names.push_back(entry->path().filename().string() + (entry->is_directory(unknown) ? "/" : ""));
  }
  if (failed) return refuse(call, path, failed.message());
  std::sort(names.begin(), names.end());
  return push_list(call.L, names, [&](const std::string& name) { push_text(call.L, name); });
}

int fs_stat(Call& call) {
  const std::string path(string_at(call, 1, "path"));
  std::error_code failed;
  const auto status = fs::status(path, failed);
  if (!fs::exists(status)) return refuse(call, path, failed ? failed.message() : "no such file");
  const bool is_folder = fs::is_directory(status);
  const auto size = is_folder ? 0 : fs::file_size(path, failed);
  const auto written = fs::last_write_time(path, failed);
  const auto utc = std::chrono::file_clock::to_sys(written).time_since_epoch();
  return push_result(call.L, Json{{"kind", is_folder ? "folder" : "file"},
                                  {"size", failed ? 0 : size},
                                  {"mtime_ms", std::chrono::duration<double, std::milli>(utc).count()}});
}

int fs_sha256(Call& call) { return push_result(call.L, sha256_hex(string_at(call, 1, "bytes"))); }

int fs_share(Call& call) { return push_result(call.L, call.vm.options.share); }

/// project_path(name): where a project's own "qa-host.lua", "strategies" or "scripts/commands" is, if it may be used.
int internal_project_path(Call& call) {
  const std::string path = call.vm.options.project.path_of(string_at(call, 1, "name"));
  return push_result(call.L, path.empty() ? std::nullopt : std::optional(path));
}

}  // namespace

void add_fs(lua_State* L) {
  add_functions(L, "fs", "qa.fs.",
                {{"read", bound<fs_read>},
                 {"list", bound<fs_list>},
                 {"stat", bound<fs_stat>},
                 {"sha256", bound<fs_sha256>},
                 {"share", bound<fs_share>}});
  add_functions(L, "internal", "qa.internal.", {{"project_path", bound<internal_project_path>}});
}

}  // namespace qa::lua
