#include "host/browser/navigation.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/browser/cdp_reply.h"
#include "host/browser/json_fields.h"
#include "host/browser/page_state.h"

namespace qa {
namespace {

constexpr std::size_t kDocumentsKept = 32;
constexpr char kErrorPage[] = "chrome-error:";
/// Chromium's word for "the server answered >= 400 with no body": an answer all the same.
constexpr char kEmptyHttpError[] = "net::ERR_HTTP_RESPONSE_CODE_FAILURE";
constexpr char kAborted[] = "net::ERR_ABORTED";

bool starts_with_word(const std::string& url, std::string_view word) {
  return url.size() >= word.size() && std::equal(word.begin(), word.end(), url.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + 32) : b);
         });
}

}  // namespace

std::string url_refusal(const std::string& url) {
  for (const char c : url) {
    if (static_cast<unsigned char>(c) < 0x21 || c == 0x7f) return "the URL contains a space or control character";
  }
  if (starts_with_word(url, "about:blank") && url.size() == 11) return "";
  const bool is_http = starts_with_word(url, "http://"), is_https = starts_with_word(url, "https://");
  if (!is_http && !is_https) return "only http:, https: and about:blank are allowed";
  const std::size_t start = is_http ? 7 : 8;
  // Chromium reads "\" as "/".
  const std::string authority = url.substr(start, url.find_first_of("/\\?#", start) - start);
  if (authority.empty()) return "the URL has no host";
  if (authority.find('@') != std::string::npos) return "a user name in the URL is not allowed";
  return "";
}

void Navigation::navigate(std::string url, NavigateOptions options, Callback<NavigationResult> done) {
  const std::string op = "page:navigate";
  std::optional<Error> error = page_.refusal(op, true);
  if (!error) {
    if (const std::string why = url_refusal(url); !why.empty()) {
      error = Error{ErrorKind::navigation_denied, why, op, dump_json({{"url", url}})};
    }
  }
  if (error) return page_.loop.post([error = std::move(*error), done = std::move(done)] { done(error); });
  begin(op, url, std::move(options), std::move(done));
  page_.requests.refresh();
  ask("Page.navigate", dump_json({{"url", url}}));
}

void Navigation::reload(NavigateOptions options, Callback<NavigationResult> done) {
  const std::string op = "page:reload";
  if (auto error = page_.refusal(op, true)) {
    return page_.loop.post([error = std::move(*error), done = std::move(done)] { done(error); });
  }
  begin(op, current_url_, std::move(options), std::move(done));
  active_->is_reload = true;
  ask("Page.reload", "");
}

void Navigation::begin(std::string op, std::string url, NavigateOptions options, Callback<NavigationResult> done) {
  // finish() calls out; a caller may wait for two at once, and the later wish wins.
  if (active_) {
    page_.loop.post([replaced = std::move(active_->done), old_op = active_->op, old_url = active_->url] {
      replaced(Error{ErrorKind::navigation_error, "replaced by another navigation", old_op,
                     dump_json({{"url", old_url}, {"net_error", kAborted}})});
    });
    page_.loop.cancel(active_->timer);
  }
  active_ = std::make_unique<Active>();
  active_->op = std::move(op);
  active_->url = std::move(url);
  active_->options = std::move(options);
  active_->done = std::move(done);
  active_->started = page_.loop.now_ms();
  active_->after_commit = commits_;
  active_->timer = page_.loop.after(std::chrono::milliseconds(active_->options.timeout_ms),
                                    [page = page_.shared_from_this()] { page->navigation.expire(); });
  ++serial_;
}

void Navigation::ask(const char* method, const std::string& params) {
  page_.health->expect_navigation(active_->url);
  page_.cdp->call(page_.session, method, params, active_->options.timeout_ms + 1000,
                  [page = page_.shared_from_this(), serial = serial_](Result<CdpConnection::Reply> reply) {
                    page->navigation.replied(serial, std::move(reply));
                  });
}

void Navigation::replied(int serial, Result<CdpConnection::Reply> reply) {
  if (!active_ || serial != serial_) return;
  if (reply) return on_reply(reply->result);
  Error error = reply.error();
  if (auto refused = page_.refusal(active_->op, true)) error = std::move(*refused);
  if (error.kind == ErrorKind::timeout) return;  // Ours comes first.
  if (error.kind == ErrorKind::cdp_error) {
    error.kind = ErrorKind::navigation_error;
    error.detail = dump_json({{"url", active_->url}, {"net_error", ""}});
  }
  finish(std::move(error));
}

void Navigation::on_reply(const Json& result) {
  active_->replied = true;
  if (active_->is_reload) return advance();
  const std::string net_error = text_of(result, "errorText");
  active_->loader = text_of(result, "loaderId");
  if (flag_field(result, "isDownload")) return finish_network_error(kAborted);
  if (net_error == kEmptyHttpError) {
    active_->http_error = true;
  } else if (!net_error.empty()) {
    return finish_network_error(net_error);
  }
  if (active_->loader.empty()) {
    // Only the fragment changed: the document stays, and with it what it had reached.
    Document same = documents_.empty() ? Document() : documents_.back();
    same.url = current_url_ = active_->url;
    return succeed(same, "load");
  }
  document(active_->loader);
  advance();
}

