#pragma once
// What the operations of a Page take and give.

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
};

struct ScreenshotOptions {
  std::optional<Rect> clip;  ///< CSS pixels of the viewport.
  bool jpeg = false;         ///< PNG (fast, lossless) by default.
  int quality = 80;
  double scale = 1;  ///< Applied to the clip; 0.25 gives a quarter-size picture.
  int timeout_ms = 10000;
};

struct FrameRequest {
  std::string frame;  ///< Frame id, "" for the main frame.
  int timeout_ms = 10000;
};

}  // namespace qa
