#include "host/browser/scene.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <nlohmann/json.hpp>

#include "host/browser/cdp_reply.h"
#include "host/browser/json_fields.h"
#include "host/browser/scene_cast.h"

namespace qa {
namespace {

using std::chrono::milliseconds;

constexpr int kMoveThreshold = 6;
constexpr int kPictureMs = 5000;
constexpr double kLookMs = 50;     ///< From picture to picture on game time: three frames, as long as a key is held.
constexpr double kSameMs = 0.001;  ///< Frames do not add up exactly.
constexpr int kGuardMs = 4000;     ///< A renderer that takes longer to make kMostFrames is held up.
/// How long a frame that was made may be on its way to us, on an idle machine; see drain_of.
constexpr milliseconds kDrain{25};
/// Quiet frames of a renderer that is held up say nothing: it must make frames of its own first, as many as fit into
/// the quiet at 60 a second before the last of them is here, from two to four. They are asked for as long before the
/// quiet is over as all that takes.
constexpr double kFrameMs = 15;
constexpr int kLeastFrames = 2, kMostFrames = 4;
/// Frames that take so many times their time tell of a busy machine: few of them say nothing yet.
constexpr double kBusy = 1.5, kMostDrain = 10, kFullFrameMs = 1000.0 / 60;

milliseconds whole_ms(double ms) { return milliseconds(static_cast<int>(std::ceil(std::max(0.0, ms)))); }

int guard_frames(int quiet_ms) {
  const double made_in = quiet_ms - static_cast<double>(kDrain.count());
  return std::clamp(static_cast<int>(made_in / kFrameMs), kLeastFrames, kMostFrames);
}

/// On a busy machine a frame is on its way for longer: as many times as frames took longer to make, and as long as
/// others were on their way of late.
milliseconds drain_of(double took_ms, int frames, double lag_ms) {
  const double slowness = std::clamp(took_ms / (frames * kFullFrameMs), 1.0, kMostDrain);
  return whole_ms(std::max(static_cast<double>(kDrain.count()) * slowness, lag_ms));
}

std::string guard_call(int frames, const std::string& context) {
  Json call = {{"awaitPromise", true},
               {"expression", "new Promise(done => { let left = " + std::to_string(frames) +
                                  "; const tick = () => --left > 0 ? requestAnimationFrame(tick) : done(true); "
                                  "requestAnimationFrame(tick) })"}};
  if (!context.empty()) call["uniqueContextId"] = context;
  return dump_json(call);
}

/// Does a cell of two grids of one size differ by more than kMoveThreshold in any plane?
bool differs(const std::string& a, const std::string& b, std::size_t cell) {
  for (std::size_t i = cell; i < a.size(); i += kSceneCells) {
    if (std::abs(static_cast<unsigned char>(a[i]) - static_cast<unsigned char>(b[i])) > kMoveThreshold) return true;
  }
  return false;
}

/// Share of cells that differ.
double changed_share(const std::string& a, const std::string& b) {
  int changed = 0;
  for (std::size_t cell = 0; cell < kSceneCells; ++cell) changed += differs(a, b, cell);
  return static_cast<double>(changed) / kSceneCells;
}

}  // namespace

struct Scene::State : std::enable_shared_from_this<Scene::State> {
  /// One call of settle or watch. It ends exactly once, by finish() or fail().
  struct Watcher {
    bool is_stepped = false;         ///< It goes by game time, as all times of it.
    std::function<void()> end_turn;  ///< While it moves the page, or looks at it.
    double start_ms = 0, end_ms = 0;
    EventLoop::TimerId end_timer = 0, quiet_timer = 0;
    bool past_end = false;
    // settle
    Callback<SettleResult> settled;
    SettleOptions options;
    SettleResult settle;
    std::string reference;   ///< The grid of the last counted change.
    double quiet_from = -1;  ///< Quiet is counted from here; -1 before the first grid.
    int guard = 0;           ///< Grows with each change, so that a guard knows it is out of date.
    int pictured = -1;       ///< The guard whose picture was asked for last.
    bool picturing = false;  ///< That picture is under way.
    bool spoiled = false;    ///< A change came while a picture was: the next one is taken later.
    bool rests = false;      ///< The quiet is confirmed, and only the picture is waited for.
    double quiet_until() const { return std::max(quiet_from + options.quiet_ms, start_ms + options.min_ms); }
    // watch
    Callback<WatchResult> watched;
    // both: the window that is seen; that of settle begins anew with each counted change
    WatchResult watch;
    double watch_from_ms = 0;
  };
  using WatcherPtr = std::shared_ptr<Watcher>;

