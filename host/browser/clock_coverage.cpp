// What the clocks of a page do not control: asked of each of them in turn. What they answer is text that pages write.
#include <nlohmann/json.hpp>

#include "host/browser/game_clock.h"
#include "host/browser/json_fields.h"
#include "host/browser/page_state.h"
#include "host/text.h"

namespace qa {
namespace {

constexpr std::size_t kMostGaps = 100, kGapText = 300;

}  // namespace

struct GameClock::Coverage : std::enable_shared_from_this<GameClock::Coverage> {
  std::shared_ptr<Page::State> page;
  Callback<Json> done;
  std::vector<Other> clocks;
  Json list = Json::array();
  std::size_t at = 0;

  void add(const std::string& what, const std::string& where, const std::string& reason) {
    if (list.size() >= kMostGaps) return;
    list.push_back({{"what", truncate_text(what, kGapText)},
                    {"where", truncate_text(where, kGapText)},
                    {"reason", truncate_text(reason, kGapText)}});
  }

  void run() {
    if (at == clocks.size()) return done(std::move(list));
    const Other one = clocks[at++];
    if (one.popup) return run();                 // A page of its own, outside of the pictures.
    if (one.clock->is_stepping()) return run();  // Silent, which has been said.
    one.clock->coverage("page:clock_coverage", [self = shared_from_this(), this, one](Result<Json> told) {
      if (!told && at == 1) return done(told.error());
      for (const Json& gap : told && told->is_array() ? *told : Json::array())
        add(text_of(gap, "what"), one.name, text_of(gap, "reason"));
      run();
    });
  }
};

void GameClock::coverage(Callback<Json> done) {
  auto asking = std::make_shared<Coverage>();
  asking->page = page_.shared_from_this();
  asking->done = std::move(done);
  asking->clocks = others_;
  asking->clocks.insert(asking->clocks.begin(), {"", "", "the page", document_, nullptr});
  for (const std::string& name : silent_) {
    asking->add("a thread that goes by real time", name,
                "it said nothing for a second, for it computes or waits on shared memory: build the game without "
                "threads, or test it in real time");
  }
  asking->run();
}

}  // namespace qa
