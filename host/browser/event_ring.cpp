#include "host/browser/event_ring.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "host/text.h"

namespace qa {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kNoisyLimit = 800, kRareLimit = 200;
constexpr std::size_t kMessageLimit = 4096;
constexpr int kRepeatsKept = 20;  ///< Equal events that are all kept; later ones once a second.
constexpr std::size_t kDistinctLimit = 4096;

bool is_noisy(const std::string& kind) {
  return kind == "exception" || kind == "worker_exception" || kind == "console_error" || kind == "console_warning" ||
         kind == "request_failed" || kind == "dialog" || kind == "navigation";
}

Json to_json(const HealthEvent& event, std::int64_t seq, double now) {
  Json out = {{"seq", seq},
              {"t_ms", std::round(now * 10) / 10},
              {"kind", event.kind},
              {"message", truncate_text(event.message, kMessageLimit)}};
  if (!event.url.empty()) out["url"] = truncate_text(event.url, kMessageLimit);
  if (event.line > 0) out["line"] = event.line;
  Json detail = event.detail.empty() ? Json::object() : Json::parse(event.detail, nullptr, false);
  out["detail"] = detail.is_object() ? std::move(detail) : Json::object();
  return out;
}

}  // namespace

void EventRing::push(HealthEvent event) {
  const double now = loop_.now_ms();
  ++counts_[event.kind];
  if (is_noisy(event.kind) && is_repeat(event, now)) {
    ++dropped_;
    return;
  }
  auto json = std::make_shared<const Json>(to_json(event, ++last_seq_, now));
  keep({last_seq_, event.kind, json});
  for (auto it = waiters_.begin(); it != waiters_.end();) {
    Waiter& waiter = it->second;
    if (last_seq_ <= waiter.after || (!waiter.kind.empty() && waiter.kind != event.kind)) {
      ++it;
      continue;
    }
    loop_.cancel(waiter.timer);
    loop_.post([done = std::move(waiter.done), json] { done(Json(*json)); });
    it = waiters_.erase(it);
  }
}

void EventRing::count_only(const std::string& kind) {
  ++counts_[kind];
  ++dropped_;
}

bool EventRing::is_repeat(const HealthEvent& event, double now) {
  if (repeats_.size() >= kDistinctLimit) repeats_.clear();
  const std::size_t key = std::hash<std::string>{}(event.kind + '\n' + event.url + '\n' + std::to_string(event.line) +
                                                   '\n' + event.message.substr(0, 512));
  Repeats& repeats = repeats_[key];
  if (++repeats.count > kRepeatsKept && now - repeats.kept_ms < 1000) return true;
  repeats.kept_ms = now;
  return false;
}

void EventRing::keep(Entry entry) {
  const bool noisy = is_noisy(entry.kind);
  auto& queue = noisy ? noisy_ : rare_;
  queue.push_back(std::move(entry));
  if (queue.size() <= (noisy ? kNoisyLimit : kRareLimit)) return;
  queue.pop_front();
  ++dropped_;
}

Json EventRing::after(std::int64_t seq) const {
  Json out = Json::array();
  auto noisy = noisy_.begin();
  auto rare = rare_.begin();
  while (noisy != noisy_.end() || rare != rare_.end()) {
    const bool take_noisy = rare == rare_.end() || (noisy != noisy_.end() && noisy->seq < rare->seq);
    const Entry& entry = take_noisy ? *noisy++ : *rare++;
    if (entry.seq > seq) out.push_back(*entry.event);
  }
  return out;
}

const EventRing::Entry* EventRing::first_after(std::int64_t seq, const std::string& kind) const {
  const Entry* first = nullptr;
  for (const auto* queue : {&noisy_, &rare_}) {
    for (const Entry& entry : *queue) {
      if (entry.seq <= seq || (!kind.empty() && entry.kind != kind)) continue;
      if (!first || entry.seq < first->seq) first = &entry;
      break;
    }
  }
  return first;
}

void EventRing::wait(std::int64_t after, std::string kind, int timeout_ms, Callback<Json> done) {
  if (const Entry* entry = first_after(after, kind)) {
    loop_.post([done = std::move(done), event = entry->event] { done(Json(*event)); });
    return;
  }
  const int id = next_waiter_++;
  const auto timer = loop_.after(std::chrono::milliseconds(std::max(0, timeout_ms)), [this, id, timeout_ms] {
    const auto found = waiters_.find(id);
    if (found == waiters_.end()) return;
    Waiter waiter = std::move(found->second);
    waiters_.erase(found);
    const std::string what = waiter.kind.empty() ? "event" : waiter.kind + " event";
    waiter.done(Error{ErrorKind::timeout, "no " + what + " within " + std::to_string(timeout_ms) + " ms",
                      "page:next_event", ""});
  });
  waiters_.emplace(id, Waiter{after, std::move(kind), std::move(done), timer});
}

void EventRing::close(const Error& error) {
  auto waiters = std::move(waiters_);
  waiters_.clear();
  for (auto& [id, waiter] : waiters) {
    loop_.cancel(waiter.timer);
    loop_.post([done = std::move(waiter.done), error] { done(error); });
  }
}

}  // namespace qa
