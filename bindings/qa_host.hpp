// qa-host inside a C++17 program: what qa_host.h offers, with owners, exceptions and std::function. Header only.
//
//   qahost::Options options;  options.out = "runs";  qahost::Host host(options);
//   host.add("game.level", [](const std::string& arguments) { return "3"; });
//   std::string json = host.run_string("return require('game').level()");
//
// Threads are as in qa_host.h: a host is used on the thread that made it, but stop() and Call are for any thread.
#ifndef QA_HOST_HPP
#define QA_HOST_HPP

#include <qa_host.h>

#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace qahost {

/// What a run, or what led to it, failed with. what() is the line of qa_host_last_error.
class Error : public std::runtime_error {
 public:
  Error(int code, const char* text, std::string json = "null")
      : std::runtime_error(*text ? text : "qa-host: error " + std::to_string(code)),
        code_(code),
        json_(std::move(json)) {}
  int code() const { return code_; }                 ///< A qa_host_code.
  const std::string& json() const { return json_; }  ///< {kind, message, op, detail, traceback}, or null.

 private:
  int code_;
  std::string json_;
};

/// As qa_host_options, where "" and 0 are the defaults. What your functions throw stops the run and leaves run_*().
struct Options {
  std::string share, folder, out, state, browser, cdp, grid, browserbase, budget, allow_process;
  bool headed = false;
  std::size_t memory_bytes = 0;
  int stretch_ms = 0;
  std::function<void(const std::string& level, const std::string& text)> log;
  std::function<void(const std::string& text)> print;
  std::function<void(const std::string& json)> event;
  std::function<std::string(const std::string& name)> environment;  ///< "" for a variable that is not set.
};

/// The right and duty to answer a call once, on any thread. One that is dropped without an answer fails.
class Call {
 public:
  explicit Call(::qa_host_call* call) : call_(call) {}
  Call(Call&& other) noexcept : call_(std::exchange(other.call_, nullptr)) {}
  Call& operator=(Call&& other) noexcept { return std::swap(call_, other.call_), *this; }
  ~Call() { fail("the function gave no answer"); }

  /// A value as JSON text; false when it is none, which the script is told.
  bool complete(const std::string& json) { return take(qa_host_complete, json) == QA_HOST_OK; }
  void fail(const std::string& message) { take(qa_host_fail, message); }

 private:
  int take(int (*answer)(::qa_host_call*, const char*), const std::string& text) {
    ::qa_host_call* const call = std::exchange(call_, nullptr);
    return call ? answer(call, text.c_str()) : QA_HOST_INVALID;
  }
  ::qa_host_call* call_;
};

class Host {
 public:
  /// A function gets its arguments as a JSON array and returns a JSON value; what it throws is the script's error.
  using Function = std::function<std::string(const std::string& arguments)>;
  /// Answers later: it moves the call to where it is answered. What it throws before that is the script's error.
  using AsyncFunction = std::function<void(const std::string& arguments, Call& call)>;

  explicit Host(Options options = {}) : state_(std::make_shared<State>()) {
    state_->options = std::move(options);
    const Options& given = state_->options;
    qa_host_options c{};
    c.size = sizeof c;
    c.share = text(given.share), c.folder = text(given.folder), c.out = text(given.out), c.state = text(given.state);
    c.browser = text(given.browser), c.budget = text(given.budget), c.allow_process = text(given.allow_process);
    c.cdp = text(given.cdp), c.grid = text(given.grid), c.browserbase = text(given.browserbase);
    c.headed = given.headed, c.memory_bytes = given.memory_bytes, c.stretch_ms = given.stretch_ms;
    c.user = state_.get();
    c.log = [](void* user, const char* level, const char* line) { of(user).tell(of(user).options.log, level, line); };
    c.print = [](void* user, const char* line) { of(user).tell(of(user).options.print, line); };
    if (given.environment) c.environment = [](void* user, const char* name) { return of(user).variable(name); };
    c.event = [](void* user, const char* json) { of(user).tell(of(user).options.event, json); };
    const int code = qa_host_create(&c, &state_->host);
    if (code != QA_HOST_OK) throw Error(code, qa_host_last_error(nullptr), qa_host_last_error_json(nullptr));
  }
  ~Host() {
    if (!state_) return;
    const std::lock_guard<std::mutex> lock(state_->mutex);
    qa_host_destroy(std::exchange(state_->host, nullptr));
  }
  Host(Host&&) = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // Each gives JSON: what the text or script returned, the report. They throw Error, and what your functions threw.
  std::string run_string(const std::string& lua) {
    return run([&](::qa_host* host, char** json) { return qa_host_run_string(host, lua.c_str(), json); });
  }
  /// `arguments`: a JSON array of strings.
  std::string run_script(const std::string& path, const std::string& arguments = "[]") {
    return run(
        [&](auto* host, char** json) { return qa_host_run_script(host, path.c_str(), arguments.c_str(), json); });
  }
  /// "" is the standard strategy; `options` as for qa_host_run_strategy.
  std::string run_strategy(const std::string& strategy, const std::string& target, const std::string& options = "{}") {
    return run([&](::qa_host* host, char** json) {
      return qa_host_run_strategy(host, text(strategy), target.c_str(), options.c_str(), json);
    });
  }
  /// The verdict of the last run of a strategy: pass, fail, inconclusive or error; "" before.
  std::string status() const { return qa_host_last_status(state_->host); }
  /// Any thread. False when nothing ran.
  bool stop(int deadline_ms) { return qa_host_stop(state_->host, deadline_ms) == QA_HOST_OK; }

