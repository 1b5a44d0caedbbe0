#include "host/net/target_credentials.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "host/base64.h"
#include "host/files.h"
#include "host/text.h"

namespace qa {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kMostHeaders = 50, kMostCookies = 300;  // Servers refuse longer request heads.
/// They frame the message, or are the browser's own. Cookies have an option that leaves the jar in force.
constexpr const char* kRefused[] = {
    "Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade",
    "TE",   "Trailer",        "Proxy-Connection",  "Cookie"};

Error fault(const std::string& message) { return {ErrorKind::io_error, message}; }

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
  return begin == text.npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

Result<std::string> read_small(const std::string& option, const std::string& path) {
  auto bytes = read_file(path);
  if (!bytes) return fault(option + ": " + bytes.error().message);
  if (bytes->size() > kMostBytes) return fault(option + ": " + path + ": larger than 1 MiB");
  return bytes;
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
}

Result<Unit> add_headers(const std::string& word, HttpHeaders& headers) {
  const bool is_file = word.starts_with('@');
  auto text = QA_TRY(is_file ? read_small("--header", word.substr(1)) : Result<std::string>(word));
  int number = 0;
  for (const std::string_view line : is_file ? split(text, '\n') : std::vector<std::string_view>{text}) {
    ++number;
    if (is_file && (trimmed(line).empty() || line.front() == '#')) continue;
    const std::string place = is_file ? word.substr(1) + ":" + std::to_string(number) + ": " : "";
    if (const std::string why = header_fault(std::string(trimmed(line))); !why.empty()) {
      return fault("--header: " + place + why);
    }
    const std::size_t colon = line.find(':');
    headers.emplace_back(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
    if (headers.size() > kMostHeaders) return fault("--header: more than " + std::to_string(kMostHeaders));
  }
  return Unit{};
}

Result<Unit> set_basic(const std::string& word, TargetCredentials& to) {
  std::string text = word;
  if (word.starts_with('@')) {
    auto read = QA_TRY(read_small("--basic-auth", word.substr(1)));
    text = split(read, '\n').front();
    if (text.ends_with('\r')) text.pop_back();
  }
  const std::size_t colon = text.find(':');
  // RFC 7617: no colon in a user, no control character in either.
  if (colon == text.npos || colon == 0 || has_control(text)) {
    return fault("--basic-auth: expected USER:PASSWORD, or @FILE with that in its first line");
  }
  to.basic.emplace(text.substr(0, colon), text.substr(colon + 1));
  return Unit{};
}

/// A cookie as a file has it, before it is bound to the target.
struct FoundCookie {
  TargetCookie cookie;
  std::string domain;
  bool covers_subdomains = false, is_secure = false;
};

/// Netscape's format, as curl and browser extensions write it: seven fields with tabs between them.
Result<std::vector<FoundCookie>> read_jar(const std::string& path, std::string_view text) {
  constexpr std::string_view http_only = "#HttpOnly_";
  std::vector<FoundCookie> found;
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    FoundCookie entry;
    entry.cookie.is_http_only = line.starts_with(http_only);
    if (entry.cookie.is_http_only) line.remove_prefix(http_only.size());
    if (trimmed(line).empty() || line.front() == '#') continue;
    const auto fields = split(line, '\t');
    double expires = 0;
    if (fields.size() == 7) std::from_chars(fields[4].data(), fields[4].data() + fields[4].size(), expires);
    if (fields.size() != 7 || fields[5].empty()) {
      return fault("--cookie-file: " + path + ":" + std::to_string(number) +
                   ": expected seven fields with tabs between");
    }
    entry.domain = fields[0];
    entry.covers_subdomains = fields[1] == "TRUE";
    entry.cookie.path = fields[2];
    entry.is_secure = fields[3] == "TRUE";
    if (expires > 0) entry.cookie.expires_s = expires;
    entry.cookie.name = fields[5];
    entry.cookie.value = fields[6];
    found.push_back(std::move(entry));
  }
  return found;
}

std::string text_in(const Json& object, const char* key) {
  const auto field = object.find(key);
  return field != object.end() && field->is_string() ? field->get<std::string>() : "";
}

bool flag_in(const Json& object, const char* key) {
  const auto field = object.find(key);
  return field != object.end() && field->is_boolean() && field->get<bool>();
}

std::string same_site_of(const Json& object) {
  const std::string word = text_in(object, "sameSite");
  if (equal_ignoring_case(word, "strict")) return "Strict";
  if (equal_ignoring_case(word, "lax")) return "Lax";
  return equal_ignoring_case(word, "none") || word == "no_restriction" ? "None" : "";
}

/// A list of cookies as the DevTools protocol and browser extensions write them, or a storage state with such a list.
Result<std::vector<FoundCookie>> read_list(const std::string& path, const std::string& text) {
  const Json document = Json::parse(text, nullptr, false);
  const Json none = Json::array();
  const Json& list = document.is_object() && document.contains("cookies") ? document["cookies"] : document;
  std::vector<FoundCookie> found;
  for (const Json& item : list.is_array() ? list : none) {
    FoundCookie entry;
    entry.cookie.name = item.is_object() ? text_in(item, "name") : "";
    entry.domain = item.is_object() ? text_in(item, "domain") : "";
    if (entry.cookie.name.empty() || entry.domain.empty()) {
      return fault("--cookie-file: " + path + ": cookie " + std::to_string(found.size() + 1) +
                   " has no name or domain");
    }
    entry.cookie.value = text_in(item, "value");
    if (const std::string at = text_in(item, "path"); !at.empty()) entry.cookie.path = at;
    entry.cookie.same_site = same_site_of(item);
    entry.cookie.is_http_only = flag_in(item, "httpOnly");
    entry.is_secure = flag_in(item, "secure");
    entry.covers_subdomains = item.contains("hostOnly") ? !flag_in(item, "hostOnly") : entry.domain.starts_with('.');
    for (const char* key : {"expires", "expirationDate"}) {
      const auto field = item.find(key);
      if (field != item.end() && field->is_number() && field->get<double>() > 0) entry.cookie.expires_s = *field;
    }
    found.push_back(std::move(entry));
  }
  if (!list.is_array()) return fault("--cookie-file: " + path + ": neither a list of cookies nor a cookie jar");
  return found;
}

bool is_address(const HttpUrl& url) {
  return url.host.find(':') != url.host.npos || url.host.find_first_not_of("0123456789.") == url.host.npos;
}

bool is_for(const FoundCookie& found, const HttpUrl& url) {
  std::string_view domain = found.domain;
  const bool covers = found.covers_subdomains || domain.starts_with('.');
  if (domain.starts_with('.')) domain.remove_prefix(1);
  if (equal_ignoring_case(domain, url.host)) return true;
  if (!covers || domain.empty() || is_address(url) || url.host.size() <= domain.size() + 1) return false;
  const std::string_view end = std::string_view(url.host).substr(url.host.size() - domain.size() - 1);
  return end.front() == '.' && equal_ignoring_case(end.substr(1), domain);
}

Result<Unit> add_cookies(const std::string& path, TargetCredentials& to, double now_s) {
  auto text = QA_TRY(read_small("--cookie-file", path));
  const std::size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const bool is_json = std::string_view(text).substr(start, 1).find_first_of("[{") == 0;
  auto found = QA_TRY(is_json ? read_list(path, text) : read_jar(path, text));
  std::size_t elsewhere = 0, expired = 0, insecure = 0;
  for (FoundCookie& entry : found) {
    if (!is_for(entry, to.url)) {
      ++elsewhere;
    } else if (entry.cookie.expires_s && *entry.cookie.expires_s <= now_s) {
      ++expired;
    } else if (entry.is_secure && !to.url.is_https) {
      ++insecure;
    } else {
      to.cookies.push_back(std::move(entry.cookie));
    }
  }
  const std::string left_out = "of another host: " + std::to_string(elsewhere) +
                               ", expired: " + std::to_string(expired) +
                               ", for https only: " + std::to_string(insecure);
  if (to.cookies.empty())
    return fault("--cookie-file: " + path + ": no cookie for " + to.origin + " (" + left_out + ")");
  if (to.cookies.size() > kMostCookies)
    return fault("--cookie-file: " + path + ": more than 300 cookies for the target");
  if (to.cookies.size() == found.size()) return Unit{};
  to.notes.push_back("--cookie-file: " + std::to_string(to.cookies.size()) + " of " + std::to_string(found.size()) +
                     " cookies are for " + to.origin + "; left out: " + left_out);
  return Unit{};
}

/// As it stands in a query: everything but RFC 3986's unreserved characters is escaped.
std::string escaped(std::string_view text) {
  std::string out;
  for (const unsigned char c : text) {
    constexpr const char* digits = "0123456789ABCDEF";
    if (std::isalnum(c) != 0 || std::string_view("-._~").find(static_cast<char>(c)) != std::string_view::npos) {
      out += static_cast<char>(c);
    } else {
      out.append({'%', digits[c >> 4], digits[c & 15]});
    }
  }
  return out;
}

}  // namespace

