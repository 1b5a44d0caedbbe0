// The Input that a page hands out: refuses at once what a crashed, closed or lost page would never answer, and names
// that state when it begins under an operation.

#include "host/browser/cdp_connection.h"
#include "host/browser/page_state.h"

namespace qa {
namespace {

class GuardedInput : public Input {
 public:
  explicit GuardedInput(Page::State& page) : page_(page) {}

  void move(Point to, int steps, Callback<Unit> done) override {
    if (auto checked = check("page:move", done)) page_.raw_input->move(to, steps, std::move(checked));
  }
  void click(Point at, ClickOptions options, Callback<Unit> done) override {
    if (auto checked = check("page:click", done)) page_.raw_input->click(at, std::move(options), std::move(checked));
  }
  void wheel(Point at, double dx, double dy, Callback<Unit> done) override {
    if (auto checked = check("page:wheel", done)) page_.raw_input->wheel(at, dx, dy, std::move(checked));
  }
  void drag(Point from, Point to, DragOptions options, Callback<Unit> done) override {
    if (auto checked = check("page:drag", done)) page_.raw_input->drag(from, to, options, std::move(checked));
  }
  void touch(std::vector<Point> points, TouchOptions options, Callback<Unit> done) override {
    if (auto checked = check("page:touch", done))
      page_.raw_input->touch(std::move(points), std::move(options), std::move(checked));
  }
  void press(std::vector<std::string> keys, PressOptions options, Callback<Unit> done) override {
    if (auto checked = check("page:press", done)) page_.raw_input->press(std::move(keys), options, std::move(checked));
  }
  void type(std::string text, int gap_ms, Callback<Unit> done) override {
    if (auto checked = check("page:type", done)) page_.raw_input->type(std::move(text), gap_ms, std::move(checked));
  }
  void release_all(Callback<Unit> done) override {
    // Nothing is pressed any more in a renderer that is gone.
    if (page_.refusal("")) return page_.loop.post([done = std::move(done)] { done(Unit{}); });
    page_.raw_input->release_all(std::move(done));
  }

 private:
  /// The completion to pass on, or null when the operation was refused.
  Callback<Unit> check(const std::string& op, Callback<Unit>& done) {
    if (auto error = page_.refusal(op)) {
      page_.loop.post([error = std::move(*error), done = std::move(done)] { done(error); });
      return nullptr;
    }
    return [page = page_.shared_from_this(), op, done = std::move(done)](Result<Unit> result) {
      if (result) return done(Unit{});
      if (auto error = page->refusal(op)) return done(std::move(*error));
      Error error = result.error();
      error.op = op;
      done(std::move(error));
    };
  }

  Page::State& page_;
};

}  // namespace

std::unique_ptr<Input> guard_input(Page::State& page) { return std::make_unique<GuardedInput>(page); }

}  // namespace qa
