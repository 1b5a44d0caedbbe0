#include "host/browser/input_operation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/browser/cdp_reply.h"
#include "host/browser/json_fields.h"
#include "host/json_text.h"

namespace qa {
namespace {

constexpr int kAnswerMs = 5000;
constexpr int kReleaseMs = 1000;

bool is_down(const std::map<std::string, int>& held, const char* name) { return held.count(name) != 0; }

void drop_one(std::map<std::string, int>& held, const std::string& name) {
  const auto at = held.find(name);
  if (at != held.end() && --at->second <= 0) held.erase(at);
}

std::string key_params(const InputState& state, const KeyEvent& event, bool repeat) {
  const int modifiers = state.modifiers();
  const Key key = (modifiers & 8) != 0 ? shifted_key(event.key) : event.key;
  // With Control, Alt or Meta a key is a command and types nothing.
  const std::string text = event.down && (modifiers & 7) == 0 ? key.text : "";
  std::string params;
  ObjectText object(params);
  object.text("type", !event.down ? "keyUp" : text.empty() ? "rawKeyDown" : "keyDown");
  object.number("modifiers", modifiers);
  object.text("key", key.key);
  object.text("code", key.code);
  object.number("windowsVirtualKeyCode", key.windows_code);
  object.number("nativeVirtualKeyCode", key.windows_code);
  object.number("location", key.location);
  object.raw("isKeypad", key.location == 3 ? "true" : "false");
  object.raw("autoRepeat", repeat ? "true" : "false");
  if (!text.empty()) {
    object.text("text", text);
    object.text("unmodifiedText", text);
  }
  object.close();
  return params;
}

std::string mouse_params(const InputState& state, const MouseEvent& event) {
  const bool is_dragging = event.button == "none" && !state.buttons_down.empty();
  std::string params;
  ObjectText object(params);
  object.text("type", event.type);
  object.number("x", event.at.x);
  object.number("y", event.at.y);
  object.number("modifiers", state.modifiers());
  object.text("button", is_dragging ? state.buttons_down.begin()->first : event.button);
  object.number("buttons", state.button_mask());
  object.number("clickCount", event.click_count);
  object.text("pointerType", "mouse");
  if (event.dx != 0 || event.dy != 0 || std::string_view(event.type) == "mouseWheel") {
    object.number("deltaX", event.dx);
    object.number("deltaY", event.dy);
  }
  object.close();
  return params;
}

std::string touch_params(const InputState& state, const TouchEvent& event) {
  Json points = Json::array();
  for (const auto& [id, at] : event.points) points.push_back({{"x", at.x}, {"y", at.y}, {"id", id}});
  return dump_json({{"type", event.type}, {"touchPoints", std::move(points)}, {"modifiers", state.modifiers()}});
}

}  // namespace

// ---- InputState

int InputState::modifiers() const {
  const auto held = [this](const char* left, const char* right) {
    return is_down(keys_down, left) || is_down(keys_down, right);
  };
  return (held("AltLeft", "AltRight") ? 1 : 0) | (held("ControlLeft", "ControlRight") ? 2 : 0) |
         (held("MetaLeft", "MetaRight") ? 4 : 0) | (held("ShiftLeft", "ShiftRight") ? 8 : 0);
}

int InputState::button_mask() const {
  return (is_down(buttons_down, "left") ? 1 : 0) | (is_down(buttons_down, "right") ? 2 : 0) |
         (is_down(buttons_down, "middle") ? 4 : 0);
}

bool InputState::send(const InputEvent& event, int timeout_ms, Callback<Unit> done) {
  const auto call = [&](const std::string& method, const std::string& params) {
    const auto connection = cdp.lock();
    if (!connection) {
      const Error gone{ErrorKind::browser_lost, "the connection to the browser was closed", "", ""};
      loop.post([done = std::move(done), gone] { done(gone); });
      return true;
    }
    connection->call(session, method, params, timeout_ms,
                     [done = std::move(done)](const Result<CdpConnection::Reply>& reply) {
                       done(reply ? Result<Unit>(Unit{}) : Result<Unit>(reply.error()));
                     });
    return true;
  };
  if (const auto* key = std::get_if<KeyEvent>(&event)) {
    const bool shared = is_down(keys_down, key->key.code.c_str());
    if (key->down) {
      ++keys_down[key->key.code];
    } else {
      drop_one(keys_down, key->key.code);
      if (is_down(keys_down, key->key.code.c_str())) return false;
    }
    return call("Input.dispatchKeyEvent", key_params(*this, *key, key->down && shared));
  }
  if (const auto* pointer = std::get_if<MouseEvent>(&event)) {
    const std::string_view type = pointer->type;
    if (type == "mousePressed") ++buttons_down[pointer->button];
    if (type == "mouseReleased") drop_one(buttons_down, pointer->button);
    mouse = pointer->at;
    return call("Input.dispatchMouseEvent", mouse_params(*this, *pointer));
  }
  if (const auto* touch = std::get_if<TouchEvent>(&event)) {
    return call("Input.dispatchTouchEvent", touch_params(*this, *touch));
  }
  const auto& command = std::get<CommandEvent>(event);
  return call(command.method, command.params);
}

void InputState::start(InputProgram program, Callback<Unit> done, CutShort on_cut_short) {
  if (!time) return begin(std::move(program), std::move(done), std::move(on_cut_short));
  const int before = releases;
  time->take_turn([self = shared_from_this(), program, done, on_cut_short, before](std::function<void()> end) {
    const auto ended = [done, end = std::move(end)](Result<Unit> result) {
      end();
      done(std::move(result));
    };
    if (self->releases != before)
      return ended(Error{ErrorKind::page_closed, "all input was released before its turn came", "", ""});
    self->begin(program, ended, on_cut_short);
  });
}

void InputState::begin(InputProgram program, Callback<Unit> done, CutShort on_cut_short) {
  auto operation = std::make_shared<InputOperation>(shared_from_this(), std::move(program), std::move(done));
  operation->on_cut_short = std::move(on_cut_short);
  operations.push_back(operation);
  operation->run();
  operation->is_started = true;
}

std::vector<std::shared_ptr<InputOperation>> InputState::running() const {
  std::vector<std::shared_ptr<InputOperation>> result;
  for (const auto& operation : operations) {
    if (auto alive = operation.lock()) result.push_back(std::move(alive));
  }
  return result;
}

void InputState::refuse(const std::string& message, Callback<Unit> done) {
  loop.post([done = std::move(done), message] { done(Error{ErrorKind::type_mismatch, message, "", ""}); });
}

// ---- InputOperation

InputOperation::InputOperation(std::shared_ptr<InputState> state, InputProgram program, Callback<Unit> done)
    : state_(std::move(state)), program_(std::move(program)), done_(std::move(done)) {}

void InputOperation::run() {
  if (finished_) return;
  auto step = program_();
  if (!step) return finish(Unit{});
  step_ = std::move(*step);
  unanswered_ = 0;
  const int batch = ++batch_;
  const auto send_all = [this, batch] {
    for (const InputEvent& event : step_.events) {
      note_held(event);
      const bool sent = state_->send(event, kAnswerMs, [self = shared_from_this(), batch](const Result<Unit>& result) {
        self->replied(batch, result);
      });
      if (sent) ++unanswered_;
    }
  };
  const auto connection = state_->cdp.lock();
  connection ? connection->together(send_all) : send_all();
  if (unanswered_ > 0) return;
  // Nothing was sent: go on from the loop, so that a long program does not nest.
  unanswered_ = 1;
  state_->loop.post([self = shared_from_this(), batch] { self->replied(batch, Unit{}); });
}

void InputOperation::replied(int batch, const Result<Unit>& result) {
  if (finished_ || batch != batch_) return;
  if (!result && !failure_) {
    failure_ = result.error();
    if (failure_->kind == ErrorKind::timeout) {
      failure_->message = "the page did not handle the input within " + std::to_string(kAnswerMs) + " ms";
    }
  }
  if (--unanswered_ == 0) batch_answered();
}

void InputOperation::batch_answered() {
  if (failure_) {
    abort(*failure_, [] {});
    return;
  }
  const double left_ms = std::max<double>(step_.wait_ms, step_.until_ms - state_->now_ms());
  if (state_->time) {
    return state_->time->pause(std::max(left_ms, 0.0), !step_.goes_on, [self = shared_from_this()] { self->run(); });
  }
  if (left_ms <= 0) return run();
  timer_ = state_->loop.after(std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(left_ms))),
                              [self = shared_from_this()] { self->run(); });
}

