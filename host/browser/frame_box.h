#pragma once
// FrameBox: a frame of a page and where it lies. Plain data.

#include <string>

namespace qa {

struct FrameBox {
  std::string id, parent, url, name, origin;
  std::string session;  ///< Where the frame's own commands go.
  double x = 0, y = 0, width = 0,
         height = 0;  ///< Content box in CSS pixels of the top-level viewport; 0 when not shown.
  bool out_of_process = false;
};

}  // namespace qa
