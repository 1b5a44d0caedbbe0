#include "host/event_loop.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace qa {
namespace asio = boost::asio;

struct EventLoop::State {
  struct Job {
    std::function<void()> work;
    std::function<void()> done;
  };

  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard{io.get_executor()};
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::unordered_map<TimerId, std::unique_ptr<asio::steady_timer>> timers;
  TimerId next_timer = 1;

  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Job> jobs;
  bool stopping = false;
  int pool_size = 0;
  std::vector<std::thread> pool;

  void work() {
    for (;;) {
      Job job;
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [this] { return stopping || !jobs.empty(); });
        if (stopping) return;
        job = std::move(jobs.front());
        jobs.pop_front();
      }
      job.work();
      // What the job captured is let go before `done` can run, so that nothing of it dies on this thread meanwhile.
      job.work = nullptr;
      asio::post(io, std::move(job.done));
    }
  }
};

EventLoop::EventLoop(int pool_threads) : state_(std::make_unique<State>()) { state_->pool_size = pool_threads; }

EventLoop::~EventLoop() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.notify_all();
  for (auto& thread : state_->pool) thread.join();
}

asio::io_context& EventLoop::io() { return state_->io; }

void EventLoop::post(std::function<void()> fn) { asio::post(state_->io, std::move(fn)); }

EventLoop::TimerId EventLoop::after(std::chrono::milliseconds delay, std::function<void()> fn) {
  const TimerId id = state_->next_timer++;
  auto timer = std::make_unique<asio::steady_timer>(state_->io, delay);
  timer->async_wait([this, id, fn = std::move(fn)](const boost::system::error_code& failed) {
    if (failed || state_->timers.erase(id) == 0) return;
    fn();
  });
  state_->timers.emplace(id, std::move(timer));
  return id;
}

void EventLoop::cancel(TimerId id) { state_->timers.erase(id); }

void EventLoop::compute(std::function<void()> job, std::function<void()> done) {
  {
    std::lock_guard lock(state_->mutex);
    // Threads start with the first job: a script that never decodes pays nothing.
    if (static_cast<int>(state_->pool.size()) < state_->pool_size) {
      state_->pool.emplace_back([state = state_.get()] { state->work(); });
    }
    state_->jobs.push_back({std::move(job), std::move(done)});
  }
  state_->wake.notify_one();
}

void EventLoop::run() {
  state_->io.run();
  state_->io.restart();  // So that the loop can run again; a stop() that came before run() still counts.
}

void EventLoop::stop() { state_->io.stop(); }

double EventLoop::now_ms() const {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - state_->start).count();
}

}  // namespace qa
