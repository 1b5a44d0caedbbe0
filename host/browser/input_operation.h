#pragma once
// One input operation (a click, a held key, a drag ...) as a program of steps, and the state that all operations of a
// page share: pointer position, what is down, who is running. Operations run side by side; each one's events keep
// their order, and what an operation pressed is released on every way it can end. Loop thread only.
//
//   program() -> events --> Chromium --replies--> wait --> program() ... --> done
//                   `-- failure, abort: release what is held --> done(error)

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "host/browser/cdp_connection.h"
#include "host/browser/input.h"
#include "host/browser/keymap.h"
#include "host/event_loop.h"

namespace qa {

struct KeyEvent {
  Key key;
  bool down = true;
};
struct MouseEvent {
  const char* type;  ///< mouseMoved, mousePressed, mouseReleased, mouseWheel.
  Point at;
  std::string button = "none";
  int click_count = 0;
  double dx = 0, dy = 0;
};
struct TouchEvent {
  const char* type;  ///< touchStart, touchMove, touchEnd, touchCancel.
  std::vector<std::pair<int, Point>> points;
};
struct CommandEvent {
  std::string method, params;
};
using InputEvent = std::variant<KeyEvent, MouseEvent, TouchEvent, CommandEvent>;

/// Events sent together; when all are answered, a wait of wait_ms, and at least until InputState::now_ms() is until_ms.
struct InputStep {
  std::vector<InputEvent> events;
  int wait_ms = 0;
  double until_ms = 0;
  bool goes_on = false;  ///< More of a movement follows: on game time nobody looks at the frames until then.
};
/// Gives the next step, or nothing at the end.
using InputProgram = std::function<std::optional<InputStep>()>;
struct InputState;

class InputOperation : public std::enable_shared_from_this<InputOperation> {
 public:
  InputOperation(std::shared_ptr<InputState> state, InputProgram program, Callback<Unit> done);

  void run();
  /// A dialog is open: it holds back the answers to what was sent, which has been delivered.
  void pass_dialog();
  /// Ends the operation; `released` runs for each release event that has been answered. Returns how many there are.
  int abort(const Error& error, const std::function<void()>& released);

  bool is_started = false;  ///< The call that started it has returned.
  /// Sent besides the releases when the operation does not reach its end.
  std::function<std::vector<InputEvent>()> on_cut_short;

 private:
  void replied(int batch, const Result<Unit>& result);
  void batch_answered();
  void note_held(const InputEvent& event);
  std::vector<InputEvent> releases();
  void finish(Result<Unit> result);

  std::shared_ptr<InputState> state_;
  InputProgram program_;
  Callback<Unit> done_;
  InputStep step_;
  int unanswered_ = 0, batch_ = 0;
  bool finished_ = false;
  EventLoop::TimerId timer_ = 0;
  std::optional<Error> failure_;
  std::vector<Key> keys_;
  std::vector<MouseEvent> buttons_;
  std::vector<std::pair<int, Point>> touches_;
};

struct InputState : std::enable_shared_from_this<InputState> {
  InputState(EventLoop& event_loop, std::shared_ptr<CdpConnection> connection, std::string session_id)
      : loop(event_loop), cdp(std::move(connection)), session(std::move(session_id)) {}

  EventLoop& loop;
  std::weak_ptr<CdpConnection> cdp;  ///< Weak: its pending calls hold the operations, which hold this.
  std::string session;
  Point mouse;
  int next_touch = 1, releases = 0;  ///< releases: of all that is down; what waits for its turn then loses it.
  std::map<std::string, int> keys_down, buttons_down;     ///< Code or button name -> number of holders.
  std::vector<std::weak_ptr<InputOperation>> operations;  ///< Oldest first; calls and timers keep them alive.
  /// Of a mouse drag under way: Input.DragData as JSON text, by Input.dragIntercepted; "" until the page starts a drag.
  std::weak_ptr<std::string> drag;
  std::optional<GameTime> time;  ///< Nothing for real time.

  using CutShort = std::function<std::vector<InputEvent>()>;
  /// Begins an operation; on game time when its turn has come.
  void start(InputProgram program, Callback<Unit> done, CutShort on_cut_short = nullptr);
  void begin(InputProgram program, Callback<Unit> done, CutShort on_cut_short);
  std::vector<std::shared_ptr<InputOperation>> running() const;
  void refuse(const std::string& message, Callback<Unit> done);
  /// False when there is nothing to send: a key that somebody else still holds.
  bool send(const InputEvent& event, int timeout_ms, Callback<Unit> done);
  double now_ms() const { return time ? time->now_ms() : loop.now_ms(); }
  int modifiers() const;
  int button_mask() const;
};

/// A mouse drag from `from` to `to`; see Input::drag.
void start_drag(InputState& state, Point from, Point to, const DragOptions& options, Callback<Unit> done);

}  // namespace qa
