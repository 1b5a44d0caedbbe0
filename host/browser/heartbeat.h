#pragma once
// Heartbeat: asks the renderer for a sign of life, and has its silence classified when that has lasted for too long: a
// renderer that gets no processor is no hung one. Loop thread only.

#include <functional>
#include <memory>
#include <string>

#include "host/browser/cdp_connection.h"
#include "host/event_loop.h"

namespace qa {

class Heartbeat : public std::enable_shared_from_this<Heartbeat> {
 public:
  /// Says whether the silence is a hang; if not it is counted anew.
  using Verdict = std::function<void(bool is_hung)>;
  /// `excused` tells that silence is normal now (a dialog is open); `classify` is called after `silence_ms` of it.
  Heartbeat(EventLoop& loop, std::shared_ptr<CdpConnection> cdp, int beat_ms, int silence_ms,
            std::function<bool()> excused, std::function<void(Verdict)> classify);

  void start(const std::string& session);
  void stop();
  /// The renderer is another one from now on (crash, revival): what is under way counts no more.
  void forget();
  bool hung() const { return hung_; }

 private:
  void beat();
  void ask();
  void classify();

  EventLoop& loop_;
  std::shared_ptr<CdpConnection> cdp_;
  const int beat_ms_, silence_ms_;
  std::function<bool()> excused_;
  std::function<void(Verdict)> classify_;
  std::string session_;
  EventLoop::TimerId timer_ = 0;
  bool running_ = false, waiting_ = false, classifying_ = false, hung_ = false;
  int round_ = 0;
  double asked_ms_ = 0, beat_at_ms_ = 0;
};

}  // namespace qa
