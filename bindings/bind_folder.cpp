// qa.internal.folder_write folder_append folder_remove folder_lock folder_unlock tree_snapshot tree_restore read_line:
// what projects are kept with (scripts/qa/plan_*.lua). Scripts of testers write into their run alone.

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "bindings/vm_state.h"
#include "host/folder.h"
#include "host/tree_snapshot.h"

namespace qa::lua {
namespace {

constexpr int kLookMs = 50;
constexpr std::size_t kLongestLine = 4096;
const WaitOptions kUnwritten{.journal = false};

int with_folder(Call& call, bool create, std::function<Result<Unit>(const Folder&)> act) {
  const std::string root(string_at(call, 1, "root"));
  auto job = [root, create, act = std::move(act)]() -> Result<Unit> {
    const auto folder = Folder::open(root, create);
    if (!folder) return folder.error();
    return act(*folder);
  };
  return on_pool<Unit>(call, std::move(job), PushResult(), kUnwritten);
}

/// folder_write(root, name, bytes): whole or not at all, on the disk; keeps the mode of what it replaces.
int internal_folder_write(Call& call) {
  const std::string name(string_at(call, 2, "name")), bytes(string_at(call, 3, "bytes"));
  return with_folder(call, true, [name, bytes](const Folder& folder) { return folder.write(name, bytes, 0); });
}

int internal_folder_append(Call& call) {
  const std::string name(string_at(call, 2, "name")), bytes(string_at(call, 3, "bytes"));
  // One at a time, so that two tasks' lines do not take back each other's end.
  const auto order = call.vm.append_order;
  return with_folder(call, true, [name, bytes, order](const Folder& folder) {
    const std::lock_guard lock(*order);
    return folder.append(name, bytes);
  });
}

int internal_folder_remove(Call& call) {
  const std::string name(string_at(call, 2, "name"));
  return with_folder(call, false, [name](const Folder& folder) { return folder.remove(name); });
}

/// folder_lock(root, name): keeps other processes out until folder_unlock or the end; nil, store_locked otherwise.
int internal_folder_lock(Call& call) {
  const std::string root(string_at(call, 1, "root")), name(string_at(call, 2, "name"));
  const auto folder = Folder::open(root, true);
  if (!folder) return push_outcome(call, folder.error());
  const std::string key = folder->path() + "/" + name;
  if (call.vm.locks.count(key) > 0) {
    return push_outcome(call, Error{ErrorKind::store_locked, key + " is in use by this process", "", ""});
  }
  auto lock = folder->lock(name);
  if (!lock) return push_outcome(call, lock.error());
  call.vm.locks.emplace(key, std::move(*lock));
  return push_result(call.L, key);
}

int internal_folder_unlock(Call& call) {
  call.vm.locks.erase(std::string(string_at(call, 1, "lock")));
  return 0;
}

std::vector<std::string> texts_at(Call& call, int index, const char* what) {
  std::vector<std::string> texts;
  each_item(call, index, what, [&](int) { texts.emplace_back(string_at(call, -1, what)); });
  return texts;
}

int push_entries(lua_State* L, std::vector<TreeEntry>& entries) {
  lua_createtable(L, 0, static_cast<int>(entries.size()));
  for (const TreeEntry& entry : entries) {
    push_text(L, entry.path);
    push_json(L, Json{{"sha256", entry.sha256}, {"mode", entry.mode}, {"is_link", entry.is_link}});
    lua_rawset(L, -3);
  }
  return 1;
}

/// tree_snapshot(root, objects, ignore): {[path] = {sha256, mode, is_link}}.
int internal_tree_snapshot(Call& call) {
  const std::string root(string_at(call, 1, "root")), objects(string_at(call, 2, "objects"));
  const auto ignore = texts_at(call, 3, "ignore");
  using Entries = std::vector<TreeEntry>;
  return on_pool<Entries>(
      call, [root, objects, ignore] { return snapshot_tree(root, objects, ignore); }, push_entries, kUnwritten);
}

/// tree_restore(root, objects, path, entry): the file as it was in a snapshot.
int internal_tree_restore(Call& call) {
  const std::string root(string_at(call, 1, "root")), objects(string_at(call, 2, "objects"));
  TreeEntry entry;
  entry.path = string_at(call, 3, "path");
  table_at(call, 4, "entry");
  const Json known = to_json(call.L, 4);
  if (!known.contains("sha256") || !known["sha256"].is_string()) throw Misuse("entry has no sha256");
  entry.sha256 = known["sha256"].get<std::string>();
  entry.mode = static_cast<unsigned>(known.value("mode", 0600.0)) & 0777;
  entry.is_link = known.value("is_link", false);
  return on_pool<Unit>(
      call, [root, objects, entry] { return restore_entry(root, objects, entry); }, PushResult(), kUnwritten);
}

/// One line of stdin without its end; nothing at the end of the file, or when nobody wants it any more.
std::optional<std::string> line_of_stdin(const std::atomic<bool>& stop) {
  std::string line;
  while (!stop && line.size() < kLongestLine) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, kLookMs) <= 0) continue;
    char c = 0;
    if (::read(STDIN_FILENO, &c, 1) != 1) break;
    if (c == '\n') return line;
    line += c;
  }
  return line.empty() ? std::nullopt : std::optional<std::string>(line);
}

/// read_line(): what somebody types, or nil at the end of stdin.
int internal_read_line(Call& call) {
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  WaitOptions options{.journal = false};
  options.abandon = [stop] { *stop = true; };
  using Line = std::optional<std::string>;
  return on_pool<Line>(
      call, [stop]() -> Result<Line> { return line_of_stdin(*stop); }, PushResult(), std::move(options));
}

}  // namespace

void add_folder(lua_State* L) {
  add_functions(L, "internal_waits", "qa.internal.",
                {{"folder_write", bound<internal_folder_write>},
                 {"folder_append", bound<internal_folder_append>},
                 {"folder_remove", bound<internal_folder_remove>},
                 {"tree_snapshot", bound<internal_tree_snapshot>},
                 {"tree_restore", bound<internal_tree_restore>},
                 {"read_line", bound<internal_read_line>}});
  add_functions(L, "internal", "qa.internal.",
                {{"folder_lock", bound<internal_folder_lock>}, {"folder_unlock", bound<internal_folder_unlock>}});
}

}  // namespace qa::lua
