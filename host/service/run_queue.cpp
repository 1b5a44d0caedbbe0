#include "host/service/run_queue.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "host/folder.h"
#include "host/json_guard.h"
#include "host/text.h"

extern char** environ;

namespace qa {
namespace {

using std::chrono::milliseconds;

constexpr int kCrashed = 70;
constexpr std::size_t kLongestLine = 500, kLongestReason = 500;
/// A run that is told to end has 1.5 s, its report 10 s more when it has to be made from the journal.
constexpr milliseconds kCancelGrace{15'000};

constexpr std::string_view kPassedOn[] = {"QA_",        "XDG_",         "OPENAI_",      "ANTHROPIC_", "BROWSERBASE_",
                                          "ENABLE_",    "HTTPS_PROXY=", "https_proxy=", "NO_PROXY=",  "no_proxy=",
                                          "LOG_LEVEL=", "DEBUG=",       "SSL_CERT_"};

/// What a run that made no report said: its answer, else its last words.
std::string reason_of(const Result<SubprocessResult>& result) {
  if (!result) return result.error().message;
  if (result->timed_out) return "the run did not end in its time and was killed";
  std::string out = result->out.text;
  if (auto answer = parse_foreign_json(out);
      answer && answer->is_object() && answer->value("body", nlohmann::json()).is_string()) {
    auto body = answer->at("body").get<std::string>();
    if (auto fields = parse_foreign_json(body); fields && fields->is_object() && fields->contains("error")) {
      const auto& error = fields->at("error");
      if (error.is_string()) return truncate_text(error.get_ref<const std::string&>(), kLongestReason);
    }
  }
  return "the run ended without a report (exit code " + std::to_string(result->exit_code) + ")";
}

}  // namespace

struct RunQueue::Running {
  RunRecord record;
  std::shared_ptr<Subprocess> process;
  std::string line;  ///< Of stderr, not yet at its end.
  bool is_cancelled = false;
};

std::int64_t unix_ms() {
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::vector<std::pair<std::string, std::string>> run_environment() {
  std::vector<std::pair<std::string, std::string>> result;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = std::min(text.find('='), text.size() - 1);
    const bool is_listed = std::any_of(std::begin(kPassedOn), std::end(kPassedOn),
                                       [&](std::string_view name) { return text.starts_with(name); });
    if (is_listed || text.substr(0, equals).ends_with("_API_KEY")) {
      result.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return result;
}

RunQueue::RunQueue(EventLoop& loop, RunStore store, RunQueueOptions options, OnChange on_change, OnLine on_line)
    : loop_(loop),
      store_(std::move(store)),
      options_(std::move(options)),
      on_change_(std::move(on_change)),
      on_line_(std::move(on_line)) {}

RunQueue::~RunQueue() {
  if (drain_timer_ != 0) loop_.cancel(drain_timer_);
}

Result<RunRecord> RunQueue::accept(const RunEvent& event, const std::string& text) {
  RunRecord record;
  record.id = random_hex(8);
  record.game_url = event.game_url;
  record.webhook = event.webhook;
  record.accepted_ms = unix_ms();
  QA_TRY(store_.create(record, text));
  waiting_.push_back(record);
  // Posted: the caller learns of the run before the run's own changes.
  loop_.post([this] { start_next(); });
  return record;
}

void RunQueue::start_next() {
  while (!is_draining_ && !waiting_.empty() && running_.size() < options_.jobs) {
    RunRecord record = std::move(waiting_.front());
    waiting_.pop_front();
    start(std::move(record));
  }
  if (is_draining_ && running_.empty()) {
    if (const auto drained = std::exchange(on_drained_, nullptr)) drained();
  }
}

void RunQueue::start(RunRecord record) {
  const std::string id = record.id, folder = store_.path(id);
  record.state = RunState::running;
  record.started_ms = unix_ms();
  auto running = std::make_unique<Running>();
  Running& run = *running;
  run.record = record;
  SubprocessSpec spec;
  spec.argv = options_.words;
  spec.argv.insert(spec.argv.end(), {"--out", folder, "--event", folder + "/event.json"});
  spec.cwd = folder;
  spec.environment = run_environment();
  spec.timeout = options_.limit;
  spec.on_err = [this, id, &run](std::string_view text) {
    run.line += text;
    for (std::size_t end = 0; (end = run.line.find('\n')) != std::string::npos; run.line.erase(0, end + 1)) {
      on_line_(id, truncate_text(run.line.substr(0, end), kLongestLine));
    }
    if (run.line.size() > kLongestLine) run.line.clear();
  };
  running_[id] = std::move(running);
  change(record);
  auto started = Subprocess::start(loop_, spec, [this, id](Result<SubprocessResult> result) { on_end(id, result); });
  if (started) {
    run.process = std::move(*started);
    return;
  }
  running_.erase(id);
  not_run(std::move(record), started.error().message);
  loop_.post([this] { start_next(); });
}

void RunQueue::on_end(const std::string& id, const Result<SubprocessResult>& result) {
  const auto found = running_.find(id);
  if (found == running_.end()) return;
  RunRecord record = std::move(found->second->record);
  const bool was_cancelled = found->second->is_cancelled;
  loop_.post([process = std::move(found->second->process)] {});  // It is in the middle of this call.
  running_.erase(found);
  conclude(record, result, was_cancelled);
  change(record);
  start_next();
}

void RunQueue::conclude(RunRecord& record, const Result<SubprocessResult>& result, bool was_cancelled) const {
  record.ended_ms = unix_ms();
  record.exit_code = result ? result->exit_code : kCrashed;
  record.folder = store_.find_run(record.id);
  if (record.folder.empty()) {
    record.state = RunState::not_run;
    record.reason = was_cancelled ? "cancelled before it had a report" : reason_of(result);
  } else {
    record.state = was_cancelled && *record.exit_code > kCrashed ? RunState::cancelled : RunState::done;
  }
}

void RunQueue::not_run(RunRecord record, const std::string& reason) {
  record.state = RunState::not_run;
  record.reason = reason;
  record.ended_ms = unix_ms();
  change(record);
}

void RunQueue::change(const RunRecord& record) {
  // Where the disk is full, clients still learn of it, and the next start finds the run unfinished.
  (void)store_.save(record);
  on_change_(record);
}

bool RunQueue::cancel(const std::string& id) {
  if (const auto found = running_.find(id); found != running_.end()) {
    Running& run = *found->second;
    if (!std::exchange(run.is_cancelled, true) && run.process) run.process->end(kCancelGrace);
    return true;
  }
  const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& one) { return one.id == id; });
  if (found == waiting_.end()) return false;
  RunRecord record = std::move(*found);
  waiting_.erase(found);
  not_run(std::move(record), "cancelled before it began");
  return true;
}

void RunQueue::cancel_all() {
  std::vector<std::string> ids;
  for (const auto& [id, run] : running_) ids.push_back(id);
  for (const std::string& id : ids) cancel(id);
}

void RunQueue::drain(milliseconds limit, std::function<void()> done) {
  if (std::exchange(is_draining_, true)) return;
  on_drained_ = std::move(done);
  for (auto waiting = std::exchange(waiting_, {}); auto& record : waiting) {
    not_run(std::move(record), "the service was told to stop before the run began");
  }
  drain_timer_ = loop_.after(limit, [this] {
    drain_timer_ = 0;
    cancel_all();
  });
  loop_.post([this] { start_next(); });
}

std::optional<RunRecord> RunQueue::find(const std::string& id) const {
  if (const auto found = running_.find(id); found != running_.end()) return found->second->record;
  const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& one) { return one.id == id; });
  return found == waiting_.end() ? store_.load(id) : *found;
}

}  // namespace qa
