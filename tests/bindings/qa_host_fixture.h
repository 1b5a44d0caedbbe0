#pragma once
// A host of the C API for tests, whose runs and texts are in a folder of its own.

#include <catch2/catch.hpp>
#include <condition_variable>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "bindings/qa_host.h"
#include "tests/support/live_page.h"

namespace qa::test {

using nlohmann::json;

/// Lets one thread wait until another has come somewhere.
class Signal {
 public:
  void raise() {
    const std::lock_guard lock(mutex_);
    raised_ = true;
    changed_.notify_all();
  }
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [this] { return raised_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool raised_ = false;
};

struct Result {
  int code;
  json value;
};

/// A host whose runs and texts are in a folder of its own.
struct Host {
  TempFolder folder;
  std::string out = folder.path() + "/runs", state = folder.path() + "/state", logged, printed, events, model_url;
  std::function<void(const std::string&)> on_print;
  qa_host* host = nullptr;

  explicit Host(const std::function<void(qa_host_options&)>& change = {}) {
    qa_host_options options{};
    options.size = sizeof options;
    options.out = out.c_str();
    options.state = state.c_str();
    options.user = this;
    options.environment = [](void* user, const char* name) -> const char* {
      const std::string& url = static_cast<Host*>(user)->model_url;
      const std::string variable = name;
      if (variable == "OPENAI_BASE_URL" && !url.empty()) return url.c_str();
      return variable == "OPENAI_API_KEY" && !url.empty() ? "sk-canary" : nullptr;
    };
    options.log = [](void* user, const char* level, const char* text) {
      static_cast<Host*>(user)->logged += std::string(level) + ": " + text + "\n";
    };
    options.print = [](void* user, const char* text) {
      auto& self = *static_cast<Host*>(user);
      self.printed += std::string(text) + "\n";
      if (self.on_print) self.on_print(text);
    };
    options.event = [](void* user, const char* line) { static_cast<Host*>(user)->events += line; };
    if (change) change(options);
    if (qa_host_create(&options, &host) != QA_HOST_OK) throw std::runtime_error(qa_host_last_error(nullptr));
  }
  ~Host() { qa_host_destroy(host); }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  Result run(const std::string& lua) const {
    char* text = nullptr;
    const int code = qa_host_run_string(host, lua.c_str(), &text);
    json value = text ? json::parse(text) : json();
    qa_host_free(text);
    return {code, std::move(value)};
  }
  json error() const { return json::parse(qa_host_last_error_json(host)); }
  void destroy() { qa_host_destroy(std::exchange(host, nullptr)); }
};

inline void answer_with(qa_host_call* call, const json& value) {
  CHECK(qa_host_complete(call, value.dump().c_str()) == 0);
}

}  // namespace qa::test
