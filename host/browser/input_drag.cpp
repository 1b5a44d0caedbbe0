// Drags. The page decides whether a mouse drag becomes an HTML5 drag and drop; with interception on, Chromium then
// tells us instead of asking the (missing) desktop, and we play the desktop's part: enter, over, drop.

#include <algorithm>

#include "host/browser/cdp_reply.h"
#include "host/browser/input_operation.h"

namespace qa {
namespace {

constexpr int kMinEndHoldMs = 30;  // Time for Input.dragIntercepted to arrive before the mouse is released.

CommandEvent intercept(bool on) { return {"Input.setInterceptDrags", Json{{"enabled", on}}.dump()}; }

class Drag {
 public:
  Drag(InputState& state, Point from, Point to, const DragOptions& options)
      : state_(state), from_(from), to_(to), options_(options), data_(std::make_shared<std::string>()) {
    options_.steps = std::clamp(options.steps, 1, 1000);
    options_.hold_ms = std::max(options.hold_ms, 0);
    options_.duration_ms = std::max(options.duration_ms, 0);
    state.drag = data_;
  }

  std::optional<InputStep> next() {
    const int phase = phase_++;
    if (phase == 0) {
      return InputStep{{intercept(true), MouseEvent{"mouseMoved", from_}, MouseEvent{"mousePressed", from_, "left", 1}},
                       options_.hold_ms};
    }
    if (phase == 1) started_ms_ = state_.now_ms();
    if (phase <= options_.steps) return move(phase);
    if (phase == options_.steps + 1) return InputStep{over(to_), std::max(options_.hold_ms, kMinEndHoldMs)};
    if (phase == options_.steps + 2) return drop();
    return std::nullopt;
  }

  std::vector<InputEvent> cut_short() const {
    std::vector<InputEvent> events;
    if (entered_) events.emplace_back(drag_event("dragCancel", state_.mouse));
    events.emplace_back(intercept(false));
    return events;
  }

 private:
  InputStep move(int index) {
    const double share = static_cast<double>(index) / options_.steps;
    const Point at{from_.x + (to_.x - from_.x) * share, from_.y + (to_.y - from_.y) * share};
    return {over(at), 0, started_ms_ + options_.duration_ms * share, true};
  }

  /// The pointer is at this place: as a mouse move, or once the page has begun an HTML5 drag, as a drag event.
  std::vector<InputEvent> over(Point at) {
    if (data_->empty()) return {MouseEvent{"mouseMoved", at}};
    std::vector<InputEvent> events;
    if (!std::exchange(entered_, true)) events.emplace_back(drag_event("dragEnter", at));
    events.emplace_back(drag_event("dragOver", at));
    return events;
  }

  InputStep drop() {
    InputStep step;
    if (!data_->empty()) {
      step.events = over(to_);
      step.events.emplace_back(drag_event("drop", to_));
      entered_ = false;
    }
    step.events.emplace_back(MouseEvent{"mouseReleased", to_, "left", 1});
    step.events.emplace_back(intercept(false));
    return step;
  }

  CommandEvent drag_event(const char* type, Point at) const {
    const Json head{{"type", type}, {"x", at.x}, {"y", at.y}, {"modifiers", state_.modifiers()}};
    std::string params = head.dump();
    params.pop_back();
    return {"Input.dispatchDragEvent", params + ",\"data\":" + *data_ + "}"};
  }

  InputState& state_;  // The operation that runs this drag owns the state.
  Point from_, to_;
  DragOptions options_;
  std::shared_ptr<std::string> data_;
  int phase_ = 0;
  double started_ms_ = 0;
  bool entered_ = false;
};

}  // namespace

void start_drag(InputState& state, Point from, Point to, const DragOptions& options, Callback<Unit> done) {
  auto drag = std::make_shared<Drag>(state, from, to, options);
  state.start([drag] { return drag->next(); }, std::move(done), [drag] { return drag->cut_short(); });
}

}  // namespace qa