  void add(const std::string& name, Function function) {
    const auto call = [](void* user, ::qa_host_call* c, const char* arguments) {
      answer(c, [&] { return (*static_cast<Function*>(user))(arguments); });
    };
    check(qa_host_add_function(state_->host, name.c_str(), call, &state_->functions.emplace_back(std::move(function))));
  }
  void add_async(const std::string& name, AsyncFunction function) {
    const auto call = [](void* user, ::qa_host_call* c, const char* arguments) {
      Call owned(c);
      std::string why;
      if (thrown_by([&] { (*static_cast<AsyncFunction*>(user))(arguments, owned); }, why)) owned.fail(why);
    };
    auto& kept = state_->async_functions.emplace_back(std::move(function));
    check(qa_host_add_async_function(state_->host, name.c_str(), call, &kept));
  }
  void add_module(const std::string& name, const std::string& lua) {
    check(qa_host_add_module(state_->host, name.c_str(), lua.c_str()));
  }
  ::qa_host* get() const { return state_->host; }

 private:
  /// What a function of the program throws, whatever it is, may not get into the library below.
  template <class Body>
  static std::exception_ptr thrown_by(Body body, std::string& why) {
    try {
      return body(), nullptr;
    } catch (const std::exception& fault) {
      why = fault.what();
      return std::current_exception();
    } catch (...) {  // Not a Lua error: no Lua runs above the library's call of this function.
      why = "the function threw something that is no std::exception";
      return std::current_exception();
    }
  }

  struct State {
    Options options;
    ::qa_host* host = nullptr;
    std::mutex mutex;  ///< Around the end of the host, which a run in flight on another thread may want to stop.
    std::string last_variable;
    std::list<Function> functions;
    std::list<AsyncFunction> async_functions;
    std::exception_ptr thrown;

    template <class Listener, class... Texts>
    void tell(const Listener& listener, const Texts&... texts) {
      if (listener && !thrown) guard([&] { listener(texts...); });
    }
    const char* variable(const char* name) {
      last_variable.clear();
      guard([&] { last_variable = options.environment(name); });
      return last_variable.empty() ? nullptr : last_variable.c_str();
    }
    template <class Body>
    void guard(Body body) {
      std::string why;
      auto exception = thrown_by(body, why);
      if (!exception) return;
      thrown = std::move(exception);
      const std::lock_guard<std::mutex> lock(mutex);
      if (host) qa_host_stop(host, 0);
    }
  };
  static State& of(void* user) { return *static_cast<State*>(user); }
  static const char* text(const std::string& value) { return value.empty() ? nullptr : value.c_str(); }

  template <class Body>
  static void answer(::qa_host_call* call, Body body) {
    std::string json, why;
    thrown_by([&] { json = body(); }, why) ? qa_host_fail(call, why.c_str()) : qa_host_complete(call, json.c_str());
  }

  void check(int code) const {
    if (code != QA_HOST_OK) throw Error(code, qa_host_last_error(state_->host), qa_host_last_error_json(state_->host));
  }

  template <class Start>
  std::string run(Start start) {
    const auto state = state_;  // The host may be destroyed meanwhile, on another thread.
    char* json = nullptr;
    state->thrown = nullptr;
    const int code = start(state->host, &json);
    const std::unique_ptr<char, void (*)(void*)> owned(json, qa_host_free);
    if (state->thrown) std::rethrow_exception(std::exchange(state->thrown, nullptr));
    if (code == QA_HOST_CANCELLED) throw Error(code, "stopped by the program that runs it");
    check(code);
    return json;
  }

  std::shared_ptr<State> state_;
};

}  // namespace qahost

#endif
