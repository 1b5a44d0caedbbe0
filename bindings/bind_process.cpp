// qa.process.run is_allowed find: programs that a script starts; only with --allow-process.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "bindings/vm_state.h"
#include "host/subprocess.h"

namespace qa::lua {
namespace {

constexpr int kLongestMs = 24 * 3600 * 1000;
constexpr int kMostOutput = 16 << 20;
constexpr std::size_t kMostInput = std::size_t{64} << 20;
constexpr std::size_t kMostProcesses = 32;
constexpr std::size_t kShownOutput = 4000;  ///< Of what a program wrote before its time was over, in an error's detail.

bool is_allowed(const VmState& vm, const std::string& program) {
  const auto& allowed = vm.options.allow_process;
  return allowed && (allowed->empty() || std::find(allowed->begin(), allowed->end(), program) != allowed->end());
}

void check_allowed(Call& call, const std::string& program) {
  if (!call.vm.options.allow_process) {
    throw Misuse("no programs may be started; give --allow-process to qa-host to allow it");
  }
  if (!is_allowed(call.vm, program)) {
    throw Misuse(fmt::format("'{}' is not among the programs of --allow-process", program));
  }
}

std::vector<std::pair<std::string, std::string>> variables_at(Call& call, OptionTable& options) {
  std::vector<std::pair<std::string, std::string>> variables;
  if (!options.has("env")) return variables;
  options.push("env");
  table_at(call, lua_gettop(call.L), "env");
  for (lua_pushnil(call.L); lua_next(call.L, -2) != 0; lua_pop(call.L, 1)) {
    // Numbers would be changed in place by lua_tolstring, which confuses lua_next.
    if (lua_type(call.L, -2) != LUA_TSTRING || lua_type(call.L, -1) != LUA_TSTRING) {
      throw Misuse("env is a table of NAME = \"value\"");
    }
    const std::string name = lua_tostring(call.L, -2);
    if (name.empty() || name.find('=') != name.npos) throw Misuse(fmt::format("env: '{}' is no name", name));
    variables.emplace_back(name, lua_tostring(call.L, -1));
  }
  lua_pop(call.L, 1);
  return variables;
}

SubprocessSpec spec_at(Call& call) {
  OptionTable options(call, 1, {"argv", "timeout_ms", "cwd", "env", "input", "output_bytes"});
  SubprocessSpec spec;
  spec.argv = options.strings("argv");
  if (spec.argv.empty() || spec.argv.front().empty()) throw Misuse("argv must name a program");
  for (const std::string& word : spec.argv) {
    if (word.find('\0') != word.npos) throw Misuse("argv: a word holds a NUL");
  }
  spec.timeout = std::chrono::milliseconds(options.integer("timeout_ms", 60'000, 1, kLongestMs));
  spec.cwd = options.string("cwd", "");
  spec.input = options.string("input", "");
  if (spec.input.size() > kMostInput) throw Misuse("input is larger than 64 MiB");
  spec.output_bytes = static_cast<std::size_t>(options.integer("output_bytes", 256 * 1024, 1024, kMostOutput));
  spec.environment = variables_at(call, options);
  return spec;
}

int push_run(lua_State* L, SubprocessResult& result) {
  Json run = {{"stdout", std::move(result.out.text)},
              {"stderr", std::move(result.err.text)},
              {"stdout_bytes", result.out.bytes},
              {"stderr_bytes", result.err.bytes},
              {"exit_code", result.exit_code},
              {"ms", result.ms},
              {"is_cut", result.out.is_cut || result.err.is_cut}};
  if (result.signal != 0) run["signal"] = result.signal;
  return push_result(L, run);
}

Error timeout_of(const SubprocessSpec& spec, const SubprocessResult& result) {
  const auto tail = [](const std::string& text) {
    return text.size() > kShownOutput ? text.substr(text.size() - kShownOutput) : text;
  };
  const Json detail = {{"stdout", tail(result.out.text)}, {"stderr", tail(result.err.text)}, {"ms", result.ms}};
  return {ErrorKind::timeout,
          fmt::format("{} was killed after {} ms; give more timeout_ms", spec.argv.front(), spec.timeout.count()),
          "process.run", dump_json(detail)};
}

void forget(VmState& vm, int group) {
  if (vm.processes.erase(group) > 0 && vm.options.on_group_gone) vm.options.on_group_gone(group);
}

int process_run(Call& call) {
  const SubprocessSpec spec = spec_at(call);
  check_allowed(call, spec.argv.front());
  VmState& vm = call.vm;
  if (vm.processes.size() >= kMostProcesses) {
    throw Misuse(fmt::format("{} programs run already; wait for one", kMostProcesses));
  }
  const auto group = std::make_shared<int>(0);
  const std::weak_ptr<Scheduler> alive = vm.scheduler;
  const auto start = [&](Callback<SubprocessResult> done) {
    const auto ended = [&vm, alive, group, spec, done](Result<SubprocessResult> result) {
      if (alive.expired()) return;
      forget(vm, *group);
      if (result && result->timed_out) return done(timeout_of(spec, *result));
      done(std::move(result));
    };
    auto started = Subprocess::start(vm.loop, spec, ended);
    if (!started) return vm.loop.post([done, error = started.error()] { done(error); });
    *group = (*started)->group();
    vm.processes.emplace(*group, std::move(*started));
    if (vm.options.on_group_started) vm.options.on_group_started(*group);
  };
  // Variables may hold what nobody should read later; who runs programs says in its own words what it ran.
  WaitOptions options{.journal = false};
  options.abandon = [&vm, alive, group] {
    if (!alive.expired()) forget(vm, *group);
  };
  return await<SubprocessResult>(call, start, push_run, std::move(options));
}

int process_is_allowed(Call& call) {
  const std::string program = lua_isnoneornil(call.L, 1) ? "" : std::string(string_at(call, 1, "program"));
  return push_result(call.L,
                     program.empty() ? call.vm.options.allow_process.has_value() : is_allowed(call.vm, program));
}

/// find(program, folder): the file that a program name means there, or nil.
int process_find(Call& call) {
  const std::string name(string_at(call, 1, "program"));
  const std::string folder = lua_isnoneornil(call.L, 2) ? "" : std::string(string_at(call, 2, "folder"));
  const std::string path = inherited_environment().front().substr(sizeof "PATH=" - 1);
  std::string found = find_program(name, path);
  if (!found.empty() && found.front() != '/' && !folder.empty()) found = folder + "/" + found;
  return push_result(call.L, found.empty() ? std::nullopt : std::optional(found));
}

}  // namespace

void add_process(lua_State* L) {
  add_functions(L, "process_waits", "qa.process.", {{"run", bound<process_run>}});
  add_functions(L, "process", "qa.process.",
                {{"is_allowed", bound<process_is_allowed>}, {"find", bound<process_find>}});
}

}  // namespace qa::lua
