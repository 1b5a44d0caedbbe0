#include "host/net/http_failure.h"

namespace qa {
namespace {

/// What has not happened yet in a phase.
std::string undone(HttpPhase phase, const HttpPeers& peers) {
  switch (phase) {
    case HttpPhase::resolve:
      return "the name in " + peers.host + " was not resolved";
    case HttpPhase::proxy:
      return "the proxy " + peers.proxy + " opened no tunnel to " + peers.host;
    case HttpPhase::connect:
      return peers.host + " accepted no connection";
    case HttpPhase::tls:
      return peers.host + " accepted the connection but completed no TLS handshake";
    case HttpPhase::send:
      return peers.host + " did not take the whole request";
    case HttpPhase::head:
      return peers.host + " gave no answer";
    case HttpPhase::body:
      return peers.host + " began its answer and sent nothing more of it";
  }
  return peers.host + " did not answer";
}

/// What helps against it.
std::string_view advice(HttpPhase phase) {
  switch (phase) {
    case HttpPhase::resolve:
      return "check the host name and this machine's DNS";
    case HttpPhase::proxy:
      return "check the proxy's address, or exempt the host from it";
    case HttpPhase::connect:
      return "check that the server runs and that no firewall is between";
    case HttpPhase::tls:
      return "check that this port speaks https";
    case HttpPhase::send:
    case HttpPhase::head:
    case HttpPhase::body:
      return "try again, or allow more time";
  }
  return "try again";
}

}  // namespace

std::string_view http_phase_name(HttpPhase phase) {
  constexpr std::string_view names[] = {"resolve", "proxy", "connect", "tls", "send", "head", "body"};
  return names[static_cast<std::size_t>(phase)];
}

std::string late_text(HttpPhase phase, const HttpPeers& peers, int ms) {
  return undone(phase, peers) + " within " + std::to_string(ms) + " ms: " + std::string(advice(phase));
}

std::string overdue_text(HttpPhase phase, const HttpPeers& peers, int ms) {
  if (phase != HttpPhase::body) return late_text(phase, peers, ms);
  return peers.host + " did not end its answer within " + std::to_string(ms) + " ms: " + std::string(advice(phase));
}

std::string broken_text(HttpPhase phase, const HttpPeers& peers, const std::string& cause) {
  const std::string why = " (" + cause + "): ";
  switch (phase) {
    case HttpPhase::resolve:
      return "the name in " + peers.host + " cannot be resolved" + why + std::string(advice(phase));
    case HttpPhase::proxy:
      return "the proxy " + peers.proxy + " cannot be reached for " + peers.host + why + std::string(advice(phase));
    case HttpPhase::connect:
      return peers.host + " cannot be reached" + why + std::string(advice(phase));
    case HttpPhase::send:
      return peers.host + " closed the connection while the request was sent" + why + "try again";
    case HttpPhase::body:
      return peers.host + " broke off in the middle of its answer" + why + "try again";
    case HttpPhase::tls:
    case HttpPhase::head:
      break;
  }
  return peers.host + " closed the connection without an answer" + why + "try again";
}

std::string malformed_text(HttpPhase phase, const HttpPeers& peers, const std::string& fault) {
  const bool is_proxy = phase == HttpPhase::proxy;
  const std::string who = is_proxy ? "the proxy " + peers.proxy : peers.host;
  return "the answer of " + who + " cannot be read (" + fault + "): check that its address is that of " +
         (is_proxy ? "a proxy" : "an API");
}

std::string refused_text(const HttpPeers& peers, int status) {
  const std::string said =
      "the proxy " + peers.proxy + " refused a tunnel to " + peers.host + " with status " + std::to_string(status);
  if (status == 407) return said + ": give user and password in its address, as http://user:password@host:port";
  return said + ": ask who runs it, or exempt the host from the proxy";
}

}  // namespace qa
