#pragma once
// EventRing: the health events of one page, bounded whatever the page does. Rare kinds (crash, hang, redirect ...) have
// room of their own, so that a noisy page cannot push them out. Loop thread only.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_map>

#include "host/error.h"
#include "host/event_loop.h"

namespace qa {

/// One thing that went wrong, before it gets its number and time.
struct HealthEvent {
  std::string kind, message, url;
  int line = 0;             ///< From 1; 0 when unknown.
  std::string detail = "";  ///< JSON object text, or empty.
};

class EventRing {
 public:
  explicit EventRing(EventLoop& loop) : loop_(loop) {}

  /// Counts the event and keeps it, unless the same one is repeated faster than once a second.
  void push(HealthEvent event);
  /// Counts an event whose text is not worth keeping.
  void count_only(const std::string& kind);
  /// Events with seq > after, oldest first: an array.
  nlohmann::json after(std::int64_t seq) const;
  /// See HealthMonitor::next_event.
  void wait(std::int64_t after, std::string kind, int timeout_ms, Callback<nlohmann::json> done);
  /// Fails everybody who waits.
  void close(const Error& error);

  const std::map<std::string, std::int64_t>& counts() const { return counts_; }
  std::int64_t last_seq() const { return last_seq_; }
  std::int64_t dropped() const { return dropped_; }

 private:
  struct Entry {
    std::int64_t seq;
    std::string kind;
    std::shared_ptr<const nlohmann::json> event;
  };
  struct Waiter {
    std::int64_t after;
    std::string kind;
    Callback<nlohmann::json> done;
    EventLoop::TimerId timer;
  };
  struct Repeats {
    int count = 0;
    double kept_ms = 0;
  };

  bool is_repeat(const HealthEvent& event, double now);
  void keep(Entry entry);
  const Entry* first_after(std::int64_t seq, const std::string& kind) const;

  EventLoop& loop_;
  std::deque<Entry> noisy_, rare_;
  std::map<std::string, std::int64_t> counts_;
  std::unordered_map<std::size_t, Repeats> repeats_;
  std::map<int, Waiter> waiters_;
  std::int64_t last_seq_ = 0, dropped_ = 0;
  int next_waiter_ = 1;
};

}  // namespace qa
