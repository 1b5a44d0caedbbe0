#pragma once
// EventLoop: the one thread that runs all I/O and all Lua, and a small pool
// for CPU work (decode, diff, encode, large JSON).
//
//   any thread --post()--> [ loop thread: I/O, timers, completions, Lua ]
//                              |  compute(job, done)      ^
//                              v                          | done
//                          [ pool: 2 threads, FIFO ] -----+
//
// Only the owner of the process (main, or an embedder) calls run(); nothing
// pumps the loop from inside a completion.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace qa {

class EventLoop {
 public:
  using TimerId = std::uint64_t;

  explicit EventLoop(int pool_threads = 2);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  boost::asio::io_context& io();

  /// Runs `fn` on the loop thread, after the current handler. Any thread may call.
  void post(std::function<void()> fn);

  /// Runs `fn` on the loop thread once, `delay` from now. Loop thread only.
  TimerId after(std::chrono::milliseconds delay, std::function<void()> fn);

  /// Forgets a timer; its function will not run. Unknown ids are ignored.
  void cancel(TimerId id);

  /// Runs `job` on the pool, then `done` on the loop thread. `job` must not throw.
  void compute(std::function<void()> job, std::function<void()> done);

  /// Runs handlers until stop().
  void run();
  void stop();

  /// Milliseconds since construction, steady clock.
  double now_ms() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace qa
