#include "host/browser/time_slice.h"

#include <linux/sched.h>
#include <linux/sched/types.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <optional>

namespace qa {
namespace {

constexpr std::uint64_t kShortestNs = 100'000;  ///< The kernel takes 0.1 to 100 ms.

std::optional<sched_attr> usual_scheduling(int pid) {
  sched_attr scheduling{};
  if (::syscall(SYS_sched_getattr, pid, &scheduling, sizeof scheduling, 0) != 0) return std::nullopt;
  if (scheduling.sched_policy != SCHED_NORMAL) return std::nullopt;
  return scheduling;
}

bool set_time_slice(std::uint64_t ns) {
  auto scheduling = usual_scheduling(0);
  if (!scheduling) return false;
  scheduling->sched_runtime = ns;
  return ::syscall(SYS_sched_setattr, 0, &*scheduling, 0) == 0;
}

}  // namespace

std::uint64_t time_slice_ns(int pid) {
  const auto scheduling = usual_scheduling(pid);
  return scheduling ? scheduling->sched_runtime : 0;
}

ShortTimeSlice::ShortTimeSlice() {
  const std::uint64_t usual = time_slice_ns(0);
  if (usual > kShortestNs && set_time_slice(kShortestNs)) usual_ns_ = usual;
}

ShortTimeSlice::~ShortTimeSlice() {
  if (usual_ns_ != 0) set_time_slice(usual_ns_);
}

}  // namespace qa