  State(EventLoop& event_loop, std::shared_ptr<CdpConnection> connection, std::string session_id,
        std::shared_ptr<CaptureQueue> captures_of_page, std::function<std::string()> host_context_of_page)
      : loop(event_loop),
        cdp(connection),
        session(session_id),
        captures(captures_of_page),
        host_context(std::move(host_context_of_page)),
        cast(std::make_shared<SceneCast>(event_loop, std::move(connection), std::move(session_id),
                                         std::move(captures_of_page))) {}

  EventLoop& loop;
  std::shared_ptr<CdpConnection> cdp;
  const std::string session;
  const std::shared_ptr<CaptureQueue> captures;
  const std::function<std::string()> host_context;
  std::shared_ptr<SceneCast> cast;
  std::list<WatcherPtr> watchers;
  std::optional<GameTime> time;

  double now_ms(const Watcher& watcher) const { return watcher.is_stepped ? time->now_ms() : loop.now_ms(); }

  bool active(const WatcherPtr& watcher) const {
    return std::find(watchers.begin(), watchers.end(), watcher) != watchers.end();
  }

  void add(const WatcherPtr& watcher, int ms) {
    watcher->is_stepped = time && !time->is_thawed();
    watcher->start_ms = watcher->watch_from_ms = now_ms(*watcher);
    watcher->end_ms = watcher->start_ms + ms;
    watchers.push_back(watcher);
    if (watcher->is_stepped) return look(watcher, 0);
    cast->start();
    if (!cast->last_grid().empty()) see(watcher, cast->last_grid(), watcher->start_ms, false);
    watcher->end_timer = loop.after(milliseconds(ms), [weak = weak_from_this(), watcher] {
      if (auto self = weak.lock()) self->at_end(watcher);
    });
  }

  /// In a turn, so that no other task moves the page between the step and its picture.
  void look(const WatcherPtr& watcher, double after_ms) {
    time->take_turn([weak = weak_from_this(), watcher, after_ms](std::function<void()> end) {
      const auto self = weak.lock();
      if (!self || !self->active(watcher)) return end();
      watcher->end_turn = std::move(end);
      const double least_ms = self->time->now_ms() + after_ms / 2;
      self->time->pause(after_ms, true, [weak, watcher, least_ms] {
        const auto state = weak.lock();
        if (!state || !state->active(watcher)) return;
        if (state->time->now_ms() < least_ms) {
          return state->fail({ErrorKind::clock_unavailable, "the page's clock does not move", "", ""});
        }
        state->cast->picture([weak, watcher](Result<std::string> grid) {
          const auto scene = weak.lock();
          if (!scene || !scene->active(watcher)) return;
          grid ? scene->looked(watcher, *grid) : scene->fail(grid.error());
        });
      });
    });
  }

  void looked(const WatcherPtr& watcher, const std::string& grid) {
    const double now = time->now_ms();
    see(watcher, grid, now, true);
    if (watcher->settled && now >= watcher->quiet_until() - kSameMs) {
      watcher->rests = true;
      take_picture(watcher);
      if (!watcher->picturing) finish(watcher, true);
    } else if (now >= watcher->end_ms - kSameMs) {
      finish(watcher, false);
    } else {
      end_turn(*watcher);
      look(watcher, std::min(kLookMs, watcher->end_ms - now));
    }
  }

  static void end_turn(Watcher& watcher) {
    if (const auto end = std::exchange(watcher.end_turn, nullptr)) end();
  }

  void remove(const WatcherPtr& watcher) {
    end_turn(*watcher);
    loop.cancel(watcher->end_timer);
    loop.cancel(watcher->quiet_timer);
    watchers.remove(watcher);
    if (watchers.empty()) cast->stop_soon();
  }

  void on_grid(const std::string& grid, double at_ms) {
    const auto all = watchers;  // see() may end any of them: who waited may close the page.
    for (const WatcherPtr& watcher : all) {
      if (active(watcher) && !watcher->is_stepped) see(watcher, grid, at_ms, true);
    }
  }

  void see(const WatcherPtr& watcher, const std::string& grid, double at_ms, bool is_frame) {
    if (watcher->settled) {
      watcher->settle.frames += is_frame;
      see_settle(watcher, grid, at_ms, is_frame);
      return;
    }
    // A frame that came after the end belongs to the next window, unless there is no picture at all yet.
    const bool belongs = at_ms <= watcher->end_ms + kSameMs || watcher->watch.first.empty();
    if (belongs) watcher->watch.frames += is_frame;
    if (belongs) see_watch(*watcher, grid, at_ms);
    if (watcher->past_end && (!belongs || !cast->decoding() || at_ms > watcher->end_ms)) finish(watcher, false);
  }

