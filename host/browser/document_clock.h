#pragma once
// DocumentClock: the calls that move one clock of a page: that of its document and the frames that can read it, of a
// frame apart, or of a worker. What the page answers is checked, not believed. Part of GameClock; loop thread only.
//
//   step(600) --> page: up to 200 ms of frames --> {done, frames, now, waiting} --> again ... --> answer
//                   |- something is under way (a request ...): the page waits for it, 10 s at most
//                   `- the document is left: go on in the next one, where there is one

#include <functional>
#include <memory>
#include <string>

#include "host/browser/page.h"
#include "host/browser/page_contexts.h"

namespace qa {

class DocumentClock : public std::enable_shared_from_this<DocumentClock> {
 public:
  /// Gives the context to step in: at each call, since a document may follow another.
  using Locate = std::function<void(const std::string& op, Callback<WorldContext>)>;

  DocumentClock(Page::State& page, const ClockOptions& options, Locate locate)
      : page_(page), frame_ms_(options.frame_ms), patience_ms_(options.patience_ms), locate_(std::move(locate)) {}

  /// One at a time; fewer frames than asked for where a clock apart begins. StepResult::game_ms counts from the first
  /// step on.
  void step(StepRequest request, Callback<StepResult> done);
  /// Time goes on by itself, as fast as real time, or stands still again after a whole frame. Documents to come are
  /// told again.
  void thaw(const std::string& op, Callback<Unit> done);
  void freeze(const std::string& op, Callback<Unit> done);
  /// In the middle of a step, the document has come to this many frames, as it says: it is left, or opens a dialog.
  void on_frames(double frames) { last_frame_ = frames; }
  double now_ms() const;
  /// Of all documents of the page.
  int frames() const { return all_frames_; }
  /// A step has begun and has not ended.
  bool is_stepping() const { return is_stepping_; }
  /// For how long the page has owed an answer, 0 while it owes none.
  double silent_ms() const;
  /// What the page's clock does not control: {what, reason} each, as the page says.
  void coverage(const std::string& op, Callback<Json> done);

 private:
  struct Work;

  /// Calls a function of the clock without arguments, in the next document where this one is left meanwhile.
  void tell(const std::string& name, const std::string& op, Callback<std::pair<Json, std::string>> done);
  void run(const std::shared_ptr<Work>& work);
  void ask(const std::shared_ptr<Work>& work, const WorldContext& context);
  void watch(const std::shared_ptr<Work>& work);
  void on_reply(const std::shared_ptr<Work>& work, const Result<Json>& reply);
  void on_lost_reply(const std::shared_ptr<Work>& work);
  void repeat(const std::shared_ptr<Work>& work, bool waits, bool leaves);
  bool is_possible(const Work& work, const Json& reply) const;

  Page::State& page_;
  const double frame_ms_, patience_ms_;
  const Locate locate_;
  std::string document_;  ///< Context that the next three are of.
  double frames_ = 0, document_ms_ = 0, last_frame_ = -1;
  double now_ms_ = 0, thawed_since_ = 0;  ///< When it was thawed, 0 while it stands still.
  double asked_ms_ = 0;
  int all_frames_ = 0;
  bool is_stepping_ = false;
};

}  // namespace qa
