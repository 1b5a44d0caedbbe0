#include "host/browser/remote_session.h"

#include "host/base64.h"
#include "host/browser/json_fields.h"
#include "host/browser/remote_answer.h"
#include "host/json_guard.h"
#include "host/net/websocket.h"
#include "host/text.h"

namespace qa {
namespace {

constexpr int kVersionMs = 10'000;
constexpr int kReleaseMs = 3'000;
constexpr std::size_t kMostBody = 64 * 1024;
constexpr char kOp[] = "browser.launch";

/// Names of --cdp, --grid and --browserbase are also those of the services.
std::string where_of(const HttpUrl& url, bool is_socket) {
  return (is_socket ? "ws" : "http") + std::string(url.is_https ? "s" : "") + "://" + url.host_and_port();
}

}  // namespace

std::optional<RemoteOptions> remote_options(const std::string& cdp, const std::string& grid,
                                            const std::string& browserbase,
                                            const std::function<std::string(const std::string&)>& environment) {
  RemoteOptions remote;
  if (!cdp.empty()) {
    remote.url = cdp;
  } else if (!grid.empty()) {
    remote.service = RemoteOptions::Service::grid;
    remote.url = grid;
  } else if (!browserbase.empty()) {
    remote.service = RemoteOptions::Service::browserbase;
    remote.url = environment("QA_BROWSERBASE_URL");
    if (remote.url.empty()) remote.url = "https://api.browserbase.com";
    remote.key = environment("BROWSERBASE_API_KEY");
    remote.project = environment("BROWSERBASE_PROJECT_ID");
    if (browserbase != "*") remote.region = browserbase;
  } else {
    return std::nullopt;
  }
  return remote;
}

std::string RemoteBrowser::described() const {
  std::string text = "the browser at " + address;
  if (!session.empty()) text += " (" + service + " session " + session + (node.empty() ? "" : " on node " + node) + ")";
  return text;
}

/// A browser that is there already: by its WebSocket, or by the address of its debugging port.
class CdpSession : public RemoteSession {
 public:
  CdpSession(EventLoop& loop, RemoteOptions options) : RemoteSession(loop, std::move(options), "cdp") {}

 private:
  void create(Callback<std::string> done) override {
    if (options_.url.starts_with("ws")) return loop_.post([url = options_.url, done] { done(url); });
    ask("GET", "/json/version" + query_, "", kVersionMs,
        [self = shared_from_this(), this, done](Result<Answer> answer) {
          if (!answer) return done(answer.error());
          if (!answer->ok()) {
            return done(failure("answered /json/version with status " + std::to_string(answer->status) +
                                ": check that this is the debugging port of a Chromium"));
          }
          const auto url = parse_http_url(http_form_of(std::string(text_field(answer->body, "webSocketDebuggerUrl"))));
          if (!url) return done(failure("names no webSocketDebuggerUrl in /json/version: is it a Chromium?"));
          done(socket_url(url->target));
        });
  }
};

std::shared_ptr<RemoteSession> RemoteSession::make(EventLoop& loop, RemoteOptions options) {
  switch (options.service) {
    case RemoteOptions::Service::grid:
      return make_grid_session(loop, std::move(options));
    case RemoteOptions::Service::browserbase:
      return make_browserbase_session(loop, std::move(options));
    case RemoteOptions::Service::cdp:
      break;
  }
  return std::make_shared<CdpSession>(loop, std::move(options));
}

RemoteSession::RemoteSession(EventLoop& loop, RemoteOptions options, std::string service)
    : loop_(loop), options_(std::move(options)), client_(loop, options_.network) {
  facts_.service = std::move(service);
  const std::string& text = options_.url;
  const bool is_socket = text.starts_with("ws://") || text.starts_with("wss://");
  const auto url = parse_http_url(http_form_of(text));
  if (!url || (is_socket && facts_.service != "cdp")) {
    facts_.address = "its address";
    fault_ = "the address of --" + facts_.service + " is no " +
             (facts_.service == "cdp" ? "ws://, wss://, http:// or https:// address" : "http:// or https:// address");
    return;
  }
  facts_.address = where_of(*url, is_socket);
  if ((!url->user_info.empty() || !options_.key.empty()) && !url->is_https && !is_loopback(*url)) {
    fault_ = facts_.address + " would get a key or a password unencrypted: use https:// or wss://";
  }
  if (!url->user_info.empty()) headers_.emplace_back("Authorization", "Basic " + encode_base64(url->user_info));
  const std::size_t path = std::min(text.find_first_of("/?#", text.find("://") + 3), text.size());
  origin_ = text.substr(0, path);
  const std::size_t query = url->target.find('?');
  base_ = url->target.substr(0, query);
  if (query != std::string::npos) query_ = url->target.substr(query);
  while (base_.ends_with('/')) base_.pop_back();
}

void RemoteSession::open(Callback<std::string> done) {
  opening_ = std::move(done);
  if (!fault_.empty()) {
    return loop_.post([self = shared_from_this()] {
      self->opened(Error{ErrorKind::browser_launch_failed, self->fault_, kOp, ""});
    });
  }
  create([self = shared_from_this()](Result<std::string> endpoint) { self->opened(std::move(endpoint)); });
}

void RemoteSession::opened(Result<std::string> endpoint) {
  if (!endpoint) endpoint.error().kind = ErrorKind::browser_launch_failed;
  // Who asked for the end meanwhile hears of it when that is done.
  if (!waiting_.empty()) end();
  std::exchange(opening_, nullptr)(std::move(endpoint));
}

void RemoteSession::release(std::function<void()> done) {
  waiting_.push_back(std::move(done));
  if (!opening_) end();
}

void RemoteSession::end() {
  if (facts_.session.empty() || std::exchange(ended_, true)) {
    return loop_.post([self = shared_from_this()] { self->finish(); });
  }
  const HttpRequest request = end_request();
  ask(request.method, request.url, request.body, kReleaseMs,
      [self = shared_from_this()](const Result<Answer>&) { self->finish(); });
}

void RemoteSession::finish() {
  for (const auto& done : std::exchange(waiting_, {})) done();
}

void RemoteSession::ask(const std::string& method, const std::string& path, const std::string& body, int limit_ms,
                        OnAnswer done) {
  HttpRequest request{method, facts_.address + base_ + path, headers_, body};
  // The Grid refuses JSON whose character set is not named.
  if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json; charset=utf-8");
  HttpLimits limits;
  limits.first_byte_ms = limits.idle_ms = limits.total_ms = limit_ms;
  limits.connect_ms = std::min(limits.connect_ms, limit_ms);
  limits.max_body = kMostBody;
  client_.send(std::move(request), limits, nullptr,
               [self = shared_from_this(), done = std::move(done)](HttpResult got) {
                 if (got.failure) {
                   Error error = got.failure->error;
                   if (error.kind != ErrorKind::timeout) error.kind = ErrorKind::browser_launch_failed;
                   error.op = kOp;
                   return done(std::move(error));
                 }
                 Answer answer{got.response.status, {}, {}};
                 if (const std::string* after = got.response.header("Retry-After")) answer.retry_after = *after;
                 if (auto json = parse_foreign_json(got.response.body)) answer.body = std::move(*json);
                 done(std::move(answer));
               });
}

std::string RemoteSession::socket_url(const std::string& target) const {
  const bool has_query = target.find('?') != std::string::npos;
  return "ws" + origin_.substr(4) + target + (has_query ? "" : query_);
}

Error RemoteSession::failure(const std::string& message) const {
  return {ErrorKind::browser_launch_failed, facts_.address + " " + terminal_safe(message), kOp, ""};
}

}  // namespace qa
