// qa.sleep now_ms utc serve.

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "host/browser/tape_files.h"

namespace qa::lua {
namespace {

namespace fs = std::filesystem;
constexpr double kLongestMs = 1e9;

int qa_sleep(Call& call) {
  const double ms = number_at(call, 1, "ms", 0, kLongestMs);
  EventLoop& loop = call.vm.loop;
  auto timer = std::make_shared<EventLoop::TimerId>(0);
  const auto start = [&](Callback<Unit> done) {
    const auto delay = std::chrono::milliseconds(static_cast<std::int64_t>(ms + 0.999));
    *timer = loop.after(delay, [done] { done(Unit{}); });
  };
  return await<Unit>(call, start, [](lua_State*, Unit&) { return 0; },
                     {.journal = false, .abandon = [timer, &loop] { loop.cancel(*timer); }});
}

int qa_now_ms(Call& call) { return push_result(call.L, call.vm.loop.now_ms()); }

int qa_utc(Call& call) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const std::time_t seconds = ms / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[40];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return push_result(call.L, fmt::format("{}.{:03}Z", std::string_view(text, size), ms % 1000));
}

/// A path segment of a URL.
std::string percent_encoded(std::string_view name) {
  std::string text;
  for (const unsigned char c : name) {
    const bool plain = std::isalnum(c) || c == '-' || c == '_' || c == '.' || c == '~';
    text += plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  return text;
}

int qa_serve(Call& call) {
  const std::string given(string_at(call, 1, "path"));
  std::error_code failed;
  const fs::path path = fs::canonical(given, failed);
  const auto refuse = [&](const std::string& why) {
    return push_outcome(call, Error{ErrorKind::io_error, fmt::format("cannot serve '{}': {}", given, why), "", ""});
  };
  if (failed) return refuse(failed.message());
  const bool is_folder = fs::is_directory(path, failed);
  if (!is_folder && path.extension() != ".html" && path.extension() != ".htm")
    return refuse("not a folder or .html file");
  OptionTable options(call, 2, {"tape"});
  const auto tape = tape_option(call, options);
  const std::string root = is_folder ? path.string() : path.parent_path().string();
  auto& server = call.vm.servers[root + (tape ? fmt::format(" {}", fmt::ptr(tape.get())) : "")];
  if (!server) {
    auto started = StaticServer::start(call.vm.loop, root);
    if (!started) {
      std::erase_if(call.vm.servers, [](const auto& entry) { return !entry.second; });
      return push_outcome(call, started.error());
    }
    server = std::move(*started);
    if (tape) put_on_tape(*server->files(), tape);
    call.vm.access->folders[server->port()] = server->files();
  }
  const std::string file = is_folder ? "" : percent_encoded(path.filename().string());
  const std::string origin = server->origin();
  return push_result(call.L, Json{{"url", origin + "/" + file}, {"origin", origin}, {"root", root}});
}

}  // namespace

void add_qa(lua_State* L) {
  add_functions(L, "qa_waits", "qa.", {{"sleep", bound<qa_sleep>}});
  add_functions(L, "qa", "qa.", {{"now_ms", bound<qa_now_ms>}, {"utc", bound<qa_utc>}, {"serve", bound<qa_serve>}});
}

int push_outcome(Call& call, Error error) {
  if (error.op.empty()) error.op = call.name;
  lua_pushnil(call.L);
  push_error(call.L, error);
  return 2;
}

}  // namespace qa::lua