void Navigation::on_event(std::string_view method, const Json& params) {
  if (method.starts_with("Network.")) return on_network(method, params);
  if (method == "Page.frameNavigated") {
    const Json& frame = nested_field(params, "frame");
    if (text_of(frame, "id") == page_.main_frame()) on_commit(frame);
  } else if (method == "Page.navigatedWithinDocument") {
    if (text_of(params, "frameId") == page_.main_frame()) current_url_ = text_of(params, "url");
  } else if (method == "Page.lifecycleEvent") {
    if (text_of(params, "frameId") != page_.main_frame()) return;
    Document* known = find(text_of(params, "loaderId"));
    if (known == nullptr) return;
    const std::string name = text_of(params, "name");
    if (name == "DOMContentLoaded") known->dom = true;
    if (name == "load") known->loaded = known->dom = true;
    advance();
  }
}

void Navigation::on_network(std::string_view method, const Json& params) {
  const std::string request = text_of(params, "requestId");
  if (method == "Network.loadingFailed") {
    Document* known = find(request);
    if (known == nullptr) return;
    // A document that is left while it loads is "aborted" as well; only others are truncated or refused.
    const std::string net_error = text_of(params, "errorText");
    if (net_error == kAborted && known->commit > 0) return;
    known->net_error = net_error.empty() ? "net::ERR_FAILED" : net_error;
    return advance();
  }
  if (text_of(params, "type") != "Document" || text_of(params, "frameId") != page_.main_frame()) return;
  const std::string loader = text_of(params, "loaderId");
  if (loader.empty() || loader != request) return;
  if (method == "Network.requestWillBeSent") document(loader);
  if (method == "Network.responseReceived") {
    document(loader).status = static_cast<int>(number_field(nested_field(params, "response"), "status"));
  }
}

void Navigation::on_commit(const Json& frame) {
  page_.crashed = false;
  page_.captures->document_left();
  Document& committed = document(text_of(frame, "loaderId"));
  committed.commit = ++commits_;
  committed.url = text_of(frame, "url") + text_of(frame, "urlFragment");
  const std::string unreachable = text_of(frame, "unreachableUrl");
  committed.error_page = !unreachable.empty() || committed.url.starts_with(kErrorPage);
  if (!unreachable.empty()) committed.url = unreachable;
  current_url_ = committed.url;
  advance();
}

Navigation::Document* Navigation::subject() {
  const Document* own = active_->is_reload ? nullptr : find(active_->loader);
  const int since = own != nullptr ? own->commit : active_->after_commit + 1;
  if (own != nullptr && own->commit == 0) return find(active_->loader);
  Document* newest = nullptr;
  for (Document& candidate : documents_) {
    if (candidate.commit >= since && (newest == nullptr || candidate.commit > newest->commit)) newest = &candidate;
  }
  if (newest != nullptr || !active_->is_reload) return newest;
  // A reload that failed before it committed anything is only known by its request.
  return !documents_.empty() && documents_.back().commit == 0 ? &documents_.back() : nullptr;
}

void Navigation::advance() {
  if (!active_ || !active_->replied) return;
  const Document* document = subject();
  if (document == nullptr) return;
  if (active_->http_error) {
    if (document->commit > 0) succeed(*document, "load");
    return;
  }
  const bool answered_empty = document->net_error == kEmptyHttpError && document->status >= 400;
  if (!document->net_error.empty() && !answered_empty) return finish_network_error(document->net_error);
  if (document->commit == 0) return;
  if (document->error_page && !answered_empty) return finish_network_error("net::ERR_FAILED");
  const std::string& wanted = active_->options.wait;
  if (wanted == "commit" || (wanted == "dom" && document->dom) || document->loaded) {
    succeed(*document, document->reached());
  }
}

void Navigation::expire() {
  if (!active_) return;
  const Document* document = active_->replied ? subject() : nullptr;
  const std::string reached = document != nullptr ? document->reached() : "";
  // The server does not answer: without this, the next operation would wait for the same request.
  if (reached.empty()) page_.cdp->send(page_.session, "Page.stopLoading");
  const Json detail = {
      {"url", active_->url}, {"reached", reached}, {"status", document != nullptr ? document->status : 0}};
  const std::string what = reached.empty() ? "the server did not answer" : "the page did not finish loading";
  finish(Error{ErrorKind::timeout, what + " within " + std::to_string(active_->options.timeout_ms) + " ms", active_->op,
               dump_json(detail)});
}

void Navigation::succeed(const Document& document, const std::string& reached) {
  finish(NavigationResult{document.url, document.status, page_.loop.now_ms() - active_->started, reached});
}

void Navigation::finish(Result<NavigationResult> result) {
  if (!result) result.error().op = active_->op;
  page_.loop.cancel(active_->timer);
  const auto ending = std::exchange(active_, nullptr);
  ending->done(std::move(result));
}

void Navigation::finish_network_error(const std::string& net_error) {
  finish(Error{ErrorKind::navigation_error, "cannot load " + active_->url + ": " + net_error, active_->op,
               dump_json({{"url", active_->url}, {"net_error", net_error}})});
}

void Navigation::fail(const Error& error) {
  if (!active_) return;
  const auto ending = std::exchange(active_, nullptr);
  page_.loop.cancel(ending->timer);
  page_.loop.post([done = std::move(ending->done), op = ending->op, failure = error]() mutable {
    failure.op = op;
    done(std::move(failure));
  });
}

Navigation::Document& Navigation::document(const std::string& loader) {
  if (Document* known = find(loader)) return *known;
  if (documents_.size() >= kDocumentsKept) documents_.pop_front();
  documents_.emplace_back();
  documents_.back().loader = loader;
  return documents_.back();
}

Navigation::Document* Navigation::find(const std::string& loader) {
  for (Document& known : documents_) {
    if (known.loader == loader && !loader.empty()) return &known;
  }
  return nullptr;
}

}  // namespace qa
