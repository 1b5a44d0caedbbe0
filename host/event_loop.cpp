#include "host/event_loop.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <optional>
#include <unordered_map>

namespace qa {
namespace asio = boost::asio;

struct EventLoop::State {
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard{io.get_executor()};
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::unordered_map<TimerId, std::unique_ptr<asio::steady_timer>> timers;
  TimerId next_timer = 1;

  int pool_threads = 0;
  std::optional<asio::thread_pool> pool;  ///< Goes first: drops what has not begun, and waits for what has.
};

EventLoop::EventLoop(int pool_threads) : state_(std::make_unique<State>()) { state_->pool_threads = pool_threads; }

EventLoop::~EventLoop() = default;

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
  // Threads start with the first job: a script that never decodes pays nothing.
  if (!state_->pool) state_->pool.emplace(state_->pool_threads);
  asio::post(*state_->pool, [&io = state_->io, job = std::move(job), done = std::move(done)]() mutable {
    job();
    // What the job captured is let go before `done` can run, so that nothing of it dies on this thread meanwhile.
    job = nullptr;
    asio::post(io, std::move(done));
  });
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
