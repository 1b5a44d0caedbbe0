#pragma once
// Heartbeat: asks the renderer for a sign of life and says when it has been silent for too long. Loop thread only.

#include <functional>
#include <memory>
#include <string>

#include "host/browser/cdp_connection.h"
#include "host/event_loop.h"

namespace qa {

class Heartbeat : public std::enable_shared_from_this<Heartbeat> {
 public:
  /// `excused` tells that silence is normal now (a dialog is open); `silent` is called once an episode.
  Heartbeat(EventLoop& loop, std::shared_ptr<CdpConnection> cdp, int beat_ms, int hang_ms,
            std::function<bool()> excused, std::function<void()> silent);

  void start(const std::string& session);
  void stop();
  /// The renderer is another one from now on (crash, revival): what is under way counts no more.
  void forget();
  bool hung() const { return hung_; }

 private:
  void beat();
  void ask();

  EventLoop& loop_;
  std::shared_ptr<CdpConnection> cdp_;
  const int beat_ms_, hang_ms_;
  std::function<bool()> excused_;
  std::function<void()> silent_;
  std::string session_;
  EventLoop::TimerId timer_ = 0;
  bool running_ = false, waiting_ = false, hung_ = false;
  int round_ = 0;
  double asked_ms_ = 0, beat_at_ms_ = 0;
};

}  // namespace qa
