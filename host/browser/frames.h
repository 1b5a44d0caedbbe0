#pragma once
// Frames of a page, those of other processes included, with their boxes in the top-level viewport.
// Asked for anew each time, since games move, resize and replace their frames; only a page without any is remembered,
// until an event says that one has come. Private to host/browser/.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/browser/page_state.h"

namespace qa {

/// Main frame first, then in document order. A frame whose process does not answer in time is left out; the main
/// frame's failure is the call's failure. `with_boxes` false saves the round trips that find positions.
void collect_frames(std::shared_ptr<Page::State> page, std::string op, bool with_boxes, int timeout_ms,
                    Callback<std::vector<FrameBox>> done);

/// {id, parent, url, name, origin, x, y, width, height, out_of_process}
Json frame_json(const FrameBox& frame);

}  // namespace qa
