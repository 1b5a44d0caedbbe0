#include "host/browser/input.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/browser/cdp_reply.h"
#include "host/browser/input_operation.h"
#include "host/browser/json_fields.h"

namespace qa {
namespace {

constexpr int kMaxMoveSteps = 1000;
constexpr int kCharactersPerStep = 16;  // Sent together when no gap was asked for.

bool usable(Point at) { return std::isfinite(at.x) && std::isfinite(at.y); }

bool is_button(const std::string& name) { return name == "left" || name == "middle" || name == "right"; }

/// The keys of these names, or the sentence that says which one is unknown.
Result<std::vector<Key>> find_keys(const std::vector<std::string>& names) {
  std::vector<Key> keys;
  for (const std::string& name : names) {
    auto key = find_key(name);
    if (!key) {
      const std::string nearest = nearest_key_name(name);
      return Error{ErrorKind::type_mismatch,
                   "unknown key \"" + name + "\"" + (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?"), "",
                   ""};
    }
    keys.push_back(std::move(*key));
  }
  return keys;
}

void add_downs(std::vector<InputEvent>& events, const std::vector<Key>& keys) {
  for (const Key& key : keys) events.emplace_back(KeyEvent{key, true});
}

void add_ups(std::vector<InputEvent>& events, const std::vector<Key>& keys) {
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) events.emplace_back(KeyEvent{*key, false});
}

/// Length of the UTF-8 sequence at `at`; a stray byte counts as one.
std::size_t sequence_length(const std::string& text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  return std::min(length, text.size() - at);
}

void add_character(std::vector<InputEvent>& events, const std::string& character) {
  const auto typed = character.size() == 1 ? find_typed_key(character[0]) : std::nullopt;
  if (!typed) {
    events.emplace_back(CommandEvent{"Input.insertText", dump_json({{"text", character}})});
    return;
  }
  std::vector<Key> keys;
  if (typed->shift) keys.push_back(*find_key("Shift"));
  keys.push_back(typed->key);
  add_downs(events, keys);
  add_ups(events, keys);
}

InputProgram click_program(Point at, const ClickOptions& options, std::vector<Key> modifiers) {
  // Even phases press, odd ones release; without a hold everything goes out together.
  return [at, options, modifiers = std::move(modifiers), phase = 0]() mutable -> std::optional<InputStep> {
    const int last = options.count * 2;
    if (phase >= last) return std::nullopt;
    InputStep step;
    if (phase == 0) {
      add_downs(step.events, modifiers);
      step.events.emplace_back(MouseEvent{"mouseMoved", at});
    }
    do {
      const bool press = phase % 2 == 0;
      step.events.emplace_back(MouseEvent{press ? "mousePressed" : "mouseReleased", at, options.button, phase / 2 + 1});
      step.wait_ms = press ? options.hold_ms : 0;
      ++phase;
    } while (phase < last && options.hold_ms <= 0);
    if (phase >= last) add_ups(step.events, modifiers);
    return step;
  };
}

InputProgram press_program(std::vector<Key> keys, const PressOptions& options) {
  return [keys = std::move(keys), options, phase = 0LL]() mutable -> std::optional<InputStep> {
    const long long last = options.count * 2LL;
    if (phase >= last) return std::nullopt;
    InputStep step;
    if (phase % 2 == 0) {
      add_downs(step.events, keys);
      step.wait_ms = options.hold_ms;
      ++phase;
      if (options.hold_ms > 0) return step;
    }
    add_ups(step.events, keys);
    ++phase;
    step.wait_ms = phase < last ? options.gap_ms : 0;
    return step;
  };
}

/// One finger along its path: down, a move every duration_ms / steps, up.
InputProgram swipe_program(const InputState& state, std::pair<int, Point> finger, TouchOptions options) {
  return [&state, finger, options = std::move(options), from = finger.second, phase = 0,
          started_ms = 0.0]() mutable -> std::optional<InputStep> {
    const int moves = options.steps * static_cast<int>(options.path.size()), phase_now = phase++;
    const double pace_ms = static_cast<double>(options.duration_ms) / options.steps;
    if (phase_now > moves + 1) return std::nullopt;
    if (phase_now == moves + 1) return InputStep{{TouchEvent{"touchEnd", {}}}};
    if (phase_now == 0) {
      started_ms = state.now_ms() + options.hold_ms;
      return InputStep{{TouchEvent{"touchStart", {finger}}}, options.hold_ms, started_ms + pace_ms};
    }
    const Point to = options.path[(phase_now - 1) / options.steps];
    const int step = (phase_now - 1) % options.steps + 1;
    const double share = static_cast<double>(step) / options.steps;
    finger.second = {from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share};
    if (step == options.steps) from = to;
    const double next_ms = phase_now < moves ? started_ms + pace_ms * (phase_now + 1) : 0;
    return InputStep{{TouchEvent{"touchMove", {finger}}}, 0, next_ms, phase_now < moves};
  };
}

}  // namespace

Input::Input(EventLoop& loop, std::shared_ptr<CdpConnection> cdp, std::string session)
    : state_(std::make_shared<InputState>(loop, std::move(cdp), std::move(session))) {}

void Input::guard(std::weak_ptr<void> page, Refusal refusal) {
  page_ = std::move(page);
  refusal_ = std::move(refusal);
}

void Input::use_time(GameTime time) { state_->time = std::move(time); }

int Input::held_ms(int ms) const { return state_->time && ms <= 0 ? state_->time->least_hold_ms : ms; }

Callback<Unit> Input::checked(const char* op, Callback<Unit> done) const {
  const auto page = page_.lock();
  if (!page) return done;
  if (auto error = refusal_(op)) {
    state_->loop.post([error = std::move(*error), done = std::move(done)] { done(error); });
    return nullptr;
  }
  return [page, refusal = refusal_, op, done = std::move(done)](Result<Unit> result) {
    if (result) return done(Unit{});
    if (auto error = refusal(op)) return done(std::move(*error));
    Error error = result.error();
    error.op = op;
    done(std::move(error));
  };
}

void Input::move(Point to, int steps, Callback<Unit> done) {
  if (!(done = checked("page:move", std::move(done)))) return;
  if (!usable(to)) return state_->refuse("the point has a coordinate that is no number", std::move(done));
  const int count = std::clamp(steps, 1, kMaxMoveSteps);
  const Point from = state_->mouse;
  state_->start(
      [from, to, count, index = 0]() mutable -> std::optional<InputStep> {
        if (++index > count) return std::nullopt;
        const double share = static_cast<double>(index) / count;
        const Point at{from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share};
        return InputStep{{MouseEvent{"mouseMoved", at}}};
      },
      std::move(done));
}

void Input::click(Point at, ClickOptions options, Callback<Unit> done) {
  if (!(done = checked("page:click", std::move(done)))) return;
  if (!usable(at)) return state_->refuse("the point has a coordinate that is no number", std::move(done));
  if (!is_button(options.button)) {
    return state_->refuse("unknown button \"" + options.button + "\": left, middle or right", std::move(done));
  }
  auto modifiers = find_keys(options.modifiers);
  if (!modifiers) return state_->refuse(modifiers.error().message, std::move(done));
  options.count = std::clamp(options.count, 1, 100);
  options.hold_ms = held_ms(options.hold_ms);
  state_->start(click_program(at, options, std::move(*modifiers)), std::move(done));
}

void Input::wheel(Point at, double dx, double dy, Callback<Unit> done) {
  if (!(done = checked("page:wheel", std::move(done)))) return;
  if (!usable(at) || !usable({dx, dy})) return state_->refuse("the wheel needs finite numbers", std::move(done));
  state_->start(
      [at, dx, dy, sent = false]() mutable -> std::optional<InputStep> {
        if (std::exchange(sent, true)) return std::nullopt;
        return InputStep{{MouseEvent{"mouseMoved", at}, MouseEvent{"mouseWheel", at, "none", 0, dx, dy}}};
      },
      std::move(done));
}

void Input::drag(Point from, Point to, DragOptions options, Callback<Unit> done) {
  if (!(done = checked("page:drag", std::move(done)))) return;
  if (!usable(from) || !usable(to)) return state_->refuse("a drag needs finite points", std::move(done));
  start_drag(*state_, from, to, options, std::move(done));
}

void Input::touch(std::vector<Point> points, TouchOptions options, Callback<Unit> done) {
  if (!(done = checked("page:touch", std::move(done)))) return;
  const auto& path = options.path;
  if (points.empty()) return state_->refuse("a touch needs at least one point", std::move(done));
  if (!std::all_of(points.begin(), points.end(), usable) || !std::all_of(path.begin(), path.end(), usable)) {
    return state_->refuse("a touch needs finite points", std::move(done));
  }
  if (!path.empty() && points.size() > 1) return state_->refuse("only one finger has a path", std::move(done));
  if (!path.empty()) {
    options.steps = std::clamp(options.steps, 1, kMaxMoveSteps);
    state_->start(swipe_program(*state_, {state_->next_touch++, points[0]}, std::move(options)), std::move(done));
    return;
  }
  TouchEvent start{"touchStart", {}};
  for (const Point& at : points) start.points.emplace_back(state_->next_touch++, at);
  state_->start(
      [start = std::move(start), hold_ms = held_ms(options.hold_ms), phase = 0]() mutable -> std::optional<InputStep> {
        if (++phase == 1) return InputStep{{start}, hold_ms};
        if (phase == 2) return InputStep{{TouchEvent{"touchEnd", {}}}};
        return std::nullopt;
      },
      std::move(done));
}

void Input::press(std::vector<std::string> names, PressOptions options, Callback<Unit> done) {
  if (!(done = checked("page:press", std::move(done)))) return;
  auto keys = find_keys(names);
  if (!keys) return state_->refuse(keys.error().message, std::move(done));
  if (keys->empty()) return state_->refuse("no key was named", std::move(done));
  options.hold_ms = held_ms(options.hold_ms);
  if (options.count > 1) options.gap_ms = held_ms(options.gap_ms);
  state_->start(press_program(std::move(*keys), options), std::move(done));
}

void Input::type(std::string text, int gap_ms, Callback<Unit> done) {
  if (!(done = checked("page:type", std::move(done)))) return;
  gap_ms = held_ms(gap_ms);
  state_->start(
      [text = std::move(text), gap_ms, at = std::size_t{0}]() mutable -> std::optional<InputStep> {
        if (at >= text.size()) return std::nullopt;
        InputStep step;
        for (int i = 0; i < (gap_ms > 0 ? 1 : kCharactersPerStep) && at < text.size(); ++i) {
          const std::size_t length = sequence_length(text, at);
          add_character(step.events, text.substr(at, length));
          at += length;
        }
        step.wait_ms = at < text.size() ? gap_ms : 0;
        return step;
      },
      std::move(done));
}

void Input::release_all(Callback<Unit> done) {
  // Nothing is pressed any more in a renderer that is gone.
  if (page_.lock() && refusal_("")) return state_->loop.post([done = std::move(done)] { done(Unit{}); });
  const Error cut{ErrorKind::page_closed, "the input was released before the operation ended", "", ""};
  ++state_->releases;
  struct Waiting {
    int unanswered = 1;
    Callback<Unit> done;
  };
  auto waiting = std::make_shared<Waiting>();
  waiting->done = std::move(done);
  const auto released = [waiting] {
    if (--waiting->unanswered == 0) waiting->done(Unit{});
  };
  for (const auto& operation : state_->running()) waiting->unanswered += operation->abort(cut, released);
  state_->loop.post(released);
}

void Input::on_event(std::string_view method, const Json& params) {
  if (method == "Page.javascriptDialogOpening") {
    for (const auto& operation : state_->running()) operation->pass_dialog();
  } else if (method == "Input.dragIntercepted") {
    const auto drag = state_->drag.lock();
    const Json* data = find_field(params, "data");
    if (drag && data && data->is_object()) *drag = dump_json(*data);
  }
}

}  // namespace qa
