#pragma once
// GameClock: game time of a page that was opened with PageOptions::clock. The clocks themselves are JavaScript in the
// page (js/clock/), there before any script of theirs. A document and the frames that can read it share one; a frame of
// another origin and a worker have one of their own, stepped in lockstep. Part of Page; loop thread only.
//
//   advance(n): the document's clock alone --> n frames
//               with others                --> a frame of the document, of each frame apart, of each worker ... n times
//               one says nothing for 1 s   --> the others go on without it until it has answered; coverage() names it
//
// Thawed, all of them go on by themselves, each with the frames of the browser.
//
// What moves or touches the page has it for a turn: steps, inputs and navigations run in the order they were asked.

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "host/browser/document_clock.h"

namespace qa {

class GameClock {
 public:
  /// The function by which a document tells that it has a clock, and how far it is.
  static constexpr char kBinding[] = "__qa_clock_tell";
  using Turn = std::function<void(std::function<void()> end)>;

  GameClock(Page::State& page, ClockOptions options);

  /// What is to run before any script of each document.
  std::string script() const;
  /// What is to run in a worker before its script.
  std::string worker_script() const;
  /// Runs `turn` when those before it have ended. It must call `end`, once.
  void take_turn(Turn turn);
  /// Page::step.
  void step(StepRequest request, Callback<StepResult> done);
  /// Page::thaw and Page::freeze, in their turn.
  void set_thawed(bool is_thawed, Callback<Unit> done);
  bool is_thawed() const { return is_thawed_; }
  /// Page::clock_coverage.
  void coverage(Callback<Json> done);
  /// Within a turn: lets `ms` pass, rounded up to frames; 0 waits until nothing is under way. In real time where
  /// thawed.
  void pause(double ms, bool is_seen, std::function<void()> then);
  /// How long a key is down unless somebody says: a game looks at its keys once a frame.
  int least_hold_ms() const;
  /// Runtime.bindingCalled of any session of the page.
  void on_told(const std::string& session, const Json& params);
  /// A window that the page opened has a clock of its own, stepped and thawed with that of its opener.
  void add_popup(std::shared_ptr<Page::State> popup);
  void drop_session(const std::string& session);
  /// Milliseconds of game time since the page was opened.
  double now_ms() const { return document_->now_ms(); }
  ClockPosition position() const { return {document_->frames(), turn_frame_, now_ms(), asked_, begun_}; }

 private:
  struct Other {
    std::string session, context;  ///< The unique id of the context.
    std::string name;              ///< In their order: frames as the tree has them, popups, workers.
    std::shared_ptr<DocumentClock> clock;
    std::shared_ptr<Page::State> popup;  ///< In place of the clock.
  };
  struct Lockstep;
  struct Coverage;

  void next_turn();
  void advance(StepRequest request, Callback<StepResult> done);
  void add_clock(const std::string& session, std::string name, WorldContext context);
  void add_other(Other other);

  Page::State& page_;
  const ClockOptions options_;
  const std::shared_ptr<DocumentClock> document_;
  std::vector<Other> others_;
  std::set<std::string> silent_;  ///< Names of those that a frame did not wait for.
  int turn_frame_ = 0, asked_ = 0, begun_ = 0;
  std::deque<Turn> turns_;  ///< Those that wait.
  bool has_turn_ = false, is_thawed_ = false;
  bool is_advancing_ = false;  ///< Perhaps for an input that was cut short: the next turn waits for it.
};

/// Runs what moves or touches a page in a turn of its own; at once where the page has no clock.
template <class T>
void in_turn(GameClock* clock, Callback<T> done, std::function<void(Callback<T>)> start) {
  if (clock == nullptr) return start(std::move(done));
  clock->take_turn([done = std::move(done), start = std::move(start)](const std::function<void()>& end) {
    start([done, end](Result<T> result) {
      end();
      done(std::move(result));
    });
  });
}

}  // namespace qa
