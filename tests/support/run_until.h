#pragma once
// Runs an event loop in a test until something has happened, without fixed sleeps.

#include <boost/asio/io_context.hpp>
#include <chrono>

#include "host/event_loop.h"

namespace qa::test {

/// False when `happened` was still false after limit_ms.
template <class Predicate>
bool run_until(EventLoop& loop, Predicate happened, int limit_ms = 10000) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(limit_ms);
  while (!happened()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    loop.io().run_one_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace qa::test
