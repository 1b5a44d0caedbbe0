#include "host/net/http_failure.h"

#include <fmt/format.h>

namespace qa {
namespace {

/// What is said of a phase: what has not happened in it yet, how a connection breaks in it, what helps. {0} is the
/// host, {1} the proxy.
struct PhaseWords {
  const char *name, *undone, *broken, *advice;
};

constexpr const char *kClosed = "{0} closed the connection without an answer", *kTime = "try again, or allow more time";
constexpr PhaseWords kPhases[] = {
    {"resolve", "the name in {0} was not resolved", "the name in {0} cannot be resolved",
     "check the host name and this machine's DNS"},
    {"proxy", "the proxy {1} opened no tunnel to {0}", "the proxy {1} cannot be reached for {0}",
     "check the proxy's address, or exempt the host from it"},
    {"connect", "{0} accepted no connection", "{0} cannot be reached",
     "check that the server runs and that no firewall is between"},
    {"tls", "{0} accepted the connection but completed no TLS handshake", kClosed, "check that this port speaks https"},
    {"send", "{0} did not take the whole request", "{0} closed the connection while the request was sent", kTime},
    {"head", "{0} gave no answer", kClosed, kTime},
    {"body", "{0} began its answer and sent nothing more of it", "{0} broke off in the middle of its answer", kTime},
};

const PhaseWords& words_of(HttpPhase phase) { return kPhases[static_cast<std::size_t>(phase)]; }

std::string filled(const char* words, const HttpPeers& peers) {
  return fmt::format(fmt::runtime(words), peers.host, peers.proxy);
}

}  // namespace

std::string_view http_phase_name(HttpPhase phase) { return words_of(phase).name; }

std::string late_text(HttpPhase phase, const HttpPeers& peers, int ms) {
  return fmt::format("{} within {} ms: {}", filled(words_of(phase).undone, peers), ms, words_of(phase).advice);
}

std::string overdue_text(HttpPhase phase, const HttpPeers& peers, int ms) {
  if (phase != HttpPhase::body) return late_text(phase, peers, ms);
  return fmt::format("{} did not end its answer within {} ms: {}", peers.host, ms, words_of(phase).advice);
}

std::string broken_text(HttpPhase phase, const HttpPeers& peers, const std::string& cause) {
  const char* advice = phase <= HttpPhase::connect ? words_of(phase).advice : "try again";
  return fmt::format("{} ({}): {}", filled(words_of(phase).broken, peers), cause, advice);
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
