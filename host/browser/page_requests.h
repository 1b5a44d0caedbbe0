#pragma once
// What the operations of a Page take and give.

#include <array>
#include <optional>
#include <string>

#include "host/image/image.h"

namespace qa {

struct NavigationResult {
  std::string url;  ///< Where the main frame ended up.
  int status = 0;   ///< HTTP status of the main document, 0 when there was none.
  double ms = 0;
  std::string reached;  ///< "load", "dom" or "commit": the last milestone seen.
};

struct NavigateOptions {
  std::string wait = "load";  ///< "commit", "dom" (DOMContentLoaded) or "load".
  int timeout_ms = 30000;  ///< When the milestone is not reached in time: error timeout, detail {url, reached, status}.
};

struct EvaluateRequest {
  std::string source;                    ///< An expression, or a function declaration when `arguments` is set.
  std::optional<std::string> arguments;  ///< JSON array text.
  bool host_world = false;
  std::string frame;  ///< Frame id, "" for the main frame.
  int timeout_ms = 10000;
  bool is_read_only = false;  ///< Changes nothing of the page, says the caller: it is no input.
};

struct ScreenshotOptions {
  std::optional<Rect> clip;  ///< CSS pixels of the viewport.
  bool jpeg = false;         ///< PNG (fast, lossless) by default.
  int quality = 80;
  double scale = 1;  ///< Applied to the clip; 0.25 gives a quarter-size picture.
  int timeout_ms = 10000;
};

struct StepRequest {
  std::string op;
  int frames = 1;
  std::string until;  ///< An expression of the page; the first frame after which it is true is the last. "" for none.
  /// "all", "none" or "last": in the other frames, canvases that draw themselves anew each time may be left as they
  /// were. Any frame may be the last one of `until`.
  std::string draw = "last";
};

struct StepResult {
  int frames = 0;
  double game_ms = 0;   ///< Game time after the last one.
  bool is_met = false;  ///< StepRequest::until was true.
  /// Since the document was loaded, a canvas that had been left out was looked at or read before it was drawn again:
  /// pictures of this page may differ from those of one that draws every frame.
  bool is_skipping_lost = false;
};

/// Where a page on game time stands.
struct ClockPosition {
  int frame = 0;       ///< Since the page was opened.
  int turn_frame = 0;  ///< Where the last operation that moves or touches the page began.
  double ms = 0;
  int turns_asked = 0, turns_begun = 0;  ///< Such operations, which take turns.
};

/// All that is held of a gamepad of the standard layout (https://w3c.github.io/gamepad/#remapping), by its order.
struct GamepadState {
  std::array<double, 17> buttons{};  ///< 0..1.
  std::array<double, 4> axes{};      ///< -1..1: left x, left y, right x, right y; up is -1.
};

struct FrameRequest {
  std::string frame;  ///< Frame id, "" for the main frame.
  int timeout_ms = 10000;
};

}  // namespace qa
