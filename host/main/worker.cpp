#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "bindings/vm.h"
#include "host/event_loop.h"
#include "host/log.h"
#include "host/main/commands.h"
#include "host/text.h"

namespace qa {
namespace {

constexpr std::chrono::milliseconds kBeat{500};
constexpr int kUsage = 3;

/// What Lua prints, on its way to stdout. A reader that pauses (a pager) must not stop the event loop, or the run would
/// look hung: what does not fit into the pipe waits here. Beyond kMostPending bytes a print waits.
class OutputQueue {
 public:
  static constexpr std::size_t kMostPending = std::size_t{32} << 20;

  explicit OutputQueue(int fd) : fd_(fd) {}
  ~OutputQueue() { flush(); }
  OutputQueue(const OutputQueue&) = delete;
  OutputQueue& operator=(const OutputQueue&) = delete;

  void print(std::string_view text) {
    pending_ += text;
    write_pending(pending_.size() - written_ > kMostPending ? -1 : 0);
  }
  /// Writes what fits now. Call it now and then.
  void drain() { write_pending(0); }
  /// Writes all, however long the reader takes.
  void flush() { write_pending(-1); }

 private:
  void write_pending(int wait_ms) {
    while (written_ < pending_.size()) {
      pollfd out{fd_, POLLOUT, 0};
      const int ready = poll(&out, 1, wait_ms);
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) break;
      // A pipe that polls as writable takes this much without blocking.
      const std::size_t size = std::min<std::size_t>(pending_.size() - written_, PIPE_BUF);
      const ssize_t done = write(fd_, pending_.data() + written_, size);
      if (done < 0 && errno == EINTR) continue;
      // The reader is gone or the disk is full: nothing that is printed can arrive any more.
      written_ = done < 0 ? pending_.size() : written_ + static_cast<std::size_t>(done);
    }
    if (written_ == pending_.size()) {
      pending_.clear();
      written_ = 0;
    } else if (written_ > kMostPending / 2) {
      pending_.erase(0, written_);
      written_ = 0;
    }
  }

