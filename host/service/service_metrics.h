#pragma once
// ServiceMetrics: counters of the service in Prometheus' text format (version 0.0.4). Loop thread only.

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "host/service/run_record.h"

namespace qa {

class ServiceMetrics {
 public:
  void answered(int status) { ++answers_[status]; }
  void ended(const RunRecord& record);
  void delivered(bool ok) { ++(ok ? webhooks_ok_ : webhooks_failed_); }

  std::string text(std::size_t queued, std::size_t running) const;

 private:
  static constexpr std::array<int, 6> kSeconds = {5, 10, 30, 60, 120, 240};
  std::map<int, std::uint64_t> answers_;
  std::map<std::string, std::uint64_t> runs_;  ///< By labels.
  std::array<std::uint64_t, kSeconds.size()> at_most_{};
  std::uint64_t timed_ = 0, webhooks_ok_ = 0, webhooks_failed_ = 0;
  double seconds_ = 0;
};

}  // namespace qa
