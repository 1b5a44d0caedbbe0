#pragma once
// Webhooks: tells the address that a client named how its run ended: a POST, signed, tried a few times. Loop thread
// only.
//
//   X-QA-Host-Timestamp: Unix time in seconds
//   X-QA-Host-Signature: sha256=<HMAC-SHA-256 of "<timestamp>.<body>" with the webhook secret, hex>

#include <functional>
#include <memory>
#include <string>

#include "host/event_loop.h"
#include "host/net/http_client.h"
#include "host/service/origin_gate.h"

namespace qa {

class Webhooks {
 public:
  /// `on_end(delivered)` is called once for each, after the last attempt.
  Webhooks(EventLoop& loop, OriginGate gate, std::string secret, HttpClientOptions options,
           std::function<void(bool)> on_end);
  ~Webhooks();

  bool is_configured() const { return !secret_.empty(); }
  void send(const std::string& url, std::string body);
  std::size_t pending() const { return pending_; }

 private:
  struct Delivery;
  void check(const std::shared_ptr<Delivery>& delivery);
  void attempt(const std::shared_ptr<Delivery>& delivery);
  void on_answer(const std::shared_ptr<Delivery>& delivery, const HttpResult& result);
  void end(bool delivered);

  EventLoop& loop_;
  const std::shared_ptr<const OriginGate> gate_;  ///< Shared with look-ups, which a slow resolver lets outlive us.
  const std::string secret_;
  HttpClient client_;
  std::function<void(bool)> on_end_;
  std::size_t pending_ = 0;
};

}  // namespace qa
