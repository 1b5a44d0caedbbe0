// qa.tape.open, and tape:info.

#include <nlohmann/json.hpp>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "host/browser/tape.h"

namespace qa::lua {
namespace {

constexpr double kMostBytes = 64e9;

/// tape.open(folder|nil, {max_bytes, on_miss}).
int tape_open(Call& call) {
  TapeOptions tape;
  if (!lua_isnoneornil(call.L, 1)) tape.folder = string_at(call, 1, "folder");
  OptionTable options(call, 2, {"max_bytes", "on_miss"});
  tape.max_bytes =
      static_cast<std::size_t>(options.number("max_bytes", static_cast<double>(tape.max_bytes), 1, kMostBytes));
  if (options.has("on_miss")) {
    tape.asks_network = options.one_of("on_miss", "refuse", {"refuse", "network"}) == "network";
  }
  return on_pool<std::shared_ptr<Tape>>(
      call, [tape]() { return Tape::open(tape); },
      [](lua_State* L, const std::shared_ptr<Tape>& opened) {
        VmState::of(L).handles.push_tape(L, opened);
        return 1;
      });
}

int tape_info(Call& call) {
  const auto tape = tape_self(call);
  Json gaps = Json::array();
  for (const auto& [url, reason] : tape->gaps()) gaps.push_back({{"url", url}, {"reason", reason}});
  return push_result(call.L, Json{{"entries", tape->entries()},
                                  {"bytes", tape->bytes()},
                                  {"was_there", tape->was_there()},
                                  {"sum", tape->sum()},
                                  {"files_sha256", tape->files_sha256()},
                                  {"gaps", std::move(gaps)}});
}

}  // namespace

void add_tape(lua_State* L) {
  add_functions(L, "tape_module_waits", "qa.tape.", {{"open", bound<tape_open>}});
  add_functions(L, "tape", "tape:", {{"info", bound<tape_info>}});
}

}  // namespace qa::lua
