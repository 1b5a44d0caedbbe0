#pragma once
// DialogAnswerer: answers JavaScript dialogs at once, since an open dialog stops the whole page: confirm and
// beforeunload are accepted, alert is dismissed, prompt gets its default. Loop thread only.

#include <deque>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/browser/cdp_connection.h"
#include "host/browser/event_ring.h"

namespace qa {

class DialogAnswerer {
 public:
  DialogAnswerer(EventLoop& loop, std::shared_ptr<CdpConnection> cdp) : loop_(loop), cdp_(std::move(cdp)) {}

  /// Page.javascriptDialogOpening: answers, and writes `dialog` and, once a document, `dialog_storm`.
  void opening(const std::string& session, const nlohmann::json& params, EventRing& ring);
  /// Page.javascriptDialogClosed, or the end of the document or its renderer.
  void closed();
  /// The host navigates: a storm may be reported anew.
  void restart();

  bool open() const { return open_; }
  int count() const { return count_; }
  double closed_ms() const { return closed_ms_; }

 private:
  EventLoop& loop_;
  std::shared_ptr<CdpConnection> cdp_;
  std::deque<double> recent_;
  bool open_ = false, storm_reported_ = false;
  int count_ = 0;
  double closed_ms_ = 0;
};

}  // namespace qa
