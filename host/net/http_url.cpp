#include "host/net/http_url.h"

#include <algorithm>
#include <charconv>

#include "host/net/served_file.h"
#include "host/text.h"

namespace qa {
namespace {

constexpr std::uint16_t kHttp = 80, kHttps = 443;

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

bool is_host_name(std::string_view text) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789-._";
  return !text.empty() && text.size() <= 253 && text.find_first_not_of(allowed) == text.npos;
}

/// Reads "host", "host:1", "[::1]" or "[::1]:1".
bool read_host_and_port(std::string_view text, HttpUrl& url) {
  std::string_view port;
  if (!text.empty() && text.front() == '[') {
    const std::size_t end = text.find(']');
    if (end == text.npos) return false;
    url.host = lower(text.substr(1, end - 1));
    if (url.host.find_first_not_of("0123456789abcdef:.") != url.host.npos || url.host.empty()) return false;
    port = text.substr(end + 1);
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    url.host = lower(text.substr(0, colon));
    if (!is_host_name(url.host)) return false;
    port = text.substr(colon);
  }
  url.port = url.is_https ? kHttps : kHttp;
  if (port.empty() || port == ":") return true;
  const auto [stop, failed] = std::from_chars(port.data() + 1, port.data() + port.size(), url.port);
  return port.front() == ':' && failed == std::errc() && stop == port.data() + port.size() && url.port != 0;
}

}  // namespace

std::string HttpUrl::host_and_port() const {
  const bool is_v6 = host.find(':') != host.npos;
  return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string HttpUrl::authority() const {
  const std::string whole = host_and_port();
  return port == (is_https ? kHttps : kHttp) ? whole.substr(0, whole.rfind(':')) : whole;
}

std::optional<HttpUrl> parse_http_url(std::string_view text) {
  const std::size_t mark = text.find("://");
  if (mark == text.npos || !is_plain(text)) return std::nullopt;
  HttpUrl url;
  const std::string scheme = lower(text.substr(0, mark));
  url.is_https = scheme == "https";
  if (!url.is_https && scheme != "http") return std::nullopt;
  text.remove_prefix(mark + 3);
  text = text.substr(0, text.find('#'));
  std::string_view authority = text.substr(0, text.find_first_of("/?"));
  url.target = text.substr(authority.size());
  if (url.target.empty() || url.target.front() == '?') url.target.insert(0, "/");
  if (const std::size_t at = authority.rfind('@'); at != authority.npos) {
    const auto user_info = unescape_path(authority.substr(0, at));
    if (!user_info) return std::nullopt;
    url.user_info = *user_info;
    authority.remove_prefix(at + 1);
  }
  if (!read_host_and_port(authority, url)) return std::nullopt;
  return url;
}

bool is_proxy_exempt(const HttpUrl& url, const std::vector<std::string>& no_proxy) {
  return std::any_of(no_proxy.begin(), no_proxy.end(), [&](const std::string& listed) {
    std::string name = lower(listed);
    if (name == "*" || name == url.host || name == url.host_and_port()) return true;
    if (!name.empty() && name.front() == '.') name.erase(0, 1);
    if (name.empty() || url.host.size() < name.size()) return false;
    const std::size_t rest = url.host.size() - name.size();
    return url.host.compare(rest, name.size(), name) == 0 && (rest == 0 || url.host[rest - 1] == '.');
  });
}

bool is_localhost(const HttpUrl& url) { return url.host == "localhost" || url.host.ends_with(".localhost"); }

bool is_loopback(const HttpUrl& url) {
  const bool is_v4 = url.host.starts_with("127.") && url.host.find_first_not_of("0123456789.") == url.host.npos;
  return is_localhost(url) || is_v4 || url.host == "::1";
}

}  // namespace qa
