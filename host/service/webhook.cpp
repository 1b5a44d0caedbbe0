#include "host/service/webhook.h"

#include <array>
#include <utility>

#include "host/net/http_url.h"
#include "host/service/run_queue.h"
#include "host/sha256.h"

namespace qa {
namespace {

using std::chrono::seconds;

/// Before the second, third and fourth attempt.
constexpr std::array<seconds, 3> kPauses = {seconds(1), seconds(5), seconds(25)};
/// One receiver that does not answer must not hold the addresses of all others.
constexpr std::size_t kMostPending = 256;

HttpLimits limits() {
  HttpLimits limits;
  limits.connect_ms = limits.first_byte_ms = limits.idle_ms = limits.total_ms = 10'000;
  limits.max_body = 64u << 10;
  return limits;
}

}  // namespace

struct Webhooks::Delivery {
  std::string url, body;
  std::size_t attempts = 0;
  std::string fault;
};

Webhooks::Webhooks(EventLoop& loop, OriginGate gate, std::string secret, HttpClientOptions options,
                   std::function<void(bool)> on_end)
    : loop_(loop),
      gate_(std::make_shared<const OriginGate>(std::move(gate))),
      secret_(std::move(secret)),
      client_(loop, std::move(options)),
      on_end_(std::move(on_end)) {}

Webhooks::~Webhooks() = default;

void Webhooks::send(const std::string& url, std::string body) {
  ++pending_;
  auto delivery = std::make_shared<Delivery>();
  delivery->url = url;
  delivery->body = std::move(body);
  if (pending_ > kMostPending) return end(false);
  check(delivery);
}

/// The name may mean another address than when the run was accepted.
void Webhooks::check(const std::shared_ptr<Delivery>& delivery) {
  loop_.compute(
      [gate = gate_, delivery] {
        const auto url = parse_http_url(delivery->url);
        delivery->fault = url ? gate->fault_now(*url) : "no address";
      },
      [this, delivery] { delivery->fault.empty() ? attempt(delivery) : end(false); });
}

void Webhooks::attempt(const std::shared_ptr<Delivery>& delivery) {
  ++delivery->attempts;
  const std::string now = std::to_string(unix_ms() / 1000);
  HttpRequest request;
  request.url = delivery->url;
  request.headers = {{"Content-Type", "application/json"},
                     {"User-Agent", "qa-host"},
                     {"X-QA-Host-Timestamp", now},
                     {"X-QA-Host-Signature", "sha256=" + hmac_sha256_hex(secret_, now + "." + delivery->body)}};
  request.body = delivery->body;
  client_.send(std::move(request), limits(), nullptr,
               [this, delivery](const HttpResult& result) { on_answer(delivery, result); });
}

void Webhooks::on_answer(const std::shared_ptr<Delivery>& delivery, const HttpResult& result) {
  const int status = result.failure ? 0 : result.response.status;
  if (status >= 200 && status < 300) return end(true);
  // What the receiver refuses today it will refuse in a minute.
  const bool is_final = status >= 400 && status < 500 && status != 408 && status != 429;
  if (is_final || delivery->attempts > kPauses.size()) return end(false);
  loop_.after(kPauses.at(delivery->attempts - 1), [this, delivery] { check(delivery); });
}

void Webhooks::end(bool delivered) {
  --pending_;
  on_end_(delivered);
}

}  // namespace qa
