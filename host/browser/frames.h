#pragma once
// Frames of a page, those of other processes included, with their boxes in the top-level viewport.
// Asked for anew each time: games move, resize and replace their frames. Private to host/browser/.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/browser/page_state.h"

namespace qa {

struct FrameBox {
  std::string id, parent, url, name, origin;
  std::string session;  ///< Where the frame's own commands go.
  double x = 0, y = 0, width = 0,
         height = 0;  ///< Content box in CSS pixels of the top-level viewport; 0 when not shown.
  bool out_of_process = false;
};

/// Main frame first, then in document order. A frame whose process does not answer in time is left out; the main
/// frame's failure is the call's failure. `with_boxes` false saves the round trips that find positions.
void collect_frames(std::shared_ptr<Page::State> page, std::string op, bool with_boxes, int timeout_ms,
                    Callback<std::vector<FrameBox>> done);

/// {id, parent, url, name, origin, x, y, width, height, out_of_process}
Json frame_json(const FrameBox& frame);

}  // namespace qa
