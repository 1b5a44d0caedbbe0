#pragma once
// Health: what went wrong on a page, from CDP events alone and from before the first navigation.
// Events are kept in a ring (1,000) with counters, so that a flood costs
// bounded memory. Text is page text: callers escape it before showing it.
// Loop thread only.

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/error.h"

namespace qa {

struct HealthLimits {
  int beat_ms = 1000,
      hang_ms = 6000;          ///< How often the renderer is asked for a sign of life; how long it may be silent.
  int grace_extensions = 3;    ///< How often it is given hang_ms more while it waits for a processor.
  int reload_loop_loads = 4;   ///< More loads of one address than this, by the page itself ...
  int reload_loop_ms = 10000;  ///< ... within this time are a reload loop.
};

class Health {
 public:
  virtual ~Health() = default;

  /// {counts{kind: n}, requests_in_flight, network_idle_ms, loading: bool, navigations, dialogs, crashed, hung,
  ///  webgl_lost, dropped_events, main_status, main_url, last_seq}
  virtual nlohmann::json summary() const = 0;

  /// Events with seq > after, oldest first: {seq, t_ms, kind, message, url?, line?, detail{}}. Kinds: exception
  /// console_error console_warning request_failed dialog dialog_storm crash hang webgl_lost redirect navigation
  /// reload_loop popup worker_exception download. The detail of a hang says which process worked while the page was
  /// silent, in processors: {renderer_cpu, gpu_cpu} (a script that does not end, or a picture that takes long).
  virtual nlohmann::json events_after(std::int64_t after) const = 0;

  /// The next event with seq > after and of this kind ("" for any), waiting at most timeout_ms (error timeout).
  virtual void next_event(std::int64_t after, std::string kind, int timeout_ms, Callback<nlohmann::json> done) = 0;
};

}  // namespace qa
