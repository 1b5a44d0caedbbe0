#pragma once
// NetworkActivity: which requests of a page are under way, over all its sessions, and which of them failed. Requests
// that are meant to stay open (WebSocket, EventSource, streams) do not count as activity. Loop thread only.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "host/browser/event_ring.h"

namespace qa {

class NetworkActivity {
 public:
  /// Takes any Network.* event. A request that failed (or was answered with a status >= 400) gives its event, once.
  std::optional<HealthEvent> on_event(const std::string& session, std::string_view method, const nlohmann::json& params,
                                      double now);
  void forget_session(const std::string& session);
  /// A navigation begins: idleness and the document's status begin anew.
  void restart(double now);

  /// Requests that had no answer for too long; each is told once.
  std::vector<HealthEvent> unanswered(double now);

  int in_flight(double now) const;
  /// Milliseconds since the last request ended, 0 while one is under way.
  double idle_ms(double now) const;
  int main_status() const { return main_status_; }

  /// Which frame the page's own document lives in, and on which session.
  void set_main(std::string session, std::string frame);

 private:
  struct Request {
    std::string url, type, document, session;
    double start_ms = 0;
    bool counts = true;  ///< Part of the in-flight number while young.
    bool reported = false;
    bool is_answered = false;  ///< Its head came.
    bool main = false;         ///< The document of the main frame.
  };

  void begin(const std::string& session, const nlohmann::json& params, double now);
  void end(const std::string& id, double now);
  std::optional<HealthEvent> answered(const std::string& id, const nlohmann::json& params);
  std::optional<HealthEvent> failed(const std::string& id, const nlohmann::json& params);
  std::string key_of(const std::string& session, const nlohmann::json& params) const;
  HealthEvent failure(const Request& request, std::string message, nlohmann::json detail) const;

  std::unordered_map<std::string, Request> requests_;
  std::string main_session_, main_frame_;
  double ended_ms_ = 0;
  int main_status_ = 0;
};

}  // namespace qa