  static void see_watch(Watcher& watcher, const std::string& grid, double at_ms) {
    WatchResult& seen = watcher.watch;
    if (seen.first.empty()) {
      seen.first = seen.last = seen.low = seen.high = grid;
      seen.activity.assign(kSceneCells, '\0');
      return;
    }
    bool moved = false;
    for (std::size_t i = 0; i < grid.size(); ++i) {
      const auto value = static_cast<unsigned char>(grid[i]);
      if (value < static_cast<unsigned char>(seen.low[i])) seen.low[i] = grid[i];
      if (value > static_cast<unsigned char>(seen.high[i])) seen.high[i] = grid[i];
    }
    for (std::size_t cell = 0; cell < kSceneCells; ++cell) {
      if (!differs(grid, seen.last, cell)) continue;
      moved = true;
      if (static_cast<unsigned char>(seen.activity[cell]) < 255) ++seen.activity[cell];
    }
    if (moved) seen.moved_ms = std::max(0.0, at_ms - watcher.watch_from_ms);
    seen.last = grid;
  }

  void see_settle(const WatcherPtr& watcher, const std::string& grid, double at_ms, bool is_frame) {
    const bool first = watcher->reference.empty();
    const bool counts = first || changed_share(watcher->reference, grid) > watcher->options.area;
    if (counts) {
      watcher->watch = {};
      watcher->watch_from_ms = std::max(at_ms, watcher->start_ms);
    }
    watcher->watch.frames += is_frame;
    see_watch(*watcher, grid, at_ms);
    if (!counts) return;
    watcher->reference = grid;
    watcher->quiet_from = watcher->watch_from_ms;
    ++watcher->guard;
    watcher->spoiled = watcher->spoiled || watcher->picturing;
    watcher->picturing = watcher->rests = false;
    watcher->settle.picture = nullptr;
    // A frame that had arrived before the call shows nothing that came since.
    if (!first) watcher->settle.last_change_ms = watcher->watch_from_ms - watcher->start_ms;
    if (!watcher->is_stepped) await_quiet(watcher);
  }

  void await_quiet(const WatcherPtr& watcher) {
    loop.cancel(watcher->quiet_timer);
    const double left = watcher->quiet_until() - loop.now_ms() - kFrameMs * guard_frames(watcher->options.quiet_ms) -
                        static_cast<double>(kDrain.count());
    watcher->quiet_timer = loop.after(whole_ms(left), [weak = weak_from_this(), watcher] {
      auto self = weak.lock();
      if (self && self->active(watcher)) self->confirm_quiet(watcher, guard_frames(watcher->options.quiet_ms));
    });
  }

  void confirm_quiet(const WatcherPtr& watcher, int frames) {
    const int guard = watcher->guard;
    const double asked_ms = loop.now_ms();
    // Before anything has changed, a change is likely still to come.
    const bool has_changed = watcher->settle.last_change_ms > 0;
    if (has_changed && !watcher->spoiled) take_picture(watcher);
    cdp->call(session, "Runtime.evaluate", guard_call(frames, host_context()), kGuardMs,
              [weak = weak_from_this(), watcher, guard, frames, asked_ms](const Result<CdpConnection::Reply>& reply) {
                auto self = weak.lock();
                if (!self || !self->active(watcher) || guard != watcher->guard) return;
                if (!reply || reply->result.contains("exceptionDetails")) {
                  // No frames were made (held up, navigating, a dialog): quiet is counted anew.
                  watcher->quiet_from = self->loop.now_ms();
                  return self->await_quiet(watcher);
                }
                const double took_ms = self->loop.now_ms() - asked_ms;
                if (frames < kMostFrames && took_ms > kBusy * frames * kFullFrameMs) {
                  return self->confirm_quiet(watcher, kMostFrames);
                }
                const milliseconds delay = drain_of(took_ms, frames, self->cast->lag_ms());
                watcher->settle.frame_delay_ms = static_cast<double>(delay.count());
                const double left = watcher->quiet_until() - self->loop.now_ms();
                if (watcher->settle.last_change_ms > 0) self->take_picture(watcher);
                self->await_last_frames(watcher, guard, std::max(delay, whole_ms(left)));
              });
  }