void InputOperation::pass_dialog() {
  if (finished_ || unanswered_ == 0) return;
  ++batch_;  // Late answers belong to no batch.
  unanswered_ = 0;
  batch_answered();
}

void InputOperation::note_held(const InputEvent& event) {
  if (const auto* key = std::get_if<KeyEvent>(&event)) {
    if (key->down) {
      keys_.push_back(key->key);
    } else {
      const auto same = [&](const Key& held) { return held.code == key->key.code; };
      if (const auto at = std::find_if(keys_.begin(), keys_.end(), same); at != keys_.end()) keys_.erase(at);
    }
  } else if (const auto* pointer = std::get_if<MouseEvent>(&event)) {
    if (std::string_view(pointer->type) == "mousePressed") buttons_.push_back(*pointer);
    if (std::string_view(pointer->type) == "mouseReleased" && !buttons_.empty()) buttons_.pop_back();
  } else if (const auto* touch = std::get_if<TouchEvent>(&event)) {
    touches_ = touch->points;  // None where the fingers were lifted.
  }
}

std::vector<InputEvent> InputOperation::releases() {
  std::vector<InputEvent> events;
  if (on_cut_short) events = on_cut_short();
  for (const MouseEvent& pressed : buttons_) {
    events.emplace_back(MouseEvent{"mouseReleased", state_->mouse, pressed.button, pressed.click_count});
  }
  if (!touches_.empty()) events.emplace_back(TouchEvent{"touchCancel", {}});
  for (auto key = keys_.rbegin(); key != keys_.rend(); ++key) events.emplace_back(KeyEvent{*key, false});
  return events;
}

int InputOperation::abort(const Error& error, const std::function<void()>& released) {
  if (finished_) return 0;
  state_->loop.cancel(timer_);
  int sent = 0;
  for (const InputEvent& event : releases()) {
    if (state_->send(event, kReleaseMs, [released](const Result<Unit>&) { released(); })) ++sent;
  }
  finish(error);
  return sent;
}

void InputOperation::finish(Result<Unit> result) {
  finished_ = true;
  std::erase_if(state_->operations, [this](const auto& operation) {
    const auto alive = operation.lock();
    return !alive || alive.get() == this;
  });
  program_ = nullptr;
  on_cut_short = nullptr;
  const auto done = std::move(done_);
  if (is_started && result) return done(result);
  // Posted, since the first step may end the operation before the call that started it has returned.
  state_->loop.post([done, result = std::move(result)] { done(result); });
}

}  // namespace qa
