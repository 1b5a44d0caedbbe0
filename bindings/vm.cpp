#include "bindings/vm.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <lua.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "bindings/user_configuration.h"
#include "bindings/vm_state.h"
#include "host/llm/model_service.h"
#include "host/log.h"
#include "host/text.h"

namespace qa::lua {

std::string_view embedded_source(std::string_view name);  // Generated from prelude.lua.

namespace {

constexpr std::size_t kReserve = std::size_t{4} << 20;  ///< For the host's own calls when Lua's memory is used up.
constexpr int kGcPause = 130;  ///< Per cent; the default 200 would need twice what is alive before it collects.
constexpr const char* kMain = "qa.main";  ///< Registry: makes the function of a root task.

void* allocate(void* user, void* block, std::size_t old_size, std::size_t new_size) {
  auto& memory = *static_cast<Memory*>(user);
  if (!block) old_size = 0;
  if (new_size == 0) {
    std::free(block);
    memory.used -= old_size;
    return nullptr;
  }
  if (new_size > old_size && memory.used - old_size + new_size > memory.limit) {
    memory.refused = true;
    return nullptr;
  }
  void* moved = std::realloc(block, new_size);
  if (moved) memory.used += new_size - old_size;
  return moved;
}

int host_memory(lua_State* L) {
  lua_pushnumber(L, static_cast<lua_Number>(VmState::of(L).memory.used) / 1024.0);
  return 1;
}

void open_libraries(lua_State* L, bool jit) {
  const luaL_Reg libraries[] = {{"", luaopen_base},
                                {LUA_TABLIBNAME, luaopen_table},
                                {LUA_STRLIBNAME, luaopen_string},
                                {LUA_MATHLIBNAME, luaopen_math},
                                {LUA_OSLIBNAME, luaopen_os},
                                {LUA_DBLIBNAME, luaopen_debug},
                                {LUA_BITLIBNAME, luaopen_bit}};
  for (const auto& library : libraries) {
    lua_pushcfunction(L, library.func);
    lua_pushstring(L, library.name);
    lua_call(L, 1, 0);
  }
  if (jit) {
    lua_pushcfunction(L, luaopen_jit);
    lua_pushliteral(L, LUA_JITLIBNAME);
    lua_call(L, 1, 0);
  } else {
    luaJIT_setmode(L, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
  }
}

void push_command(lua_State* L, const VmOptions& options) {
  Json command = options.command_json.empty() ? Json::object() : Json::parse(options.command_json, nullptr, false);
  if (!command.is_object()) command = Json::object();
  if (!options.command_name.empty()) command["name"] = options.command_name;
  push_json(L, command);
}

/// Leaves `raw` on the stack: everything that prelude.lua works with.
void push_raw(lua_State* L, const VmOptions& options) {
  lua_newtable(L);
#define QA_ADD_TOPIC(topic) add_##topic(L);
  QA_TOPICS(QA_ADD_TOPIC)
  push_metatables(L);
  lua_setfield(L, -2, "metatables");
  lua_pushlightuserdata(L, nullptr);
  lua_setfield(L, -2, "null");
  lua_pushcfunction(L, host_memory);
  lua_setfield(L, -2, "memory");
  lua_pushliteral(L, QA_VERSION);
  lua_setfield(L, -2, "version");
  push_json(L, Json(options.args));
  lua_setfield(L, -2, "args");
  push_command(L, options);
  lua_setfield(L, -2, "command");
}

int open_vm(lua_State* L) {
  VmState& vm = VmState::of(L);
  open_libraries(L, vm.options.jit);
  open_convert(L);
  const std::string_view source = embedded_source("prelude");
  if (luaL_loadbufferx(L, source.data(), source.size(), "=prelude", "t") != 0) return lua_error(L);
  push_raw(L, vm.options);
  luaL_newmetatable(L, kWaitSentinel);
  lua_call(L, 2, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, kMain);
  return 0;
}

struct RootRequest {
  const char* kind;
  const std::string* argument;
  TaskPtr task;
};

int create_root(lua_State* L) {
  auto& request = *static_cast<RootRequest*>(lua_touserdata(L, 1));
  lua_getfield(L, LUA_REGISTRYINDEX, kMain);
  lua_pushstring(L, request.kind);
  push_text(L, *request.argument);
  lua_call(L, 2, 1);
  request.task = VmState::of(L).scheduler->create(L, nullptr, false);
  return 0;
}

/// What a task raised, as text. Filled in a protected call.
struct Description {
  lua_State* co = nullptr;
  std::string kind, text, traceback;
  Json error = Json::object();  ///< Fields of a raised error table.
};

/// Reads the fields of an error table at the top of L; no C++ object lives where Lua can raise.
void read_error(lua_State* L, Description& found) {
  try {
    found.error = to_json(L, -1);
  } catch (const Misuse&) {  // Not plain data: its text has to do.
  }
}

int describe(lua_State* L) {
  auto& found = *static_cast<Description*>(lua_touserdata(L, 1));
  if (lua_gettop(found.co) == 0) return 0;
  // The value is copied through the registry-free road: both states share one heap.
  lua_pushvalue(found.co, -1);
  lua_xmove(found.co, L, 1);
  if (lua_type(L, -1) == LUA_TTABLE) {
    lua_pushliteral(L, "kind");
    lua_rawget(L, -2);
    if (const char* kind = lua_tostring(L, -1)) found.kind = kind;
    lua_pop(L, 1);
    if (!found.kind.empty()) read_error(L, found);
  }
  const bool is_text = lua_type(L, -1) == LUA_TSTRING;
  lua_getglobal(L, "tostring");
  lua_insert(L, -2);
  lua_call(L, 1, 1);
  const char* text = lua_tostring(L, -1);
  found.text = text ? text : "an error value without text";
  if (is_text) {
    luaL_traceback(L, found.co, nullptr, 0);
    found.traceback = lua_tostring(L, -1);
  }
  return 0;
}

Description description_of(VmState& vm, lua_State* co) {
  Description found;
  found.co = co;
  // Its __tostring is a script's.
  vm.watchdog.arm(vm.options.max_stretch_ms);
  const int failed = vm.protected_call(describe, &found);
  vm.watchdog.disarm(vm.L);
  if (failed != 0) {
    found.text = "an error that cannot be shown";
    lua_pop(vm.L, 1);
  }
  return found;
}

std::string failure_json(std::string_view kind, const std::string& message, const std::string& op = "",
                         Json detail = nullptr, const std::string& traceback = "") {
  if (detail.is_discarded()) detail = nullptr;
  return dump_json({{"kind", kind}, {"message", message}, {"op", op}, {"detail", detail}, {"traceback", traceback}});
}

std::string failure_json(const Description& found) {
  const auto text = [&](const char* field) {
    const auto value = found.error.find(field);
    return value != found.error.end() && value->is_string() ? value->get<std::string>() : std::string();
  };
  if (found.kind.empty() || !found.error.is_object())
    return failure_json("script_error", found.text, "", nullptr, found.traceback);
  return failure_json(found.kind, text("message"), text("op"), found.error.value("detail", Json()), found.traceback);
}

struct Values {
  lua_State* co;
  std::string json, problem;
};

/// The JSON of what a root task returned after its exit code.
int read_values(lua_State* L) {
  auto& values = *static_cast<Values*>(lua_touserdata(L, 1));
  try {
    Json all = Json::array();
    for (int i = 2; i <= lua_gettop(values.co); ++i) all.push_back(to_json(values.co, i));
    values.json = dump_json(all.empty() ? Json() : all.size() == 1 ? all[0] : all);
  } catch (const Misuse& misuse) {
    values.problem = misuse.what();
  }
  return 0;
}

void take_value(VmState& vm, const Task& root, RunOutcome& outcome) {
  Values values{root.co, "", ""};
  if (vm.protected_call(read_values, &values) != 0) {
    values.problem = "not enough memory";
    lua_pop(vm.L, 1);
  }
  outcome.value = std::move(values.json);
  if (values.problem.empty()) return;
  outcome.error = "what the script returned has no JSON form: " + values.problem;
  outcome.failure = failure_json("script_error", outcome.error);
  outcome.exit_code = 3;
}

int exit_code_for(const std::string& kind) { return kind == "browser_lost" || kind == "browser_launch_failed" ? 4 : 3; }

RunOutcome outcome_of(VmState& vm, const Task& root) {
  RunOutcome outcome;
  if (root.returned) {
    outcome.exit_code = static_cast<int>(lua_tointeger(root.co, 1));
    if (vm.options.wants_value) take_value(vm, root, outcome);
  } else if (root.failure) {
    const Error& failure = *root.failure;
    const std::string kind(kind_name(failure.kind));
    outcome.error = kind + ": " + failure.message;
    outcome.failure = failure_json(kind, failure.message, failure.op, Json::parse(failure.detail, nullptr, false));
    outcome.exit_code = exit_code_for(kind);
  } else {
    Description found = description_of(vm, root.co);
    outcome.failure = failure_json(found);
    outcome.error = std::move(found.text);
    outcome.traceback = std::move(found.traceback);
    outcome.exit_code = exit_code_for(found.kind);
  }
  outcome.is_stopped = vm.is_stopped;
  if (vm.cancelled_by != 0) outcome.exit_code = 128 + vm.cancelled_by;
  return outcome;
}

RunOutcome not_begun(const std::string& why) {
  RunOutcome outcome;
  outcome.exit_code = 3;
  outcome.error = why;
  outcome.failure = failure_json("script_error", why);
  return outcome;
}

void finish_run(VmState& vm, RunOutcome outcome) {
  if (vm.deadline != 0) vm.loop.cancel(vm.deadline);
  vm.deadline = 0;
  close_browsers(vm, [&vm, outcome] {
    vm.loop.post([weak = std::weak_ptr<Scheduler>(vm.scheduler), &vm, outcome] {
      if (weak.expired()) return;
      vm.root.reset();
      const auto done = std::exchange(vm.done, nullptr);
      if (done) done(outcome);
    });
  });
}

}  // namespace

VmState::VmState(EventLoop& event_loop, VmOptions vm_options)
    : loop(event_loop),
      options(std::move(vm_options)),
      memory{this, 0, options.memory_bytes},
      journal(event_loop, redaction) {
  access = std::make_shared<PageAccess>(PageAccess{options.credentials, {}});
  for (const std::string& secret : options.credentials.secrets()) redaction.add(secret);
  scheduler = std::make_shared<Scheduler>(*this);
  journal.on_failure = [this](const Error& error) { log("error", "the journal cannot be written: " + error.message); };
  L = lua_newstate(allocate, &memory);
  if (!L) throw std::runtime_error("not enough memory for a Lua machine");
  if (lua_cpcall(L, open_vm, nullptr) != 0) {
    const std::string why = lua_tostring(L, -1) ? lua_tostring(L, -1) : "unknown";
    lua_close(L);
    throw std::runtime_error("the Lua machine did not start: " + why);
  }
  registry->L = L;
  lua_gc(L, LUA_GCSETPAUSE, kGcPause);
  watchdog.install(L);
}

VmState::~VmState() {
  for (auto& [id, entry] : handles.browsers) entry.browser->kill();
  for (auto& [ticket, launching_browser] : launching) {
    if (const auto browser = launching_browser.lock()) browser->kill();
  }
  processes.clear();
  if (deadline != 0) loop.cancel(deadline);
  root.reset();
  scheduler->clear();
  models.reset();
  scheduler.reset();
  lua_sethook(L, nullptr, 0, 0);
  registry->L = nullptr;
  lua_close(L);
}

void VmState::log(std::string_view level, std::string_view text) const {
  if (options.log) return options.log(level, text);
  const Log fallback(STDERR_FILENO, LogLevel::info);
  level == "line" ? fallback.line(text) : fallback.write(log_level_from(level, ""), text);
}

void VmState::print(std::string_view text) const {
  if (options.print) return options.print(text);
  const std::string line = terminal_safe(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

int VmState::protected_call(lua_CFunction function, void* argument) {
  memory.limit += kReserve;
  const int status = lua_cpcall(L, function, argument);
  memory.limit -= kReserve;
  return status;
}

void VmState::reclaim() {
  if (!memory.refused) return;
  const auto collect = [](lua_State* state) { return lua_gc(state, LUA_GCCOLLECT, 0), 0; };
  if (protected_call(collect, nullptr) != 0) lua_pop(L, 1);
  memory.refused = memory.used > memory.limit / 4 * 3;
}

void VmState::log_lost_error(lua_State* co) {
  log("warn", "a spawned task failed and nobody joined it: " + description_of(*this, co).text);
}

void VmState::cancel_root(const Error& loss) {
  if (root && !root->ended()) scheduler->cancel(*root, loss);
}

void VmState::stop_root() {
  watchdog.take_stop();
  is_stopped = is_stopped || (root && !root->ended());
  cancel_root(stop_error(""));
}

Result<Unit> VmState::ensure_run() {
  if (journal.is_open()) return Unit{};
  auto opened = journal.open(options.out, "script");
  if (opened && options.on_run_directory) options.on_run_directory(journal.run().path());
  return opened;
}

const std::string& VmState::user_configuration() {
  if (configuration) return *configuration;
  const auto own = read_user_configuration(options.environment ? user_configuration_path(options.environment) : "");
  if (!own) throw Raised(own.error());
  Json values = Json::parse(*own, nullptr, false);
  const Json given = Json::parse(options.models.endpoints, nullptr, false);
  if (given.is_object()) {
    if (!values["endpoints"].is_object()) values["endpoints"] = Json::object();
    values["endpoints"].update(given);
  }
  return configuration.emplace(dump_json(values));
}

ModelService& VmState::model_service() {
  if (!models) {
    ModelOptions wanted = options.models;
    const Json own = Json::parse(user_configuration(), nullptr, false);
    wanted.endpoints = own.contains("endpoints") ? dump_json(own["endpoints"]) : "";
    wanted.data = options.share + "/scripts/data";
    wanted.run = options.out;
    wanted.environment = options.environment;
    auto opened = ModelService::open(loop, wanted);
    if (!opened) throw Raised(opened.error());
    models = std::move(*opened);
  }
  return *models;
}

Vm::Vm(EventLoop& loop, VmOptions options) : state_(std::make_unique<VmState>(loop, std::move(options))) {}
Vm::~Vm() = default;

void Vm::run(const char* kind, const std::string& argument, Done done) {
  VmState& vm = *state_;
  if (vm.root) {
    return vm.loop.post([done] { done(not_begun("a script is running already")); });
  }
  RootRequest request{kind, &argument, nullptr};
  vm.reclaim();
  if (vm.protected_call(create_root, &request) != 0) {
    const std::string why = lua_tostring(vm.L, -1) ? lua_tostring(vm.L, -1) : "not enough memory";
    lua_pop(vm.L, 1);
    return vm.loop.post([done, why] { done(not_begun(why)); });
  }
  vm.root = request.task;
  vm.done = std::move(done);
  vm.cancelled_by = 0;
  vm.is_stopped = false;
  // The task is kept by the Vm, so its listener may not keep it as well.
  vm.root->on_end.push_back([&vm] { finish_run(vm, outcome_of(vm, *vm.root)); });
  vm.scheduler->start(vm.root);
}

void Vm::run_file(const std::string& path, Done done) { run("file", path, std::move(done)); }
void Vm::run_code(const std::string& code, Done done) { run("code", code, std::move(done)); }
void Vm::run_command(const std::string& name, Done done) { run("command", name, std::move(done)); }
void Vm::run_strategy(const std::string& options, Done done) { run("strategy", options, std::move(done)); }

void Vm::cancel(int signal_number) {
  VmState& vm = *state_;
  if (!vm.root || vm.root->ended()) return;
  vm.cancelled_by = signal_number;
  Error loss{ErrorKind::cancelled, "stopped by signal " + std::to_string(signal_number), "", ""};
  loss.detail = "{\"signal\":" + std::to_string(signal_number) + "}";
  vm.cancel_root(loss);
}

void Vm::stop(std::chrono::steady_clock::time_point latest) {
  state_->watchdog.request_stop(latest);
  state_->loop.post([weak = std::weak_ptr<Scheduler>(state_->scheduler), &vm = *state_] {
    if (!weak.expired()) vm.stop_root();
  });
}

}  // namespace qa::lua
