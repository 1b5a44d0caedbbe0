#include "host/net/http_message.h"

#include <algorithm>
#include <iterator>

#include "host/base64.h"
#include "host/text.h"

namespace qa {
namespace {

bool is_own(std::string_view name) {
  constexpr std::string_view own[] = {
      "host", "content-length", "transfer-encoding", "connection", "accept-encoding", "upgrade", "expect",
      "te",   "trailer"};
  return std::any_of(std::begin(own), std::end(own), [&](auto word) { return equal_ignoring_case(word, name); });
}

}  // namespace

bool is_token(std::string_view text) {
  constexpr std::string_view allowed = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz";
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [&](char c) { return allowed.find(lower(c)) != allowed.npos; });
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

const std::string* HttpResponse::header(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(),
                                  [&](const auto& one) { return equal_ignoring_case(one.first, name); });
  return found == headers.end() ? nullptr : &found->second;
}

std::string_view request_fault(const HttpRequest& request, const HttpUrl& url) {
  if (!url.user_info.empty()) return "its address holds a user name";
  if (!is_token(request.method)) return "its method is none of HTTP";
  for (const auto& [name, value] : request.headers) {
    if (!is_token(name)) return "the name of a header is none of HTTP";
    if (is_own(name)) return "a header is given that the client sets itself";
    if (value.find_first_of(std::string_view("\r\n\0", 3)) != value.npos) return "a header holds a line break or NUL";
  }
  return "";
}

std::string request_head(const HttpRequest& request, const HttpUrl& url) {
  std::string head = request.method + ' ' + url.target + " HTTP/1.1\r\nHost: " + url.authority() + "\r\n";
  for (const auto& [name, value] : request.headers) head.append(name).append(": ").append(value).append("\r\n");
  if (!request.body.empty() || request.method == "POST")
    head += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  return head + "Accept-Encoding: identity\r\n\r\n";
}

std::string tunnel_head(const std::string& host_and_port, const HttpUrl& proxy) {
  std::string head = "CONNECT " + host_and_port + " HTTP/1.1\r\nHost: " + host_and_port + "\r\n";
  if (!proxy.user_info.empty()) {
    head.append("Proxy-Authorization: Basic ").append(encode_base64(proxy.user_info)).append("\r\n");
  }
  return head + "\r\n";
}

}  // namespace qa
