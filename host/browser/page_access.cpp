#include "host/browser/page_access.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/browser/json_fields.h"
#include "host/net/static_files.h"

namespace qa {
namespace {

/// A media element asks from a place to the end, and takes what it gets; the rest it asks for when it comes there.
constexpr std::uint64_t kMostOfOpenRange = 4 << 20;

using Access = std::shared_ptr<const PageAccess>;

/// Chromium writes every address with its origin in full, so that the slash ends host and port.
bool is_below(const std::string& origin, std::string_view url) {
  return url.size() > origin.size() && url.starts_with(origin) && url[origin.size()] == '/';
}

void set_header(HttpHeaders& headers, const std::string& name, const std::string& value) {
  std::erase_if(headers, [&](const auto& known) { return equal_ignoring_case(known.first, name); });
  headers.emplace_back(name, value);
}

RequestRule credential_rule(const Access& access) {
  RequestRule rule;
  rule.patterns = [access]() -> std::vector<std::string> { return {access->credentials.origin + "/*"}; };
  rule.answer = [access](const PausedRequest& paused) -> std::optional<RequestAnswer> {
    const TargetCredentials& known = access->credentials;
    if (known.headers.empty() || !is_below(known.origin, paused.url)) return std::nullopt;
    RequestAnswer answer{0, paused.headers, ""};
    for (const auto& [name, value] : known.headers) set_header(answer.headers, name, value);
    return answer;
  };
  if (!access->credentials.basic) return rule;
  rule.authenticate = [access](const AuthChallenge& challenge) -> std::optional<std::pair<std::string, std::string>> {
    if (challenge.origin != access->credentials.origin || challenge.scheme != "basic") return std::nullopt;
    return access->credentials.basic;
  };
  return rule;
}

/// A range without an end is answered with its beginning.
void shorten(HttpReply& reply, std::string_view range) {
  if (reply.status != 206 || !range.ends_with('-') || reply.part.length <= kMostOfOpenRange) return;
  reply.part.length = kMostOfOpenRange;
  std::erase_if(reply.headers, [](const auto& header) { return header.first == "Content-Range"; });
  reply.headers.emplace_back("Content-Range", "bytes " + std::to_string(reply.part.start) + "-" +
                                                  std::to_string(reply.part.start + reply.part.length - 1) + "/" +
                                                  std::to_string(reply.file->size()));
}

/// What the server of the folder would send, at once.
RequestAnswer folder_answer(const StaticFiles& files, const PausedRequest& paused, const HttpUrl& url) {
  const std::string authority = url.authority();
  const std::string_view range = paused.header("If-Range").empty() ? paused.header("Range") : std::string_view();
  HttpReply reply = files.answer({paused.method, url.target, authority, range});
  shorten(reply, range);
  const bool has_body = paused.method != "HEAD";
  if (has_body && reply.file && reply.part.length > RequestInterceptor::kMostBody) {
    reply = text_reply(413, "larger than the 40 MiB that the host can hand to a browser on another machine\n");
  }
  std::string body = std::move(reply.text);
  const std::uint64_t length = reply.file ? reply.part.length : body.size();
  if (has_body && reply.file) {
    auto part = reply.file->read(reply.part);
    if (!part) return {500, {}, "the file became shorter\n"};
    body = std::move(*part);
  }
  if (!has_body) body.clear();
  reply.headers.emplace_back("Content-Length", std::to_string(length));
  return {reply.status, std::move(reply.headers), std::move(body)};
}

RequestRule folder_rule(const Access& access, bool is_popup) {
  RequestRule rule;
  rule.patterns = [access] {
    std::vector<std::string> patterns;
    for (const auto& [port, files] : access->folders) {
      for (const char* host : {"127.0.0.1", "localhost"}) {
        patterns.push_back("http://" + std::string(host) + ":" + std::to_string(port) + "/*");
      }
    }
    return patterns;
  };
  rule.answer = [access, is_popup](const PausedRequest& paused) -> std::optional<RequestAnswer> {
    const auto url = parse_http_url(paused.url);
    if (!url || url->is_https || (url->host != "127.0.0.1" && url->host != "localhost")) return std::nullopt;
    const auto folder = access->folders.find(url->port);
    if (folder == access->folders.end()) return std::nullopt;
    if (is_popup) return RequestAnswer{403, {}, "only pages of the run are answered\n"};
    return folder_answer(*folder->second, paused, *url);
  };
  return rule;
}

RequestRule other_ports_rule(const Access& access) {
  RequestRule rule;
  rule.patterns = [access]() -> std::vector<std::string> {
    const std::string& host = access->credentials.url.host;
    const std::string name = host.find(':') == host.npos ? host : "[" + host + "]";
    return {"*://" + name + "/*", "*://" + name + ":*"};
  };
  rule.answer = [access](const PausedRequest& paused) -> std::optional<RequestAnswer> {
    const TargetCredentials& known = access->credentials;
    const auto url = parse_http_url(paused.url.substr(0, paused.url.find_first_of("?#")));
    if (!url || url->host != known.url.host || is_below(known.origin, paused.url)) return std::nullopt;
    RequestAnswer answer{0, paused.headers, ""};
    set_header(answer.headers, "Cookie", "");  // In place of the jar's, as Chromium takes a Cookie header here.
    return answer;
  };
  return rule;
}

}  // namespace

std::vector<std::string> cookie_arguments(const TargetCredentials& credentials) {
  if (credentials.cookies.empty()) return {};
  return {"--enable-features=EnablePortBoundCookies,EnableSchemeBoundCookies"};
}

std::string cookie_parameters(const TargetCredentials& credentials) {
  if (credentials.cookies.empty()) return "";
  nlohmann::json list = nlohmann::json::array();
  for (const TargetCookie& cookie : credentials.cookies) {
    nlohmann::json entry = {{"name", cookie.name},
                            {"value", cookie.value},
                            {"url", credentials.origin + "/"},
                            {"path", cookie.path},
                            {"secure", credentials.url.is_https},
                            {"httpOnly", cookie.is_http_only},
                            {"sourceScheme", credentials.url.is_https ? "Secure" : "NonSecure"},
                            {"sourcePort", credentials.url.port}};
    // Chromium refuses None without https; its default is the nearest that http can have.
    if (!cookie.same_site.empty() && (cookie.same_site != "None" || credentials.url.is_https)) {
      entry["sameSite"] = cookie.same_site;
    }
    if (cookie.expires_s) entry["expires"] = *cookie.expires_s;
    list.push_back(std::move(entry));
  }
  return dump_json({{"cookies", std::move(list)}});
}

std::vector<RequestRule> access_rules(const Access& access, bool is_remote, bool is_popup) {
  std::vector<RequestRule> rules;
  if (!access) return rules;
  if (is_remote) rules.push_back(folder_rule(access, is_popup));
  const TargetCredentials& known = access->credentials;
  if (!known.headers.empty() || known.basic) rules.push_back(credential_rule(access));
  if (is_remote && !known.cookies.empty()) rules.push_back(other_ports_rule(access));
  return rules;
}

}  // namespace qa
