#include "host/service/service.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "host/folder.h"
#include "host/net/http_server.h"
#include "host/net/static_files.h"
#include "host/service/progress_feed.h"
#include "host/service/run_queue.h"
#include "host/service/webhook.h"
#include "host/unique_fd.h"

namespace qa {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kMaxBody = 1u << 20, kShortestSecret = 16, kLongestSecret = 4096;
/// A run ends 10 s after its time at the latest, then its report may have to be made, and its browser killed.
constexpr milliseconds kRunMargin{40'000};
/// Within the 30 s that Kubernetes gives, and what a cancelled run takes.
constexpr milliseconds kDrain{15'000};
constexpr milliseconds kWebhookDrain{10'000};
constexpr milliseconds kKeepAlive{15'000};
constexpr const char* kRetryAfter = "5";

HttpServerLimits server_limits() {
  HttpServerLimits limits;
  limits.head = seconds(20);
  limits.body = seconds(20);
  limits.write = seconds(60);
  limits.max_body = kMaxBody;
  return limits;
}

HttpReply json_reply(int status, std::string body, HttpHeaders headers = {}) {
  HttpReply reply;
  reply.status = status;
  reply.headers = std::move(headers);
  reply.headers.emplace_back("Content-Type", "application/json");
  reply.headers.emplace_back("Cache-Control", "no-store");
  reply.text = std::move(body);
  return reply;
}

HttpReply error_reply(int status, std::string_view message, HttpHeaders headers = {}) {
  return json_reply(status, error_body(message) + "\n", std::move(headers));
}

HttpReply wrong_method(const char* allowed) {
  return error_reply(405, std::string("only ") + allowed, {{"Allow", allowed}});
}

/// In a time that does not tell how much of it is right.
bool is_equal(std::string_view given, std::string_view secret) {
  unsigned difference = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < secret.size(); ++i) {
    difference |= static_cast<unsigned char>(i < given.size() ? given[i] : 0) ^ static_cast<unsigned char>(secret[i]);
  }
  return difference == 0;
}

void add_head(std::string& text, const char* name, const char* type, const char* help) {
  text += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

/// Counters in Prometheus' text format (version 0.0.4).
class ServiceMetrics {
 public:
  void answered(int status) { ++answers_[status]; }
  void ended(const RunRecord& record) {
    const auto status = record.has_report() && record.exit_code ? status_name(*record.exit_code) : "none";
    ++runs_[fmt::format("state=\"{}\",status=\"{}\"", state_name(record.state), status)];
    if (record.started_ms == 0) return;
    const double took_s = static_cast<double>(record.ended_ms - record.started_ms) / 1000;
    for (std::size_t i = 0; i < kSeconds.size(); ++i) at_most_.at(i) += took_s <= kSeconds.at(i);
    ++timed_;
    seconds_ += took_s;
  }
  void delivered(bool ok) { ++(ok ? webhooks_ok_ : webhooks_failed_); }

  std::string text(std::size_t queued, std::size_t running) const {
    std::string text;
    add_head(text, "qa_host_runs_total", "counter", "Runs that ended, by state and verdict.");
    for (const auto& [labels, count] : runs_) text += fmt::format("qa_host_runs_total{{{}}} {}\n", labels, count);
    add_head(text, "qa_host_runs_queued", "gauge", "Runs that wait.");
    text += fmt::format("qa_host_runs_queued {}\n", queued);
    add_head(text, "qa_host_runs_running", "gauge", "Runs that play.");
    text += fmt::format("qa_host_runs_running {}\n", running);
    add_head(text, "qa_host_run_duration_seconds", "histogram", "From the start of a run to its end.");
    for (std::size_t i = 0; i < kSeconds.size(); ++i) {
      text += fmt::format("qa_host_run_duration_seconds_bucket{{le=\"{}\"}} {}\n", kSeconds.at(i), at_most_.at(i));
    }
    text += fmt::format("qa_host_run_duration_seconds_bucket{{le=\"+Inf\"}} {}\n", timed_);
    text +=
        fmt::format("qa_host_run_duration_seconds_sum {}\nqa_host_run_duration_seconds_count {}\n", seconds_, timed_);
    add_head(text, "qa_host_http_requests_total", "counter", "Requests, by status of the answer.");
    for (const auto& [code, count] : answers_) {
      text += fmt::format("qa_host_http_requests_total{{code=\"{}\"}} {}\n", code, count);
    }
    add_head(text, "qa_host_webhooks_total", "counter", "Webhooks, by what became of them.");
    text += fmt::format("qa_host_webhooks_total{{outcome=\"delivered\"}} {}\n", webhooks_ok_);
    return text + fmt::format("qa_host_webhooks_total{{outcome=\"failed\"}} {}\n", webhooks_failed_);
  }

 private:
  static constexpr std::array<int, 6> kSeconds = {5, 10, 30, 60, 120, 240};
  std::map<int, std::uint64_t> answers_;
  std::map<std::string, std::uint64_t> runs_;  ///< By labels.
  std::array<std::uint64_t, kSeconds.size()> at_most_{};
  std::uint64_t timed_ = 0, webhooks_ok_ = 0, webhooks_failed_ = 0;
  double seconds_ = 0;
};

struct Path {
  std::string id, rest;  ///< Of "/runs/ID/rest".
};

Path split(std::string_view target) {
  target = target.substr(std::string_view("/runs/").size());
  const std::size_t slash = std::min(target.find('/'), target.size());
  return {std::string(target.substr(0, slash)), std::string(target.substr(slash))};
}

struct RunService final : Service {
  RunService(EventLoop& event_loop, const ServiceOptions& given, RunStore store, OriginGate origins, std::string secret)
      : loop(event_loop),
        gate(origins),
        webhooks(loop, std::move(origins), std::move(secret), {given.ca_file, "", {}},
                 [this](bool ok) { on_delivered(ok); }),
        queue(
            loop, std::move(store), {given.words, given.limit + kRunMargin, given.jobs, given.queue},
            [this](const RunRecord& record) { on_change(record); },
            [this](const std::string& id, std::string_view line) { feed.line(id, line); }) {}
  ~RunService() override {
    if (keep_alive_timer != 0) loop.cancel(keep_alive_timer);
  }

  int port() const override { return server->port(); }
  void cancel_all() override { queue.cancel_all(); }

  void drain(std::function<void()> done) override {
    if (std::exchange(is_draining, true)) return;
    on_drained = std::move(done);
    queue.drain(kDrain, [this] {
      runs_are_over = true;
      if (webhooks.pending() == 0) return finish_drain();
      loop.after(kWebhookDrain, [this] { finish_drain(); });
    });
  }

  HttpReply answer(const HttpServerRequest& request) {
    const std::string_view target = request.target.substr(0, request.target.find('?'));
    const bool is_get = request.method == "GET" || request.method == "HEAD";
    if (target == "/healthz") {
      if (!is_get) return wrong_method("GET");
      return is_draining ? error_reply(503, "stopping") : json_reply(200, "{\"status\":\"ok\"}\n");
    }
    if (!is_authorised(request)) {
      return error_reply(401, "expected Authorization: Bearer TOKEN", {{"WWW-Authenticate", "Bearer"}});
    }
    if (target == "/metrics") {
      if (!is_get) return wrong_method("GET");
      HttpReply reply = text_reply(200, metrics.text(queue.waiting(), queue.running()));
      reply.headers.front().second = "text/plain; version=0.0.4; charset=utf-8";
      return reply;
    }
    if (target == "/runs") return request.method == "POST" ? accept(request) : wrong_method("POST");
    if (target.starts_with("/runs/")) return answer_run(request, target);
    return error_reply(404, "there is nothing here; see docs/service.md");
  }

  HttpReply answer_run(const HttpServerRequest& request, std::string_view target) {
    const Path path = split(target);
    const auto record = queue.find(path.id);
    if (!record) return error_reply(404, "there is no such run");
    const bool is_get = request.method == "GET" || request.method == "HEAD";
    if (path.rest.empty() && request.method == "DELETE") {
      queue.cancel(path.id);
      const auto now = queue.find(path.id);
      return json_reply(now->is_over() ? 200 : 202, public_json(*now) + "\n");
    }
    if (!is_get) return wrong_method(path.rest.empty() ? "GET, DELETE" : "GET");
    if (path.rest.empty()) return json_reply(200, public_json(*record) + "\n");
    if (path.rest == "/events") return feed.connect(*record, request.header("Last-Event-ID"));
    const bool is_file = path.rest.starts_with("/files/");
    if (path.rest != "/report" && !is_file) return error_reply(404, "there is nothing here; see docs/service.md");
    if (!record->has_report()) {
      return error_reply(record->is_over() ? 404 : 409,
                         record->is_over() ? "the run made no report" : "the run goes on");
    }
    return file(request, *record, is_file ? std::string_view(path.rest).substr(6) : "/report.json");
  }

  HttpReply accept(const HttpServerRequest& request) {
    const std::string_view type = request.header("Content-Type");
    if (!equal_ignoring_case(type.substr(0, type.find(';')), "application/json")) {
      return error_reply(415, "expected Content-Type: application/json");
    }
    if (is_draining) return error_reply(503, "the service is stopping", {{"Retry-After", kRetryAfter}});
    const auto event = parse_run_event(request.body);
    if (!event) return error_reply(400, event.error().message);
    if (const auto fault = gate.fault(*parse_http_url(event->game_url)); !fault.empty()) {
      return error_reply(400, "gameUrl: " + fault);
    }
    if (!event->webhook.empty()) {
      if (!webhooks.is_configured())
        return error_reply(400, "config.webhook: this service has no --webhook-secret-file");
      const auto url = *parse_http_url(event->webhook);
      const auto fault = gate.fault(url);
      if (!fault.empty()) return error_reply(400, "config.webhook: " + fault);
      if (!url.is_https && !gate.allows(url)) return error_reply(400, "config.webhook: expected an https address");
    }
    if (queue.is_full()) return error_reply(429, "too many runs wait", {{"Retry-After", kRetryAfter}});
    const auto record = queue.accept(*event, request.body);
    if (!record) return error_reply(500, "the run cannot be kept: " + record.error().message);
    feed.state(*record);
    return json_reply(202, public_json(*record) + "\n", {{"Location", "/runs/" + record->id}});
  }

  HttpReply file(const HttpServerRequest& request, const RunRecord& record, std::string_view target) const {
    auto files = StaticFiles::open(queue.store().path(record.id) + "/" + record.folder);
    if (!files) return error_reply(404, "the files of this run are gone");
    constexpr const char* host = "run";  // Who knows the token may call the service what he likes.
    files->set_hosts({host});
    HttpReply reply = files->answer({request.method, target, host, request.header("Range")});
    // What a game wrote is not to act in the name of the service.
    reply.headers.emplace_back("X-Content-Type-Options", "nosniff");
    reply.headers.emplace_back("Content-Security-Policy", "sandbox allow-scripts");
    return reply;
  }

  bool is_authorised(const HttpServerRequest& request) const {
    constexpr std::string_view scheme = "Bearer ";
    const std::string_view given = request.header("Authorization");
    return equal_ignoring_case(given.substr(0, scheme.size()), scheme) && is_equal(given.substr(scheme.size()), token);
  }

  void on_change(const RunRecord& record) {
    feed.state(record);
    if (!record.is_over()) return;
    metrics.ended(record);
    if (!record.webhook.empty() && webhooks.is_configured()) webhooks.send(record.webhook, public_json(record));
  }

  void on_delivered(bool ok) {
    metrics.delivered(ok);
    if (runs_are_over && webhooks.pending() == 0) finish_drain();
  }

  void keep_alive() {
    keep_alive_timer = loop.after(kKeepAlive, [this] {
      feed.keep_alive();
      keep_alive();
    });
  }

  void finish_drain() {
    if (const auto done = std::exchange(on_drained, nullptr)) done();
  }

  EventLoop& loop;
  std::string token;
  OriginGate gate;
  ProgressFeed feed;
  ServiceMetrics metrics;
  Webhooks webhooks;
  RunQueue queue;
  std::unique_ptr<HttpServer> server;
  EventLoop::TimerId keep_alive_timer = 0;
  std::function<void()> on_drained;
  bool is_draining = false, runs_are_over = false;
};

}  // namespace

Result<std::unique_ptr<Service>> Service::start(EventLoop& loop, const ServiceOptions& options) {
  auto token = QA_TRY(read_secret(options.token_file, "the token"));
  std::string secret;
  const std::string& secret_file = options.webhook_secret_file;
  if (!secret_file.empty()) secret = QA_TRY(read_secret(secret_file, "the webhook secret"));
  auto gate = QA_TRY(OriginGate::make(options.allowed_origins));
  auto store = QA_TRY(RunStore::open(options.folder));
  auto left = store.unfinished();
  auto service = std::make_unique<RunService>(loop, options, std::move(store), std::move(gate), std::move(secret));
  service->token = std::move(token);
  service->server = QA_TRY(
      HttpServer::start(loop, options.address, options.port, server_limits(),
                        [&service = *service](const HttpServerRequest& request) { return service.answer(request); }));
  service->server->on_answer([&metrics = service->metrics](int status) { metrics.answered(status); });
  for (RunRecord& record : left) {
    service->queue.not_run(std::move(record), "the service ended before the run did");
  }
  service->keep_alive();
  return std::unique_ptr<Service>(std::move(service));
}

Result<std::string> read_secret(const std::string& path, const std::string& what) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorKind::io_error, what + " in " + path + ": " + why};
  };
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) return refuse("the file cannot be read");
  if (!S_ISREG(info.st_mode)) return refuse("this is no file");
  if ((info.st_mode & 077) != 0) return refuse("others may read it; chmod 600 it");
  std::string text = read_all(fd.get(), kLongestSecret).value_or("");
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (text.size() < kShortestSecret || text.size() > kLongestSecret) return refuse("expected 16 to 4096 bytes");
  if (!is_plain) return refuse("expected letters, digits and punctuation without blanks");
  return text;
}

}  // namespace qa
