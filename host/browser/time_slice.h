#pragma once
// ShortTimeSlice: while it lives, what this thread starts is scheduled in the shortest time slices that the kernel has.
//
// A frame drawn in software is handed between several threads dozens of times, and beside busy programs each of them
// waits for a slice of theirs to end. Since Linux 6.12 any thread may ask for shorter slices; of those that wait the
// one whose slice ends first comes first: the same share of the processor with less waiting. Older kernels ignore it.
// Source: https://docs.kernel.org/scheduler/sched-eevdf.html; sched_runtime of sched_setattr(2) is the slice.

#include <cstdint>

namespace qa {

class ShortTimeSlice {
 public:
  ShortTimeSlice();
  ~ShortTimeSlice();
  ShortTimeSlice(const ShortTimeSlice&) = delete;
  ShortTimeSlice& operator=(const ShortTimeSlice&) = delete;

 private:
  std::uint64_t usual_ns_ = 0;  ///< 0: nothing was changed.
};

/// The time slice of a process's first thread, 0 for the calling thread, in nanoseconds. 0 where the kernel does not
/// tell, or that thread is scheduled by another policy than the usual one (SCHED_OTHER).
std::uint64_t time_slice_ns(int pid);

}  // namespace qa
