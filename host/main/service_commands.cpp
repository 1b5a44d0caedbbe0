// qa-host serve and qa-host lambda: signals, the loop, and what each is started with.

#include "host/main/service_commands.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "host/event_loop.h"
#include "host/pipe_reader.h"
#include "host/service/lambda.h"
#include "host/text.h"

namespace qa {
namespace {

constexpr int kUsage = 3, kEnvironment = 4;

void say(const std::string& text) { std::fprintf(stderr, "qa-host: %s\n", terminal_safe(text).c_str()); }

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
