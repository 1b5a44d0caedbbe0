#pragma once
// TapeTrack: what one page gets from a tape, and what it puts there. Part of RequestInterceptor. Loop thread only.
//
//   request --> on the tape? --> its answer, after those that came before it when they were taped, one at a time
//                 |  no
//                 |- another page is asking the network: wait for it
//                 |- a twin would send something (POST, PUT ...): wait shortly, then fail
//                 `- ask the network --> keep() | give_up()

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "host/browser/page_access.h"
#include "host/browser/tape.h"
#include "host/event_loop.h"

namespace qa {

/// What the page of PageOptions does with a tape.
struct TapeUse {
  std::shared_ptr<Tape> tape;
  bool is_twin = false;  ///< It sends nothing to a server that may change something there.
};

class TapeTrack {
 public:
  enum class Way { answer, fail, record, pass };
  struct Decision {
    Way way;
    TapePart answer{};
    std::string failure{};  ///< A Network.ErrorReason.
    TapeRequest request{};  ///< This and the next two are for keep() and give_up().
    std::string key{};
    int count = 0;
  };

  TapeTrack(EventLoop& loop, TapeUse use, std::shared_ptr<const PageAccess> access)
      : loop_(loop), use_(std::move(use)), access_(std::move(access)) {}
  /// Others ask in its place what it was asking.
  ~TapeTrack();

  void ask(const PausedRequest& paused, std::function<void(Decision)> done);
  /// Of a request that was to be recorded: `done` gets the answer when it is the page's turn to have it.
  void keep(const Decision& asked, TapeResponse response, std::function<void()> done);
  /// It cannot be recorded: `reason` is for people.
  void give_up(const Decision& asked, const std::string& reason);
  /// The page has what it was given last.
  void on_delivered();

 private:
  struct Question;
  std::optional<Decision> recall(const PausedRequest& paused) const;
  bool is_private(const PausedRequest& paused) const;
  void look(const std::shared_ptr<Question>& question);
  void wait(const std::shared_ptr<Question>& question, Tape::Slot& slot);
  void release(int order, std::function<void()> deliver);
  void release_next();

  EventLoop& loop_;
  const TapeUse use_;
  const std::shared_ptr<const PageAccess> access_;
  std::map<std::string, int> counts_;  ///< How often each was asked.
  std::set<std::pair<std::string, int>> asking_;
  std::map<int, std::function<void()>> held_;  ///< Answers, by their order.
  std::set<int> released_;                     ///< Beyond next_.
  int next_ = 0;                               ///< All before were released, or are not waited for.
  int delivered_ = 0, delivering_ = 0;         ///< Answers that the page has, and that it was given.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>();
};

}  // namespace qa
