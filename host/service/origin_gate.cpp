#include "host/service/origin_gate.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>

namespace qa {
namespace {

struct Range {
  std::uint32_t first;
  int bits;
};

/// IANA's registry of special-purpose IPv4 addresses (RFC 6890), with multicast and what is reserved.
constexpr Range kPrivate[] = {
    {0x00000000, 8},  {0x0a000000, 8},  {0x64400000, 10}, {0x7f000000, 8},  {0xa9fe0000, 16},
    {0xac100000, 12}, {0xc0000000, 24}, {0xc0a80000, 16}, {0xc6120000, 15}, {0xe0000000, 3},
};

bool is_private_v4(std::uint32_t address) {
  return std::any_of(std::begin(kPrivate), std::end(kPrivate),
                     [&](Range range) { return (address ^ range.first) >> (32 - range.bits) == 0; });
}

bool is_private_v6(const std::array<unsigned char, 16>& a) {
  const auto v4_at = [&](std::size_t at) {
    return std::uint32_t{a[at]} << 24 | std::uint32_t{a[at + 1]} << 16 | std::uint32_t{a[at + 2]} << 8 | a[at + 3];
  };
  constexpr std::array<unsigned char, 12> none{}, mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff},
      nat64{0, 0x64, 0xff, 0x9b};
  const auto starts = [&](const auto& prefix) { return std::equal(prefix.begin(), prefix.end(), a.begin()); };
  if (starts(none) || starts(mapped) || starts(nat64)) return is_private_v4(v4_at(12));  // "::1" is 0.0.0.1 here.
  if (a[0] == 0x20 && a[1] == 0x02) return is_private_v4(v4_at(2));                      // 6to4, RFC 3056.
  // Unique local, link-local with the former site-local ones, multicast.
  return (a[0] & 0xfe) == 0xfc || (a[0] == 0xfe && (a[1] & 0x80) != 0) || a[0] == 0xff;
}

/// "http://host:port", the port always named.
std::string origin_of(const HttpUrl& url) { return (url.is_https ? "https://" : "http://") + url.host_and_port(); }

HttpUrl without_dot(HttpUrl url) {
  while (url.host.ends_with('.')) url.host.pop_back();
  return url;
}

std::string refusal(const HttpUrl& url, const std::string& why) {
  return url.host + " " + why + "; the operator can allow it: --allow-origin " +
         (url.is_https ? "https://" : "http://") + url.authority();
}

}  // namespace

bool is_private_address(const std::string& host) {
  in_addr v4{};
  if (::inet_aton(host.c_str(), &v4) != 0) return is_private_v4(ntohl(v4.s_addr));
  std::array<unsigned char, 16> v6{};
  return ::inet_pton(AF_INET6, host.c_str(), v6.data()) == 1 && is_private_v6(v6);
}

Result<OriginGate> OriginGate::make(const std::vector<std::string>& allowed) {
  OriginGate gate;
  for (const std::string& text : allowed) {
    const auto url = parse_http_url(text);
    if (!url || url->target != "/" || !url->user_info.empty()) {
      return Error{ErrorKind::io_error, "expected an origin such as http://10.0.0.5:8080, got '" + text + "'"};
    }
    gate.allowed_.push_back(origin_of(without_dot(*url)));
  }
  return gate;
}

bool OriginGate::allows(const HttpUrl& url) const {
  return std::find(allowed_.begin(), allowed_.end(), origin_of(url)) != allowed_.end();
}

std::string OriginGate::fault(const HttpUrl& given) const {
  const HttpUrl url = without_dot(given);
  if (allows(url)) return "";
  if (is_localhost(url)) return refusal(url, "is this machine");
  return is_private_address(url.host) ? refusal(url, "is a private address") : "";
}

std::string OriginGate::fault_now(const HttpUrl& given) const {
  const HttpUrl url = without_dot(given);
  if (std::string known = fault(url); !known.empty() || allows(url)) return known;
  addrinfo wanted{}, *list = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  if (::getaddrinfo(url.host.c_str(), nullptr, &wanted, &list) != 0) return "";
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, ::freeaddrinfo);
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    ::getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
    std::string address = text.data();
    address.resize(std::min(address.find('%'), address.size()));
    if (is_private_address(address)) return refusal(url, "is the private address " + address);
  }
  return "";
}

}  // namespace qa
