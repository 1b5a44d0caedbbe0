#pragma once
// Input: mouse, wheel, drag, touch and keys of one page, through CDP's Input
// domain. Every press is paired with a release on every path: when an operation
// is cut short (timeout, close, cancelled task) the host still releases. Loop thread only.

#include <memory>
#include <string>
#include <vector>

#include "host/browser/cdp_connection.h"
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

class Input {
 public:
  virtual ~Input() = default;

  virtual void move(Point to, int steps, Callback<Unit> done) = 0;
  virtual void click(Point at, ClickOptions options, Callback<Unit> done) = 0;
  virtual void wheel(Point at, double dx, double dy, Callback<Unit> done) = 0;
  /// Mouse drag; where the page starts an HTML5 drag, the intercepted drag events are sent instead of moves.
  virtual void drag(Point from, Point to, DragOptions options, Callback<Unit> done) = 0;
  /// Fingers down at all points, held, along the path, and up. Only one finger has a path (else type_mismatch).
  virtual void touch(std::vector<Point> points, TouchOptions options, Callback<Unit> done) = 0;
  /// A key or a chord ("Control", "a"): pressed in order, held, released in reverse. Names: KeyboardEvent.code
  /// ("KeyW", "Space"), KeyboardEvent.key ("w", "Enter", " "), or the aliases of keymap.h. Unknown: type_mismatch.
  virtual void press(std::vector<std::string> keys, PressOptions options, Callback<Unit> done) = 0;
  /// Types text; characters without a key are inserted.
  virtual void type(std::string text, int gap_ms, Callback<Unit> done) = 0;
  /// Releases whatever is down. Called by the page at close and by the host when a task ends early.
  virtual void release_all(Callback<Unit> done) = 0;
};

/// The Input of the page behind `session`. Drag interception events (Input.dragIntercepted) of that session must be
/// passed to on_event, as must Page.javascriptDialogOpening, which may arrive instead of the reply to a press.
class PageInput : public Input {
 public:
  virtual void on_event(std::string_view method, const nlohmann::json& params) = 0;
};
std::shared_ptr<PageInput> make_input(EventLoop& loop, std::shared_ptr<CdpConnection> cdp, std::string session);

}  // namespace qa