  int fd_;
  std::string pending_;
  std::size_t written_ = 0;  // Of pending_.
};

std::string environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Colour only for a person at a terminal who did not refuse it (no-color.org).
bool wants_colour() {
  return isatty(STDERR_FILENO) == 1 && environment_value("NO_COLOR").empty() && environment_value("TERM") != "dumb";
}

void put(nlohmann::json& fields, const char* name, const std::string& value) {
  if (!value.empty()) fields[name] = value;
}

/// What a command file sees as its argument besides `name`.
nlohmann::json command_fields(const Invocation& run, int index, int count) {
  nlohmann::json fields{
      {"arguments", run.arguments},     {"headed", run.headed},   {"watch", run.watch}, {"jit", run.jit},
      {"reporter", run.reporter},       {"clock", run.clock},     {"tape", run.tape},   {"index", index + 1},
      {"count", count < 1 ? 1 : count}, {"color", wants_colour()}};
  put(fields, "strategy", run.strategy);
  put(fields, "metadata", run.metadata);
  put(fields, "out", run.out);
  put(fields, "browser", run.browser);
  put(fields, "model", run.model);
  put(fields, "endpoint", run.endpoint);
  if (run.action == Invocation::Action::test) fields["target"] = run.targets.at(static_cast<std::size_t>(index));
  if (run.action == Invocation::Action::command && !run.arguments.empty()) fields["target"] = run.arguments.front();
  if (run.seed) fields["seed"] = *run.seed;
  if (run.max_duration_ms) fields["max_duration_ms"] = *run.max_duration_ms;
  fields["set"] = nlohmann::json::object();
  for (const auto& [key, value] : run.settings) fields["set"][key] = value;
  fields["environment"] = nlohmann::json::object();
  for (const char* name :
       {"DEBUG", "LOG_LEVEL", "ENABLE_SCREENSHOT_CLEANUP", "ENABLE_ADAPTIVE_QA", "ENABLE_STAGEHAND_AGENT"}) {
    put(fields["environment"], name, environment_value(name));
  }
  return fields;
}

ModelOptions model_options(const Invocation& run) {
  ModelOptions models = model_options_from([](const std::string& name) { return environment_value(name.c_str()); });
  if (!run.budget.empty()) models.budget_usd = run.budget;
  if (!run.state.empty()) models.state = run.state;
  models.cassette = run.cassette;
  models.cassette_mode = run.cassette_mode;
  models.http.ca_file = run.ca_file;
  return models;
}

lua::VmOptions vm_options(const Invocation& run, LifeLine& line, OutputQueue& output, const Log& log,
                          const nlohmann::json& fields, TargetCredentials credentials) {
  lua::VmOptions options;
  options.share = run.share;
  if (!run.out.empty()) options.out = run.out;
  options.project = run.project.project;
  options.browser_path = run.browser;
  options.headed = run.headed;
  options.jit = run.jit;
  options.models = model_options(run);
  options.environment = options.models.environment;
  options.remote = remote_options(run.cdp, run.grid, run.browserbase, options.environment);
  if (options.remote) options.remote->reports_debug_url = run.report_debug_url;
  options.credentials = std::move(credentials);
  options.args = run.arguments;
  const bool is_script = run.action == Invocation::Action::script || run.action == Invocation::Action::code;
  options.command_name = is_script ? "script" : run.name;
  // Arguments need not be UTF-8; a replaced byte is better than no run.
  options.command_json = fields.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  options.allow_process = run.allow_process;
  options.on_group_started = [&line](int group) { line.group_started(group); };
  options.on_group_gone = [&line](int group) { line.group_gone(group); };
  options.on_run_directory = [&line](const std::string& path) { line.run_directory(path); };
  options.on_result = [&line](const std::string& status, int score, const std::string& report) {
    line.result(status, score, report);
  };
  options.print = [&output](std::string_view text) { output.print(terminal_safe(text) + "\n"); };
  options.log = [&log, &line](std::string_view level, std::string_view text) {
    if (level == "error") line.error(text);
    if (level == "line") return log.line(text);
    log.write(log_level_from(level, ""), text);
  };
  return options;
}

/// What --header, --cookie-file and --basic-auth name, for the target of this worker.
Result<TargetCredentials> credentials_of(const Invocation& run, int index) {
  const auto& words = run.action == Invocation::Action::test ? run.targets : run.arguments;
  const auto place = static_cast<std::size_t>(run.action == Invocation::Action::test ? index : 0);
  return read_credentials(run.credentials, place < words.size() ? words[place] : "",
                          static_cast<double>(std::time(nullptr)));
}

void start(lua::Vm& vm, const Invocation& run, lua::Vm::Done done) {
  switch (run.action) {
    case Invocation::Action::script:
      return vm.run_file(run.name, std::move(done));
    case Invocation::Action::code:
      return vm.run_code(run.name, std::move(done));
    default:
      return vm.run_command(run.name, std::move(done));
  }
}

/// Tells the supervisor twice a second that the loop turns.
void keep_beating(EventLoop& loop, LifeLine& line, OutputQueue& output) {
  line.beat();
  output.drain();
  loop.after(kBeat, [&loop, &line, &output] { keep_beating(loop, line, output); });
}

int report_outcome(const lua::RunOutcome& outcome, LifeLine& line, const Log& log) {
  if (!outcome.error.empty()) {
    line.error(outcome.error);
    std::fprintf(stderr, "qa-host: %s\n", terminal_safe(outcome.error).c_str());
  }
  if (!outcome.traceback.empty() && log.enabled(LogLevel::debug)) log.line(outcome.traceback);
  return outcome.exit_code;
}

}  // namespace

int run_worker(const Invocation& run, LifeLine& line, int index, int count) {
  const Log log(STDERR_FILENO, log_level_from(environment_value("LOG_LEVEL"), environment_value("DEBUG")));
  if (!std::filesystem::exists(run.share + "/scripts")) {
    std::fprintf(stderr, "qa-host: no scripts in %s; say where they are with --share\n", run.share.c_str());
    return kUsage;
  }
  auto credentials = credentials_of(run, index);
  if (!credentials) {
    std::fprintf(stderr, "qa-host: %s\n", terminal_safe(credentials.error().message).c_str());
    return kUsage;
  }
  for (const std::string& note : credentials->notes) log.write(LogLevel::warn, note);
  OutputQueue output(STDOUT_FILENO);
  EventLoop loop;
  std::optional<lua::RunOutcome> outcome;
  int code = kUsage;
  {
    lua::Vm vm(loop, vm_options(run, line, output, log, command_fields(run, index, count), *credentials));
    line.watch([&loop, &vm](int signal_number) { loop.post([&vm, signal_number] { vm.cancel(signal_number); }); });
    keep_beating(loop, line, output);
    start(vm, run, [&](lua::RunOutcome result) {
      outcome = std::move(result);
      loop.stop();
    });
    loop.run();
    // While the reader takes its time, a signal must still end the process.
    if (outcome) output.flush();
    code = outcome ? report_outcome(*outcome, line, log) : kUsage;
    line.stop();
  }
  return code;
}

}  // namespace qa
