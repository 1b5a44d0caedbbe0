#pragma once
// SceneCast: the screencast behind Scene. Turns frames into colour grids, in order, one decode at a time and the newest
// frame waiting, and makes a first grid itself where a still page paints none. Loop thread only.
//
//   screencastFrame --> ack + newest waiting slot --> decode + grid (pool) --> on_grid, one at a time

#include <functional>
#include <memory>
#include <string>

#include "host/browser/capture_queue.h"
#include "host/browser/cdp_connection.h"
#include "host/event_loop.h"

namespace qa {

inline constexpr int kSceneColumns = 128, kSceneRows = 72, kSceneCells = kSceneColumns * kSceneRows;

class SceneCast : public std::enable_shared_from_this<SceneCast> {
 public:
  /// A grid (colour_grid: luma, blueness, redness), and when its frame arrived.
  using GridHandler = std::function<void(const std::string& grid, double at_ms)>;

  SceneCast(EventLoop& loop, std::shared_ptr<CdpConnection> cdp, std::string session,
            std::shared_ptr<CaptureQueue> captures);

  /// Where grids go, and where a page that cannot be pictured is reported.
  void handlers(GridHandler on_grid, std::function<void(const Error&)> on_failure);
  void start();
  /// Stops after a short while, so that a watch that follows at once finds the cast running.
  void stop_soon();
  /// Stops now and forgets what is under way.
  void stop();
  void on_frame(const Json& params, std::string base64);
  /// A grid of what the page shows now, whether the cast runs or not.
  void picture(Callback<std::string> done);

  /// The last grid of the running cast, "" before the first.
  const std::string& last_grid() const { return last_grid_; }
  /// How long frames were on their way of late, at most: from when they were taken (metadata.timestamp) until here.
  double lag_ms() const { return lag_ms_; }
  /// True while a frame that has arrived is still being decoded.
  bool decoding() const { return decoding_; }

 private:
  void picture_still_page();
  /// A small picture of the view, as base64.
  void capture_view(Callback<std::string> done);
  void take(std::string base64);
  void decode(std::string base64, double at_ms);
  void deliver(std::string grid, double at_ms);
  void fail_to_picture(const Error& cause);

  EventLoop& loop_;
  std::shared_ptr<CdpConnection> cdp_;
  const std::string session_;
  const std::shared_ptr<CaptureQueue> captures_;
  GridHandler on_grid_;
  std::function<void(const Error&)> on_failure_;
  bool running_ = false, decoding_ = false;
  int round_ = 0;  ///< Grows with every start and stop; late answers of an older round are dropped.
  EventLoop::TimerId still_timer_ = 0, stop_timer_ = 0;
  std::string last_grid_, waiting_;
  double waiting_at_ms_ = 0, lag_ms_ = 0, framed_ms_ = 0;
};

}  // namespace qa
