#include "host/service/service_metrics.h"

#include <fmt/format.h>

namespace qa {
namespace {

void add_head(std::string& text, const char* name, const char* type, const char* help) {
  text += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

}  // namespace

void ServiceMetrics::ended(const RunRecord& record) {
  const auto status = record.has_report() && record.exit_code ? status_name(*record.exit_code) : "none";
  ++runs_[fmt::format("state=\"{}\",status=\"{}\"", state_name(record.state), status)];
  if (record.started_ms == 0) return;
  const double seconds = static_cast<double>(record.ended_ms - record.started_ms) / 1000;
  for (std::size_t i = 0; i < kSeconds.size(); ++i) at_most_.at(i) += seconds <= kSeconds.at(i);
  ++timed_;
  seconds_ += seconds;
}

std::string ServiceMetrics::text(std::size_t queued, std::size_t running) const {
  std::string text;
  add_head(text, "qa_host_runs_total", "counter", "Runs that ended, by state and verdict.");
  for (const auto& [labels, count] : runs_) text += fmt::format("qa_host_runs_total{{{}}} {}\n", labels, count);
  add_head(text, "qa_host_runs_queued", "gauge", "Runs that wait.");
  text += fmt::format("qa_host_runs_queued {}\n", queued);
  add_head(text, "qa_host_runs_running", "gauge", "Runs that play.");
  text += fmt::format("qa_host_runs_running {}\n", running);
  add_head(text, "qa_host_run_duration_seconds", "histogram", "From the start of a run to its end.");
  for (std::size_t i = 0; i < kSeconds.size(); ++i) {
    text += fmt::format("qa_host_run_duration_seconds_bucket{{le=\"{}\"}} {}\n", kSeconds.at(i), at_most_.at(i));
  }
  text += fmt::format("qa_host_run_duration_seconds_bucket{{le=\"+Inf\"}} {}\n", timed_);
  text += fmt::format("qa_host_run_duration_seconds_sum {}\nqa_host_run_duration_seconds_count {}\n", seconds_, timed_);
  add_head(text, "qa_host_http_requests_total", "counter", "Requests, by status of the answer.");
  for (const auto& [code, count] : answers_) {
    text += fmt::format("qa_host_http_requests_total{{code=\"{}\"}} {}\n", code, count);
  }
  add_head(text, "qa_host_webhooks_total", "counter", "Webhooks, by what became of them.");
  text += fmt::format("qa_host_webhooks_total{{outcome=\"delivered\"}} {}\n", webhooks_ok_);
  return text + fmt::format("qa_host_webhooks_total{{outcome=\"failed\"}} {}\n", webhooks_failed_);
}

}  // namespace qa
