// The C API: arguments are checked here, and each run is a Vm on an event loop of its own, on the caller's thread.
//
//   run:  check -> loop + Vm -> loop.run() ... done, or given up -> Vm gone -> loop gone -> answer
//   stop, destroy, complete: other threads reach the loop through Live, which the end of a run empties

#include "bindings/qa_host.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "bindings/convert.h"
#include "bindings/trampoline.h"
#include "bindings/vm.h"
#include "host/event_loop.h"
#include "host/installation.h"
#include "host/trust.h"

namespace {

using namespace qa;
using lua::Json;
using Answer = lua::NativeFunction::Answer;
using Clock = std::chrono::steady_clock;

/// The run in flight, as other threads see it.
struct Live {
  std::mutex mutex;
  EventLoop* loop = nullptr;  ///< Null once the run is over.
  lua::Vm* vm = nullptr;

  void set(EventLoop* run_loop, lua::Vm* run_vm) {
    const std::lock_guard lock(mutex);
    loop = run_loop;
    vm = run_vm;
  }

  bool stop(Clock::time_point latest) {
    const std::lock_guard lock(mutex);
    if (!loop) return false;
    vm->stop(latest);
    loop->post([loop = loop, latest] {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(latest - Clock::now());
      loop->after(std::max(left, std::chrono::milliseconds(0)), [loop] { loop->stop(); });
    });
    return true;
  }

  void post(std::function<void()> fn) {
    const std::lock_guard lock(mutex);
    if (loop) loop->post(std::move(fn));
  }
};

struct Failure {
  std::string text, json = "null";
};

thread_local Failure create_failure;

/// What is left of a host while a run is in flight and its handle is destroyed.
struct Core {
  lua::VmOptions options;
  const std::thread::id owner = std::this_thread::get_id();
  std::mutex mutex;
  std::shared_ptr<Live> live;  ///< While a run is in flight.
  bool is_destroyed = false;
  Failure failure;
  std::string status;  ///< Of the last run of a strategy.
};

}  // namespace

struct qa_host {
  std::shared_ptr<Core> core;
};

/// Answered by whoever has it: the function itself, or another thread later.
struct qa_host_call {
  std::shared_ptr<Live> live;
  Callback<Answer> done;         ///< Of a function that answers later.
  std::optional<Answer> answer;  ///< Of one that answers at once.
};

namespace {

std::shared_ptr<Live> live_of(Core& core) {
  const std::lock_guard lock(core.mutex);
  return core.live;
}

Failure failure_of(const char* kind, const std::string& message) {
  const Json json{{"kind", kind}, {"message", message}, {"op", ""}, {"detail", nullptr}, {"traceback", ""}};
  return {message, lua::dump_json(json)};
}

int fail(Failure& failure, int code, const std::string& message) {
  const char* kind = code == QA_HOST_CANCELLED ? "cancelled" : code == QA_HOST_INTERNAL ? "internal" : "type_mismatch";
  failure = failure_of(kind, message);
  return code;
}

/// Runs `body`; what it throws becomes a code and never leaves the library.
template <class Body>
int guarded(Failure* failure, Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return QA_HOST_NO_MEMORY;
  } catch (const std::exception& fault) {
    Failure unheard;
    return fail(failure ? *failure : unheard, QA_HOST_INTERNAL, fault.what());
  }
}

