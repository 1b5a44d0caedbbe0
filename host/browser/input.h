#pragma once
// Input: mouse, wheel, drag, touch and keys of one page, through CDP's Input
// domain. Every press is paired with a release on every path: when an operation
// is cut short (timeout, close, cancelled task) the host still releases. Loop thread only.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/browser/cdp_connection.h"
#include "host/browser/game_time.h"
#include "host/error.h"

namespace qa {

struct Point {
  double x = 0, y = 0;  ///< CSS pixels of the top-level viewport.
};

struct ClickOptions {
  std::string button = "left";         ///< left, middle, right.
  int count = 1;                       ///< 2 is a double click.
  int hold_ms = 0;                     ///< Between press and release.
  std::vector<std::string> modifiers;  ///< Key names: Shift, Control, Alt, Meta.
};

struct DragOptions {
  int steps = 12;    ///< Mouse moves between the ends.
  int hold_ms = 40;  ///< Held at the start before moving and at the end before releasing.
  int duration_ms = 200;
};

struct TouchOptions {
  int hold_ms = 0;               ///< Held before moving, or before lifting where there is no path.
  std::vector<Point> path = {};  ///< Where one finger goes from its point on, straight from each to the next.
  int steps = 6;                 ///< Touch moves on each of these ways.
  int duration_ms = 96;          ///< Of each way.
};

struct PressOptions {
  int hold_ms = 0;  ///< Each key stays down this long.
  int count = 1;    ///< Burst: presses one after the other.
  int gap_ms = 0;   ///< Between presses of a burst.
};

struct InputState;

class Input {
 public:
  /// Why an operation cannot start now, or why one has failed, as far as the page knows.
  using Refusal = std::function<std::optional<Error>(const std::string& op)>;

  /// Of the page behind `session`, whose Input.dragIntercepted events must be passed to on_event, as must
  /// Page.javascriptDialogOpening, which may arrive instead of the reply to a press.
  Input(EventLoop& loop, std::shared_ptr<CdpConnection> cdp, std::string session);
  /// From now on refuses at once what a crashed, closed or lost page would never answer, and names that state when it
  /// begins under an operation. The operations under way keep `page` alive, and with it what `refusal` needs.
  void guard(std::weak_ptr<void> page, Refusal refusal);
  /// Inputs go by this time instead of the loop's, one after the other.
  void use_time(GameTime time);

  void move(Point to, int steps, Callback<Unit> done);
  void click(Point at, ClickOptions options, Callback<Unit> done);
  void wheel(Point at, double dx, double dy, Callback<Unit> done);
  /// Mouse drag; where the page starts an HTML5 drag, the intercepted drag events are sent instead of moves.
  void drag(Point from, Point to, DragOptions options, Callback<Unit> done);
  /// Fingers down at all points, held, along the path, and up. Only one finger has a path (else type_mismatch).
  void touch(std::vector<Point> points, TouchOptions options, Callback<Unit> done);
  /// A key or a chord ("Control", "a"): pressed in order, held, released in reverse. Names: KeyboardEvent.code
  /// ("KeyW", "Space"), KeyboardEvent.key ("w", "Enter", " "), or the aliases of keymap.h. Unknown: type_mismatch.
  void press(std::vector<std::string> keys, PressOptions options, Callback<Unit> done);
  /// Types text; characters without a key are inserted.
  void type(std::string text, int gap_ms, Callback<Unit> done);
  /// Releases whatever is down. Called by the page at close and by the host when a task ends early.
  void release_all(Callback<Unit> done);
  void on_event(std::string_view method, const nlohmann::json& params);

 private:
  int held_ms(int ms) const;
  /// The completion to pass on, or null when the operation was refused.
  Callback<Unit> checked(const char* op, Callback<Unit> done) const;

  std::shared_ptr<InputState> state_;
  std::weak_ptr<void> page_;
  Refusal refusal_;
};

}  // namespace qa