std::string header_fault(const std::string& word) {
  if (word.starts_with('@')) return word.size() > 1 ? "" : "expected @FILE";
  const std::size_t colon = word.find(':');
  const std::string name(trimmed(word.substr(0, std::min(colon, word.size()))));
  if (colon == word.npos || !is_token(name)) return "expected 'Name: value' as one word (quote it), or @FILE";
  if (has_control(word)) return "the value of " + name + " has a control character";
  if (trimmed(std::string_view(word).substr(colon + 1)).empty()) return name + " has no value";
  for (const char* refused : kRefused) {
    if (!equal_ignoring_case(name, refused)) continue;
    return name + (equal_ignoring_case(name, "Cookie") ? " is set by --cookie-file" : " is the browser's own");
  }
  return "";
}

std::vector<std::string> TargetCredentials::secrets() const {
  std::vector<std::string> found;
  const auto add = [&](const std::string& value) {
    found.push_back(value);
    if (std::string other = escaped(value); other != value) found.push_back(std::move(other));
  };
  for (const auto& [name, value] : headers) {
    add(value);
    // "Bearer TOKEN": a page may know the token alone.
    if (const std::size_t space = value.find(' '); space != value.npos) add(value.substr(space + 1));
  }
  for (const TargetCookie& cookie : cookies) add(cookie.value);
  if (basic) {
    add(basic->second);
    add(encode_base64(basic->first + ":" + basic->second));
  }
  return found;
}

Result<TargetCredentials> read_credentials(const CredentialWords& words, const std::string& target, double now_s) {
  TargetCredentials found;
  if (words.empty()) return found;
  auto url = parse_http_url(target);
  if (!url || !url->user_info.empty()) {
    return fault("--header, --cookie-file and --basic-auth are for an http or https URL, and go to its origin only; " +
                 (target.empty() ? "no target was given" : "the target is " + target));
  }
  found.url = *url;
  found.origin = (url->is_https ? "https://" : "http://") + url->authority();
  for (const std::string& word : words.headers) {
    QA_TRY(add_headers(word, found.headers));
  }
  if (!words.basic_auth.empty()) {
    QA_TRY(set_basic(words.basic_auth, found));
  }
  if (!words.cookie_file.empty()) {
    QA_TRY(add_cookies(words.cookie_file, found, now_s));
  }
  if (!url->is_https && !is_loopback(*url)) {
    found.notes.push_back("credentials go to " + found.origin + " unencrypted: anybody on the way can read them");
  }
  return found;
}

}  // namespace qa