char* copy_of(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (!copy) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

std::string text_or(const char* text, const std::string& fallback = "") { return text ? text : fallback; }

std::function<std::string(const std::string&)> environment_of(const qa_host_options& options) {
  if (!options.environment) {
    return [](const std::string& name) { return text_or(std::getenv(name.c_str())); };
  }
  return [read = options.environment, user = options.user](const std::string& name) {
    return text_or(read(user, name.c_str()));
  };
}

std::optional<std::vector<std::string>> programs_of(const char* list) {
  if (!list) return std::nullopt;
  std::vector<std::string> names;
  const std::string text = list;
  for (std::size_t begin = 0; begin <= text.size() && text != "*";) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  // An empty list allows every program.
  return names.empty() && text != "*" ? std::nullopt : std::optional(names);
}

lua::VmOptions vm_options(const qa_host_options& given) {
  lua::VmOptions options;
  options.share = text_or(given.share, share_folder());
  options.out = text_or(given.out, options.out);
  options.browser_path = text_or(given.browser);
  options.headed = given.headed != 0;
  options.environment = environment_of(given);
  options.models = model_options_from(options.environment);
  options.remote =
      remote_options(text_or(given.cdp), text_or(given.grid), text_or(given.browserbase), options.environment);
  if (given.state) options.models.state = given.state;
  if (given.budget) options.models.budget_usd = given.budget;
  if (given.memory_bytes != 0) options.memory_bytes = given.memory_bytes;
  if (given.stretch_ms != 0) options.max_stretch_ms = given.stretch_ms;
  options.allow_process = programs_of(given.allow_process);
  options.command_name = "embedded";
  options.wants_value = true;
  options.log = [write = given.log, user = given.user](std::string_view level, std::string_view text) {
    if (write) write(user, std::string(level).c_str(), std::string(text).c_str());
  };
  options.print = [write = given.print, user = given.user](std::string_view text) {
    if (write) write(user, std::string(text).c_str());
  };
  if (given.event) {
    options.on_event = [tell = given.event, user = given.user](const std::string& line) { tell(user, line.c_str()); };
  }
  return options;
}

/// Also whether a run can begin: the host's own thread, and no run in flight.
int check_idle(qa_host* host) {
  if (!host) return QA_HOST_INVALID;
  Core& core = *host->core;
  if (std::this_thread::get_id() != core.owner) return QA_HOST_WRONG_THREAD;
  const std::lock_guard lock(core.mutex);
  return core.live ? QA_HOST_BUSY : QA_HOST_OK;
}

/// Words of letters, digits and _, with dots between; `least` dots at least. Modules of the name "qa" are the host's.
bool is_name(const char* name, int least) {
  int dots = 0;
  for (const char* c = name; *c != '\0'; ++c) {
    const bool is_letter = std::isalpha(static_cast<unsigned char>(*c)) != 0 || *c == '_';
    const bool begins = c == name || c[-1] == '.';
    if (*c == '.' && !begins && c[1] != '\0') {
      ++dots;
    } else if (!is_letter && (begins || std::isdigit(static_cast<unsigned char>(*c)) == 0)) {
      return false;
    }
  }
  const std::string text = name;
  return !text.empty() && dots >= least && text != "qa" && !text.starts_with("qa.");
}

/// Runs a function when its scope is left.
template <class End>
struct AtEnd {
  explicit AtEnd(End at_end) : end(std::move(at_end)) {}
  ~AtEnd() { end(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;
  End end;
};

int answer(Core& core, const std::optional<lua::RunOutcome>& outcome, char** json) {
  const bool is_stopped = !outcome || outcome->is_stopped;
  if (outcome && outcome->failure.empty()) {
    if (json) *json = copy_of(outcome->value);
  } else if (outcome) {
    core.failure = {outcome->error, outcome->failure};
    if (!is_stopped) return QA_HOST_FAILED;
  }
  return is_stopped ? fail(core.failure, QA_HOST_CANCELLED, "stopped by the program that runs it") : QA_HOST_OK;
}

using Start = std::function<void(lua::Vm& vm, lua::Vm::Done done)>;

int run(const std::shared_ptr<Core>& core, lua::VmOptions options, const Start& start, char** json) {
  core->failure = {};
  std::optional<lua::RunOutcome> outcome;
  // A host takes one run at a time.
  const auto live = std::make_shared<Live>();
  const auto set_live = [&](std::shared_ptr<Live> now) {
    const std::lock_guard lock(core->mutex);
    core->live = std::move(now);
  };
  set_live(live);
  const AtEnd freed([&] { set_live(nullptr); });
  EventLoop loop;
  {
    lua::Vm vm(loop, std::move(options));  // What is still open dies with it.
    // Other threads know the run from here on, and no more before the Vm is gone.
    const AtEnd hidden([&] { live->set(nullptr, nullptr); });
    live->set(&loop, &vm);
    if (const std::lock_guard lock(core->mutex); core->is_destroyed) live->stop(Clock::now());
    start(vm, [&](lua::RunOutcome result) {
      outcome = std::move(result);
      loop.stop();
    });
    loop.run();
  }
  return answer(*core, outcome, json);
}

/// `body` makes the options of the run from the host's, and starts it.
int run_checked(qa_host* host, const char* what, char** json, const std::function<Start(lua::VmOptions&)>& body) {
  if (json) *json = nullptr;
  if (const int code = check_idle(host); code != QA_HOST_OK) return code;
  const std::shared_ptr<Core> core = host->core;  // The handle may be destroyed meanwhile.
  return guarded(&core->failure, [&] {
    if (!what) return fail(core->failure, QA_HOST_INVALID, "there is nothing to run: NULL");
    lua::VmOptions options = core->options;
    Start start;
    try {
      start = body(options);
    } catch (const lua::Misuse& misuse) {
      return fail(core->failure, QA_HOST_INVALID, misuse.what());
    }
    return run(core, std::move(options), start, json);
  });
}

Json json_of(const char* text, const char* what, bool (Json::*is_kind)() const noexcept) {
  try {
    Json value = lua::parse_json(text);
    if ((value.*is_kind)()) return value;
  } catch (const lua::Misuse& fault) {
    throw lua::Misuse(std::string(what) + ": " + fault.what());
  }
  throw lua::Misuse(std::string(what) + ": JSON of another kind was expected");
}

/// A call of a function of the embedding program, as the Vm makes it.
template <class Call>
void call_with(Core* core, qa_host_function function, void* user, const std::string& arguments, Call* call) {
  call->live = live_of(*core);
  function(user, call, arguments.c_str());
}

int add_function(qa_host* host, const char* name, qa_host_function function,
                 const std::function<lua::NativeFunction(Core*)>& make) {
  if (const int code = check_idle(host); code != QA_HOST_OK) return code;
  Core& core = *host->core;
  return guarded(&core.failure, [&] {
    core.failure = {};
    if (!name || !function || !is_name(name, 1))
      return fail(core.failure, QA_HOST_INVALID, "a function has a name as \"game.level\", and an address");
    const std::string text = name;
    if (core.options.modules.count(text.substr(0, text.rfind('.'))) > 0)
      return fail(core.failure, QA_HOST_INVALID, text + ": a Lua module has this name");
    core.options.functions[text] = make(&core);
    return static_cast<int>(QA_HOST_OK);
  });
}

}  // namespace

int qa_host_abi_version(void) { return QA_HOST_ABI_VERSION; }
const char* qa_host_version(void) { return QA_VERSION; }
void qa_host_free(void* text) { std::free(text); }

int qa_host_create(const qa_host_options* options, qa_host** host) {
  if (host) *host = nullptr;
  return guarded(&create_failure, [&] {
    create_failure = {};
    if (!host) return fail(create_failure, QA_HOST_INVALID, "qa_host_create: host is NULL");
    if (options && options->size != sizeof *options)
      return fail(create_failure, QA_HOST_VERSION, "qa_host_options.size is not that of this library: compile again");
    const qa_host_options given = options ? *options : qa_host_options{};
    if (!!given.browser + !!given.cdp + !!given.grid + !!given.browserbase > 1)
      return fail(create_failure, QA_HOST_INVALID, "a host has one of browser, cdp, grid and browserbase");
    if (given.stretch_ms < 0) return fail(create_failure, QA_HOST_INVALID, "stretch_ms is below 0");
    auto core = std::make_shared<Core>();
    core->options = vm_options(given);
    std::error_code failed;
    if (!std::filesystem::exists(core->options.share + "/scripts/qa/init.lua", failed))
      return fail(create_failure, QA_HOST_NO_SHARE,
                  "no scripts in " + core->options.share + ": say where they are with qa_host_options.share");
    if (given.folder) {
      auto project = open_project(given.folder, core->options.share);
      if (!project) return fail(create_failure, QA_HOST_INVALID, project.error().message);
      core->options.project = std::move(*project);
    }
    *host = new qa_host{std::move(core)};
    return static_cast<int>(QA_HOST_OK);
  });
}

void qa_host_destroy(qa_host* host) {
  if (!host) return;
  const std::unique_ptr<qa_host> handle(host);
  std::shared_ptr<Live> live;
  {
    const std::lock_guard lock(host->core->mutex);
    host->core->is_destroyed = true;
    live = host->core->live;
  }
  if (live) live->stop(Clock::now());
}

int qa_host_stop(qa_host* host, int deadline_ms) {
  if (!host || deadline_ms < 0) return QA_HOST_INVALID;
  const std::shared_ptr<Live> live = live_of(*host->core);
  const auto stop = [&] { return live && live->stop(Clock::now() + std::chrono::milliseconds(deadline_ms)); };
  return guarded(nullptr, [&] { return stop() ? QA_HOST_OK : QA_HOST_NOT_RUNNING; });
}

int qa_host_run_string(qa_host* host, const char* lua, char** json) {
  return run_checked(host, lua, json, [&](lua::VmOptions&) -> Start {
    return [lua](lua::Vm& vm, lua::Vm::Done done) { vm.run_code(lua, std::move(done)); };
  });
}

int qa_host_run_script(qa_host* host, const char* path, const char* arguments, char** json) {
  return run_checked(host, path, json, [&](lua::VmOptions& options) -> Start {
    for (const Json& word : arguments ? json_of(arguments, "arguments", &Json::is_array) : Json::array()) {
      if (!word.is_string()) throw lua::Misuse("arguments: an array of strings was expected");
      options.args.push_back(word);
    }
    return [path](lua::Vm& vm, lua::Vm::Done done) { vm.run_file(path, std::move(done)); };
  });
}

int qa_host_run_strategy(qa_host* host, const char* strategy, const char* target, const char* options, char** report) {
  return run_checked(host, target, report, [&](lua::VmOptions& run_options) -> Start {
    run_options.on_result = [core = host->core.get()](const std::string& status, int, const std::string&) {
      core->status = status;
    };
    Json wanted = options ? json_of(options, "options", &Json::is_object) : Json::object();
    wanted["target"] = target;
    if (strategy) wanted["strategy"] = strategy;
    return [text = lua::dump_json(wanted)](lua::Vm& vm, lua::Vm::Done done) { vm.run_strategy(text, std::move(done)); };
  });
}

const char* qa_host_last_error(const qa_host* host) {
  return (host ? host->core->failure : create_failure).text.c_str();
}

const char* qa_host_last_status(const qa_host* host) { return host ? host->core->status.c_str() : ""; }

const char* qa_host_last_error_json(const qa_host* host) {
  return (host ? host->core->failure : create_failure).json.c_str();
}

int qa_host_add_function(qa_host* host, const char* name, qa_host_function function, void* user) {
  return add_function(host, name, function, [function, user](Core* core) {
    lua::NativeFunction native;
    native.now = [=](const std::string& arguments) {
      qa_host_call call;
      call_with(core, function, user, arguments, &call);
      return call.answer.value_or(Answer{"null", ""});
    };
    return native;
  });
}

int qa_host_add_async_function(qa_host* host, const char* name, qa_host_function function, void* user) {
  return add_function(host, name, function, [function, user](Core* core) {
    lua::NativeFunction native;
    native.later = [=](const std::string& arguments, Callback<Answer> done) {
      auto call = std::make_unique<qa_host_call>();
      call->done = std::move(done);
      call_with(core, function, user, arguments, call.release());
    };
    return native;
  });
}

int qa_host_add_module(qa_host* host, const char* name, const char* lua) {
  if (const int code = check_idle(host); code != QA_HOST_OK) return code;
  Core& core = *host->core;
  return guarded(&core.failure, [&] {
    core.failure = {};
    if (!name || !lua || !is_name(name, 0))
      return fail(core.failure, QA_HOST_INVALID, "a module has a name as \"game.levels\", and a source");
    for (const auto& [known, function] : core.options.functions) {
      if (known.substr(0, known.rfind('.')) == name)
        return fail(core.failure, QA_HOST_INVALID, known + ": a function's module has this name");
    }
    core.options.modules[name] = lua;
    return static_cast<int>(QA_HOST_OK);
  });
}

namespace {

int give(qa_host_call* call, Answer answer, int code) {
  if (!call->done) {
    call->answer = std::move(answer);  // Its function has not returned yet.
    return code;
  }
  const std::unique_ptr<qa_host_call> owned(call);
  call->live->post([done = std::move(call->done), answer = std::move(answer)] { done(answer); });
  return code;
}

}  // namespace

int qa_host_complete(qa_host_call* call, const char* json) {
  if (!call) return QA_HOST_INVALID;
  return guarded(nullptr, [&] {
    try {
      if (!json) throw lua::Misuse("NULL");
      lua::parse_json(json);
      return give(call, {json, ""}, QA_HOST_OK);
    } catch (const lua::Misuse& fault) {
      return give(call, {"", std::string("the function gave no JSON: ") + fault.what()}, QA_HOST_INVALID);
    }
  });
}

int qa_host_fail(qa_host_call* call, const char* message) {
  if (!call) return QA_HOST_INVALID;
  return guarded(nullptr, [&] { return give(call, {"", text_or(message, "no reason was given")}, QA_HOST_OK); });
}
