// qa.run.open dir event step journal publish result.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "bindings/vm_state.h"

namespace qa::lua {
namespace {

void require_run(Call& call) {
  if (!call.vm.journal.is_open()) throw Misuse("no run is open; call qa.run.open first");
}

int run_open(Call& call) {
  OptionTable options(call, 1, {"out", "slug", "reopen"});
  const std::string out = options.string("out", call.vm.options.out);
  const std::string slug = options.string("slug", "script");
  const std::string earlier = options.string("reopen", "");
  const auto opened = earlier.empty() ? call.vm.journal.open(out, slug) : call.vm.journal.reopen(earlier);
  if (!opened) return push_outcome(call, opened.error());
  const std::string& path = call.vm.journal.run().path();
  if (call.vm.options.on_run_directory && earlier.empty()) call.vm.options.on_run_directory(path);
  return push_result(call.L, path);
}

int run_dir(Call& call) {
  if (call.vm.journal.is_open()) return push_result(call.L, call.vm.journal.run().path());
  lua_pushnil(call.L);
  return 1;
}

int run_event(Call& call) {
  require_run(call);
  const std::string name(string_at(call, 1, "name"));
  const Json data = lua_isnoneornil(call.L, 2) ? Json::object() : to_json(call.L, 2);
  const auto line = call.vm.journal.append_event(name, data);
  if (!line) return push_outcome(call, line.error());
  if (call.vm.options.on_event) call.vm.options.on_event(dump_json(*line));
  return push_result(call.L, *line);
}

int run_step(Call& call) {
  require_run(call);
  call.vm.journal.set_step(integer_at(call, 1, "n", 0, 1 << 30));
  return 0;
}

/// Pushes the lines of a journal as a list of tables; a line that is no JSON object is left out.
void push_lines(lua_State* L, const std::string& text) {
  lua_newtable(L);
  int count = 0;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    const Json line = Json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                  text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    if (!line.is_object()) continue;
    push_json(L, line);
    lua_rawseti(L, -2, ++count);
  }
}

/// run.journal({checked}): with checked, trace_mismatch names the first line that was changed, or that follows on one
/// that is missing.
int run_journal(Call& call) {
  require_run(call);
  OptionTable options(call, 1, {"checked"});
  const auto text = call.vm.journal.run().read_journal();
  if (!text) return push_outcome(call, text.error());
  const auto broken = options.boolean("checked", false) ? find_broken_line(*text) : std::nullopt;
  if (broken) {
    return push_outcome(call, {ErrorKind::trace_mismatch,
                               fmt::format("line {} at offset {} of {}/trace.jsonl was changed, or a line before it is "
                                           "missing",
                                           broken->number, broken->offset, call.vm.journal.run().path())});
  }
  push_lines(call.L, *text);
  return 1;
}

int run_publish(Call& call) {
  require_run(call);
  const auto name = string_at(call, 1, "name");
  const auto bytes = string_at(call, 2, "bytes");
  const auto published = call.vm.journal.run().publish(name, bytes);
  if (!published) return push_outcome(call, published.error());
  return push_result(call.L, true);
}

int run_result(Call& call) {
  const std::string status(string_at(call, 1, "status"));
  const int score = integer_at(call, 2, "score", 0, 100);
  const std::string report(string_at(call, 3, "report"));
  if (call.vm.options.on_result) call.vm.options.on_result(status, score, report);
  return 0;
}

}  // namespace

void add_run(lua_State* L) {
  add_functions(L, "run", "qa.run.",
                {{"open", bound<run_open>},
                 {"dir", bound<run_dir>},
                 {"event", bound<run_event>},
                 {"step", bound<run_step>},
                 {"journal", bound<run_journal>},
                 {"publish", bound<run_publish>},
                 {"result", bound<run_result>}});
}

}  // namespace qa::lua
