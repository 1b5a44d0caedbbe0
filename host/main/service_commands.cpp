// qa-host serve and qa-host lambda: signals, the loop, and what each is started with; and qa-host test --event FILE:
// one event, one run, {statusCode, body} on stdout (C-002).

#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "host/event_loop.h"
#include "host/files.h"
#include "host/folder.h"
#include "host/main/commands.h"
#include "host/main/supervisor.h"
#include "host/pipe_reader.h"
#include "host/service/lambda.h"
#include "host/service/origin_gate.h"
#include "host/service/run_event.h"
#include "host/text.h"
#include "host/unique_fd.h"

namespace qa {
namespace {

constexpr int kUsage = 3, kEnvironment = 4;
constexpr int kStatusOk = 200, kStatusBad = 400, kStatusFailed = 500;
constexpr std::size_t kLargestEvent = std::size_t{1} << 20;

void say(const std::string& text) { std::fprintf(stderr, "qa-host: %s\n", terminal_safe(text).c_str()); }

int refuse(const std::string& message) {
  say(message);
  std::printf("%s\n", lambda_result(kStatusBad, error_body(message)).c_str());
  return kUsage;
}

Result<std::string> read_event_text(const std::string& path) {
  const UniqueFd file(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return io_failure("cannot read " + path, errno);
  auto text = read_all(file.get(), kLargestEvent);
  if (!text) return io_failure("cannot read " + path, errno);
  if (text->size() > kLargestEvent) return Error{ErrorKind::io_error, "the event is larger than 1 MiB"};
  return std::move(*text);
}

/// 200 for a run that came to a verdict; 400 for what it refused; 500 where the machine or the host failed.
std::string result_text(int code, const std::string& report, const std::string& error) {
  const auto body = report.empty() ? Result<std::string>(Error{}) : read_file(report);
  if (body) return lambda_result(code <= 2 ? kStatusOk : kStatusFailed, *body);
  return lambda_result(code == kUsage ? kStatusBad : kStatusFailed,
                       error_body(error.empty() ? "the run ended without a report" : error));
}

/// INT and TERM become calls on the loop thread.
std::shared_ptr<PipeReader> watch_signals(EventLoop& loop, std::function<void()> on_stop) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM}) sigaddset(&set, number);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  const int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return PipeReader::start(loop, fd, [on_stop = std::move(on_stop)](const char*, std::size_t) { on_stop(); });
}

/// The program and its options that play one event. It ends with this process.
std::vector<std::string> run_words(const Invocation& run) {
  std::vector<std::string> words{"/proc/self/exe", kRunOfFlag + std::to_string(getpid())};
  words.insert(words.end(), run.run_words.begin(), run.run_words.end());
  words.emplace_back("test");
  for (const std::string& origin : run.allowed_origins) words.push_back("--allow-origin=" + origin);
  return words;
}

ServiceOptions service_options(const Invocation& run) {
  ServiceOptions options = run.service;
  options.folder = run.out.empty() ? "qa-runs" : run.out;
  options.words = run_words(run);
  options.words.push_back("--max-duration=" + std::to_string(*run.max_duration_ms) + "ms");
  options.allowed_origins = run.allowed_origins;
  options.ca_file = run.ca_file;
  options.limit = std::chrono::milliseconds(*run.max_duration_ms);
  return options;
}

}  // namespace

int run_event(const Invocation& run) {
  const auto gate = OriginGate::make(run.allowed_origins);
  if (!gate) return refuse("--allow-origin: " + gate.error().message);
  const auto text = read_event_text(run.event);
  if (!text) return refuse(text.error().message);
  const auto event = parse_run_event(*text);
  if (!event) return refuse(event.error().message);
  if (const auto fault = gate->fault_now(*parse_http_url(event->game_url)); !fault.empty()) {
    return refuse("gameUrl: " + fault);
  }
  // A file beside the run's folder, while the run lasts.
  const std::string metadata = (run.out.empty() ? "qa-runs" : run.out) + "/metadata-" + random_hex(4) + ".json";
  std::vector<std::string> words = run.run_words;
  words.emplace_back("test");
  if (!run.out.empty()) words.push_back("--out=" + run.out);
  if (!event->metadata.empty()) {
    if (const auto written = write_file(metadata, event->metadata); !written) return refuse(written.error().message);
    words.push_back("--metadata=" + metadata);
  }
  for (std::string& word : words_of(*event, *run.max_duration_ms)) words.push_back(std::move(word));
  const UniqueFd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  std::string report, error;
  SupervisorOptions options;
  options.words = std::move(words);
  options.recover_options = {"--share", run.share};
  options.targets = {event->game_url};
  options.max_duration = std::chrono::milliseconds(event->max_duration_ms.value_or(*run.max_duration_ms));
  options.stdout_fd = nowhere.get();
  options.on_end = [&](const std::string& path, const std::string& what) {
    report = path;
    error = what;
  };
  const int code = supervise(options);
  if (!event->metadata.empty()) ::unlink(metadata.c_str());
  std::printf("%s\n", result_text(code, report, error).c_str());
  return code;
}

int run_serve(const Invocation& run) {
  EventLoop loop;
  std::unique_ptr<Service> service;
  int signals_seen = 0;
  const auto signals = watch_signals(loop, [&] {
    if (++signals_seen > 1) return service->cancel_all();
    say("stopping: what runs has 15 s to end; a second signal ends it now");
    service->drain([&] { loop.stop(); });
  });
  auto started = Service::start(loop, service_options(run));
  if (!started) {
    say("serve: " + started.error().message);
    return kUsage;
  }
  service = std::move(*started);
  const bool is_v6 = run.service.address.find(':') != std::string::npos;
  std::printf("listening on http://%s:%d\n", (is_v6 ? "[" + run.service.address + "]" : run.service.address).c_str(),
              service->port());
  std::fflush(stdout);
  loop.run();
  return 0;
}

int run_lambda(const Invocation& run) {
  const char* api = std::getenv("AWS_LAMBDA_RUNTIME_API");
  if (api == nullptr || *api == '\0') {
    say("lambda: AWS_LAMBDA_RUNTIME_API is not set: this is no Lambda function");
    return kUsage;
  }
  EventLoop loop;
  int code = 0;
  const auto signals = watch_signals(loop, [&] { loop.stop(); });
  LambdaOptions options;
  options.api = api;
  options.folder = "/tmp/qa-host-lambda-" + std::to_string(getpid());
  options.words = run_words(run);
  options.limit = std::chrono::milliseconds(*run.max_duration_ms);
  const auto lambda = play_lambda_events(loop, std::move(options), [&](const std::string& why) {
    say("lambda: " + why);
    code = kEnvironment;
    loop.stop();
  });
  loop.run();
  return code;
}

}  // namespace qa
