// Page::probe: one in-page function in the host's world (tapped_text: the page's) of every frame, all frames at once.

#include <nlohmann/json.hpp>

#include "host/browser/evaluate.h"
#include "host/browser/frames.h"
#include "host/browser/json_fields.h"

namespace qa {
namespace {

constexpr char kOp[] = "page:probe";
constexpr int kFrameContextMs = 500;  ///< A frame without a document after this long is left out.

struct Probe : std::enable_shared_from_this<Probe> {
  std::shared_ptr<Page::State> page;
  std::string source;
  bool in_host_world = true;
  Json args;
  double deadline = 0;
  Callback<Json> done;
  std::vector<FrameBox> frames;
  std::vector<std::optional<Json>> values;
  std::optional<Error> failure;
  std::size_t waiting = 0;

  int left() const { return std::max(1, static_cast<int>(deadline - page->loop.now_ms())); }

  void start() {
    if (page->only_frame && !page->refusal(kOp)) {
      frames = {*page->only_frame};
      return ask_all();
    }
    collect_frames(page, kOp, true, left(), [self = shared_from_this()](Result<std::vector<FrameBox>> found) {
      if (!found) return self->done(found.error());
      self->frames = std::move(*found);
      self->ask_all();
    });
  }

  void ask_all() {
    values.resize(frames.size());
    waiting = frames.size();
    if (frames.empty()) return done(Error{ErrorKind::timeout, "the page has no document to look at", kOp, ""});
    for (std::size_t i = 0; i < frames.size(); ++i) ask(i);
  }

  void ask(std::size_t index) {
    const int patience = index == 0 ? left() : std::min(left(), kFrameContextMs);
    page->with_context(kOp, frames[index].id, in_host_world, patience,
                       [self = shared_from_this(), index](Result<WorldContext> context) {
                         if (!context) return self->answer(index, context.error());
                         self->run(index, *context);
                       });
  }

  void run(std::size_t index, const WorldContext& context) {
    const FrameBox& box = frames[index];
    const Json frame = {{"id", box.id}, {"x", box.x}, {"y", box.y}, {"width", box.width}, {"height", box.height}};
    run_script(page, kOp, context, {source, Json::array({args, frame})}, left(),
               [self = shared_from_this(), index](Result<Json> value) { self->answer(index, std::move(value)); });
  }

  void answer(std::size_t index, Result<Json> value) {
    if (value) {
      values[index] = std::move(*value);
    } else if (index == 0) {
      failure = value.error();
    }
    if (--waiting > 0) return;
    if (failure) return done(std::move(*failure));
    Json list = Json::array();
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (!values[i]) continue;
      const FrameBox& box = frames[i];
      list.push_back({{"frame", box.id},
                      {"url", box.url},
                      {"x", box.x},
                      {"y", box.y},
                      {"width", box.width},
                      {"height", box.height},
                      {"value", std::move(*values[i])}});
    }
    done(std::move(list));
  }
};

}  // namespace

void Page::probe(std::string name, std::string args_json, int timeout_ms, Callback<Json> done) {
  auto probe = std::make_shared<Probe>();
  probe->source = std::string(page_function(name));
  // What the taps remember lies in the page's own world.
  probe->in_host_world = name != "tapped_text" && name != "drawn";
  probe->args = args_json.empty() ? Json::object() : Json::parse(args_json, nullptr, false);
  if (probe->source.empty() || probe->args.is_discarded()) {
    const Error error{ErrorKind::type_mismatch,
                      probe->source.empty() ? "there is no in-page function \"" + name + "\"" : "args are not JSON",
                      kOp, ""};
    return state_->loop.post([error, done = std::move(done)] { done(error); });
  }
  probe->page = state_;
  const auto run = [probe, timeout_ms](Callback<Json> found) {
    probe->deadline = probe->page->loop.now_ms() + timeout_ms;
    probe->done = std::move(found);
    probe->start();
  };
  // It scrolls what it looks for into view.
  if (name == "locate") return in_turn<Json>(state_->clock.get(), std::move(done), run);
  run(std::move(done));
}

}  // namespace qa
