#include "host/event_loop.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <thread>
#include <vector>

using qa::EventLoop;
using namespace std::chrono_literals;

TEST_CASE("posted work runs in order, after the poster returns", "[event_loop]") {
  EventLoop loop;
  std::vector<int> order;
  loop.post([&] {
    loop.post([&] {
      order.push_back(2);
      loop.stop();
    });
    order.push_back(1);
  });
  loop.run();
  CHECK(order == std::vector<int>{1, 2});
}

TEST_CASE("timers run by time, not by order of creation", "[event_loop]") {
  EventLoop loop;
  std::vector<int> order;
  const double start = loop.now_ms();
  loop.after(40ms, [&] {
    order.push_back(2);
    loop.stop();
  });
  loop.after(5ms, [&] { order.push_back(1); });
  loop.run();
  CHECK(order == std::vector<int>{1, 2});
  CHECK(loop.now_ms() - start >= 40);
}

TEST_CASE("a cancelled timer does not run, not even when it is already due", "[event_loop]") {
  EventLoop loop;
  int ran = 0;
  EventLoop::TimerId first = 0, second = 0, later = 0;
  loop.post([&] {
    // Both expire while the loop is busy, so the handler of each is queued when the first one cancels the other.
    first = loop.after(1ms, [&] {
      ++ran;
      loop.cancel(second);
      loop.cancel(later);
      loop.cancel(987654);
      loop.after(30ms, [&] { loop.stop(); });
    });
    second = loop.after(1ms, [&] { ran += 10; });
    later = loop.after(10ms, [&] { ran += 100; });
    const double due = loop.now_ms() + 3;
    while (loop.now_ms() < due) std::this_thread::yield();
    CHECK(second == first + 1);
  });
  loop.run();
  CHECK(ran == 1);
}

TEST_CASE("a timer may cancel itself and others", "[event_loop]") {
  EventLoop loop;
  int runs = 0;
  EventLoop::TimerId self = 0, other = 0;
  other = loop.after(20ms, [&] { runs += 100; });
  self = loop.after(1ms, [&] {
    ++runs;
    loop.cancel(self);
    loop.cancel(other);
    loop.after(40ms, [&] { loop.stop(); });
  });
  loop.run();
  CHECK(runs == 1);
}

TEST_CASE("jobs run off the loop thread and report on it", "[event_loop]") {
  EventLoop loop;
  const auto loop_thread = std::this_thread::get_id();
  std::thread::id job_thread, done_thread;
  loop.compute([&] { job_thread = std::this_thread::get_id(); },
               [&] {
                 done_thread = std::this_thread::get_id();
                 loop.stop();
               });
  loop.run();
  CHECK(job_thread != loop_thread);
  CHECK(job_thread != std::thread::id());
  CHECK(done_thread == loop_thread);
}

TEST_CASE("what a job holds is gone when its completion runs", "[event_loop]") {
  // Slow to die, so that a completion that does not wait for it is seen.
  struct Held {
    std::atomic<bool>& is_gone;
    ~Held() {
      std::this_thread::sleep_for(20ms);
      is_gone = true;
    }
  };
  std::atomic<bool> is_gone = false;
  bool was_gone = false;
  EventLoop loop;
  loop.compute([held = std::shared_ptr<Held>(new Held{is_gone})] { static_cast<void>(held); },
               [&] {
                 was_gone = is_gone;
                 loop.stop();
               });
  loop.run();
  CHECK(was_gone);
}

TEST_CASE("every job completes once, though many wait", "[event_loop]") {
  EventLoop loop;
  std::atomic<int> jobs = 0;
  int done = 0;
  for (int i = 0; i < 200; ++i) {
    loop.compute([&] { ++jobs; },
                 [&] {
                   if (++done == 200) loop.stop();
                 });
  }
  loop.run();
  CHECK(jobs == 200);
  CHECK(done == 200);
}

TEST_CASE("another thread can post and stop", "[event_loop]") {
  EventLoop loop;
  bool posted = false;
  std::thread other([&] {
    loop.post([&] { posted = true; });
    loop.post([&] { loop.stop(); });
  });
  loop.run();
  other.join();
  CHECK(posted);
}

TEST_CASE("a stopped loop can run again, and a stop before running counts", "[event_loop]") {
  EventLoop loop;
  int runs = 0;
  for (int round = 0; round < 2; ++round) {
    loop.post([&] {
      ++runs;
      loop.stop();
    });
    loop.run();
  }
  CHECK(runs == 2);
  loop.stop();
  loop.post([&] { ++runs; });
  loop.run();
  CHECK(runs == 2);
}

TEST_CASE("a loop ends with timers and jobs still open", "[event_loop]") {
  std::atomic<int> jobs = 0;
  bool completed = false;
  {
    EventLoop loop;
    loop.after(1h, [&] { completed = true; });
    loop.post([&] { completed = true; });
    for (int i = 0; i < 20; ++i) loop.compute([&] { ++jobs; }, [&] { completed = true; });
  }
  CHECK_FALSE(completed);
  CHECK(jobs <= 20);
}
