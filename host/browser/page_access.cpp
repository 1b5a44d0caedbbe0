#include "host/browser/page_access.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/browser/json_fields.h"

namespace qa {
namespace {

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
  rule.answer = [access](const HeldRequest& held) -> std::optional<RequestAnswer> {
    const TargetCredentials& known = access->credentials;
    if (known.headers.empty() || !is_below(known.origin, held.url)) return std::nullopt;
    RequestAnswer answer{0, held.headers, ""};
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

RequestRule other_ports_rule(const Access& access) {
  RequestRule rule;
  rule.patterns = [access]() -> std::vector<std::string> {
    const std::string& host = access->credentials.url.host;
    const std::string name = host.find(':') == host.npos ? host : "[" + host + "]";
    return {"*://" + name + "/*", "*://" + name + ":*"};
  };
  rule.answer = [access](const HeldRequest& held) -> std::optional<RequestAnswer> {
    const TargetCredentials& known = access->credentials;
    const auto url = parse_http_url(held.url.substr(0, held.url.find_first_of("?#")));
    if (!url || url->host != known.url.host || is_below(known.origin, held.url)) return std::nullopt;
    RequestAnswer answer{0, held.headers, ""};
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

std::vector<RequestRule> access_rules(const Access& access, bool is_remote) {
  std::vector<RequestRule> rules;
  if (!access) return rules;
  const TargetCredentials& known = access->credentials;
  if (!known.headers.empty() || known.basic) rules.push_back(credential_rule(access));
  if (is_remote && !known.cookies.empty()) rules.push_back(other_ports_rule(access));
  return rules;
}

}  // namespace qa