  void await_last_frames(const WatcherPtr& watcher, int guard, milliseconds wait) {
    watcher->quiet_timer = loop.after(wait, [weak = weak_from_this(), watcher, guard] {
      auto self = weak.lock();
      if (!self || !self->active(watcher) || guard != watcher->guard) return;
      // One that has arrived may still be with the pool.
      if (self->cast->decoding()) return self->await_last_frames(watcher, guard, kDrain);
      watcher->rests = true;
      self->take_picture(watcher);
      if (!watcher->picturing) self->finish(watcher, true);
    });
  }

  void take_picture(const WatcherPtr& watcher) {
    if (!watcher->options.picture || watcher->pictured == watcher->guard) return;
    const int guard = watcher->pictured = watcher->guard;
    watcher->picturing = true;
    captures->capture(kViewCapture, kPictureMs,
                      [weak = weak_from_this(), watcher, guard](Result<CdpConnection::Reply> reply) {
                        if (auto self = weak.lock()) self->keep_picture(watcher, guard, std::move(reply));
                      });
  }

  void keep_picture(const WatcherPtr& watcher, int guard, Result<CdpConnection::Reply> reply) {
    if (!active(watcher) || guard != watcher->guard) return;
    if (!reply) return end_picture(watcher, guard, nullptr);
    decode_capture(loop, std::move(reply->base64),
                   [weak = weak_from_this(), watcher, guard](Result<PicturePtr> picture) {
                     if (auto self = weak.lock()) self->end_picture(watcher, guard, picture ? *picture : nullptr);
                   });
  }

  void end_picture(const WatcherPtr& watcher, int guard, PicturePtr picture) {
    if (!active(watcher) || guard != watcher->guard) return;
    watcher->picturing = false;
    watcher->settle.picture = std::move(picture);
    if (watcher->rests) finish(watcher, true);
  }

  void at_end(const WatcherPtr& watcher) {
    watcher->past_end = true;
    if (watcher->settled) return finish(watcher, watcher->rests);
    // Frames that arrived in the window may still be with the pool, and a still page may not have been pictured yet.
    if (!watcher->watch.first.empty() && !cast->decoding()) finish(watcher, false);
  }

  void finish(const WatcherPtr& watcher, bool settled) {
    remove(watcher);
    const double ms = now_ms(*watcher) - watcher->start_ms;
    if (watcher->settled) {
      watcher->settle.settled = settled;
      if (!settled) watcher->settle.picture = nullptr;
      watcher->settle.ms = ms;
      watcher->watch.ms = now_ms(*watcher) - watcher->watch_from_ms;
      watcher->settle.quiet = std::move(watcher->watch);
      watcher->settled(std::move(watcher->settle));
    } else {
      watcher->watch.ms = ms;
      watcher->watched(std::move(watcher->watch));
    }
  }

  void fail(const Error& error) {
    for (const WatcherPtr& watcher : std::exchange(watchers, {})) {
      end_turn(*watcher);
      loop.cancel(watcher->end_timer);
      loop.cancel(watcher->quiet_timer);
      Error own = error;
      own.op = watcher->settled ? "page:settle" : "page:watch";
      loop.post([watcher, own] {
        if (watcher->settled) {
          watcher->settled(own);
        } else {
          watcher->watched(own);
        }
      });
    }
    cast->stop();
  }
};

Scene::Scene(EventLoop& loop, std::shared_ptr<CdpConnection> cdp, std::string session,
             std::shared_ptr<CaptureQueue> captures, std::function<std::string()> host_context)
    : state_(std::make_shared<State>(loop, std::move(cdp), std::move(session), std::move(captures),
                                     std::move(host_context))) {
  const std::weak_ptr<State> weak = state_;
  state_->cast->handlers(
      [weak](const std::string& grid, double at_ms) {
        if (auto state = weak.lock()) state->on_grid(grid, at_ms);
      },
      [weak](const Error& error) {
        if (auto state = weak.lock()) state->fail(error);
      });
}

Scene::~Scene() { state_->fail({ErrorKind::page_closed, "the page was closed", "", ""}); }

void Scene::use_time(GameTime time) { state_->time = std::move(time); }

void Scene::on_frame(const Json& params, std::string base64) { state_->cast->on_frame(params, std::move(base64)); }

void Scene::settle(SettleOptions options, Callback<SettleResult> done) {
  auto watcher = std::make_shared<State::Watcher>();
  watcher->settled = std::move(done);
  watcher->options = options;
  state_->add(watcher, options.max_ms);
}

void Scene::watch(int ms, Callback<WatchResult> done) {
  auto watcher = std::make_shared<State::Watcher>();
  watcher->watched = std::move(done);
  state_->add(watcher, ms);
}

void Scene::fail(const Error& error) { state_->fail(error); }

}  // namespace qa
