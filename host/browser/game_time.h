#pragma once
// GameTime: what the parts of a page on game time need of its clock: inputs are held and paced in it, and watchers step
// by it. Made by Page from GameClock.

#include <functional>

namespace qa {

struct GameTime {
  int least_hold_ms = 0;  ///< Of what is pressed, and between characters that are typed.
  std::function<double()> now_ms;
  /// Lets `ms` pass, 0 included: then only what the page has begun is waited for. `is_seen`: the last frame is looked
  /// at.
  std::function<void(double ms, bool is_seen, std::function<void()> then)> pause;
  /// Runs what moves the page when nothing else does; it calls `end` when it has.
  std::function<void(std::function<void(std::function<void()> end)>)> take_turn;
  /// Time goes on by itself.
  std::function<bool()> is_thawed;
};

}  // namespace qa
