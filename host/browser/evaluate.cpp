// Running JavaScript: waiting for a context, expressions and functions, and their results as JSON.

#include "host/browser/evaluate.h"

#include <nlohmann/json.hpp>

#include "host/browser/cdp_reply.h"
#include "host/browser/json_fields.h"
#include "host/browser/page_state.h"
#include "host/json_text.h"

namespace qa {
namespace {

constexpr std::size_t kResultLimit = 16 * 1024 * 1024;
constexpr int kContextPollMs = 100;
constexpr double kLargestInteger = 9007199254740992.0;  ///< 2^53: every smaller integer is a double.

/// Waits until a frame has a context in the wanted world.
struct ContextWait : std::enable_shared_from_this<ContextWait> {
  std::shared_ptr<Page::State> page;
  std::string op, frame;
  bool host_world = false, making_world = false;
  double deadline = 0;
  Callback<WorldContext> done;
  std::uint64_t listener = 0;
  EventLoop::TimerId timer = 0;

  void start() {
    listener = page->contexts.on_created([weak = weak_from_this()] {
      if (auto self = weak.lock()) self->page->loop.post([self] { self->step(); });
    });
    step();
  }

  void step() {
    if (!done) return;
    if (auto error = page->refusal(op)) return finish(std::move(*error));
    if (const WorldContext* context = page->contexts.find(frame, host_world)) return finish(WorldContext(*context));
    if (page->loop.now_ms() >= deadline) {
      return finish(Error{ErrorKind::timeout, "the frame has no document to run in", op, ""});
    }
    make_host_world();
    page->loop.cancel(timer);
    timer = page->loop.after(std::chrono::milliseconds(kContextPollMs), [self = shared_from_this()] { self->step(); });
  }

  /// Documents that were there before the session was attached have no host world yet.
  void make_host_world() {
    const WorldContext* own = page->contexts.find(frame, false);
    if (!host_world || own == nullptr || making_world) return;
    making_world = true;
    page->cdp->call(own->session, "Page.createIsolatedWorld",
                    dump_json({{"frameId", frame}, {"worldName", kHostWorld}}), kContextPollMs * 10,
                    [self = shared_from_this()](Result<CdpConnection::Reply>) {
                      self->making_world = false;
                      self->step();
                    });
  }

  void finish(Result<WorldContext> result) {
    page->loop.cancel(timer);
    page->contexts.remove_listener(listener);
    std::exchange(done, nullptr)(std::move(result));
  }
};

std::size_t weight(const Json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().size();
  std::size_t total = 8;
  if (value.is_structured()) {
    for (const auto& [key, item] : value.items()) total += key.size() + weight(item);
  }
  return total;
}

/// -0, NaN, Infinity and "123n": numbers that JSON cannot spell.
std::optional<double> special_number(const std::string& text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text == "-0") return -0.0;
  if (text.size() < 2 || text.size() > 20 || text.back() != 'n') return std::nullopt;
  const double number = std::strtod(text.c_str(), nullptr);
  if (std::abs(number) >= kLargestInteger) return std::nullopt;
  return number;
}

Error exception_error(const std::string& op, const Json& details) {
  const Json& exception = nested_field(details, "exception");
  std::string text = text_of(exception, "description");
  if (text.empty() && exception.contains("value")) text = "Uncaught " + dump_json(exception["value"]);
  if (text.empty()) text = text_of(details, "text");
  std::string url = text_of(details, "url");
  for (const Json& call : nested_field(nested_field(details, "stackTrace"), "callFrames")) {
    if (url.empty()) url = text_of(call, "url");
  }
  const Json detail = {{"text", text.substr(0, 4096)},
                       {"line", static_cast<int>(number_field(details, "lineNumber")) + 1},
                       {"column", static_cast<int>(number_field(details, "columnNumber")) + 1},
                       {"url", url}};
  return {ErrorKind::js_error, text.substr(0, text.find('\n')).substr(0, 500), op, dump_json(detail)};
}

}  // namespace

void Page::State::with_context(const std::string& op, const std::string& frame, bool host_world, int timeout_ms,
                               Callback<WorldContext> done) {
  if (!refusal(op)) {
    const WorldContext* context = contexts.find(frame.empty() ? target : frame, host_world);
    if (context != nullptr) return done(WorldContext(*context));
  }
  auto wait = std::make_shared<ContextWait>();
  wait->page = shared_from_this();
  wait->op = op;
  wait->frame = frame.empty() ? target : frame;
  wait->host_world = host_world;
  wait->deadline = loop.now_ms() + timeout_ms;
  wait->done = std::move(done);
  loop.post([wait] { wait->start(); });
}

Result<Json> remote_value(const std::string& op, Json reply) {
  const Json& exception = nested_field(reply, "exceptionDetails");
  if (!exception.empty()) return exception_error(op, exception);
  const Json& object = nested_field(reply, "result");
  const std::string special = text_of(object, "unserializableValue");
  if (!special.empty()) {
    if (auto number = special_number(special)) return Json(*number);
    return Error{ErrorKind::eval_unserializable, special.substr(0, 100) + " does not fit in a number", op, ""};
  }
  const std::string type = text_of(object, "type");
  if (type == "symbol" || type == "function") {
    return Error{ErrorKind::eval_unserializable, "the result is a " + type + ", not data", op, ""};
  }
  if (!object.contains("value")) return Json(nullptr);
  if (weight(object["value"]) > kResultLimit) {
    return Error{ErrorKind::cdp_too_large, "the result is larger than 16 MiB", op, ""};
  }
  return std::move(reply["result"]["value"]);
}

void run_script(std::shared_ptr<Page::State> page, const std::string& op, const WorldContext& context, Script script,
                int timeout_ms, Callback<Json> done) {
  // Composed as text: this is the call that scripts make most.
  std::string params = R"({"returnByValue":true,"awaitPromise":true)";
  if (context.unique_id.empty()) {
    params += R"(,"executionContextId":)" + std::to_string(context.id);
  } else {
    params += R"(,"uniqueContextId":)";
    append_quoted(params, context.unique_id);
  }
  params += script.arguments ? R"(,"functionDeclaration":)" : R"(,"expression":)";
  append_quoted(params, script.source);
  if (script.arguments) {
    Json list = Json::array();
    for (Json& argument : *script.arguments) list.push_back({{"value", std::move(argument)}});
    params += R"(,"arguments":)" + dump_json(list);
  }
  params += '}';
  page->call(
      op, context.session, script.arguments ? "Runtime.callFunctionOn" : "Runtime.evaluate", params, timeout_ms,
      [op, done = std::move(done)](Result<CdpConnection::Reply> reply) {
        if (reply) return done(remote_value(op, std::move(reply->result)));
        Error error = reply.error();
        // What by-value serialization refuses: cycles, depth, objects that are no data.
        if (error.kind == ErrorKind::cdp_error && (error.message.find("reference chain") != std::string::npos ||
                                                   error.message.find("returned by value") != std::string::npos)) {
          error.kind = ErrorKind::eval_unserializable;
          error.message = "the result has a cycle, is nested too deeply, or is no plain data";
        }
        done(std::move(error));
      });
}

void Page::evaluate(EvaluateRequest request, Callback<Json> done) {
  const auto page = state_;
  const std::string op = "page:evaluate";
  Script script{request.source, std::nullopt};
  if (request.arguments) {
    script.arguments = Json::parse(*request.arguments, nullptr, false);
    if (!script.arguments->is_array()) {
      const Error error{ErrorKind::type_mismatch, "the arguments are not a JSON array", op, ""};
      return page->loop.post([error, done = std::move(done)] { done(error); });
    }
  }
  auto run = [page, op, request, script = std::move(script)](Callback<Json> answer) mutable {
    const double deadline = page->loop.now_ms() + request.timeout_ms;
    page->with_context(
        op, request.frame, request.host_world, request.timeout_ms,
        [page, op, script = std::move(script), deadline, answer = std::move(answer)](auto context) mutable {
          if (!context) return answer(context.error());
          const int left = std::max(1, static_cast<int>(deadline - page->loop.now_ms()));
          run_script(page, op, *context, std::move(script), left, std::move(answer));
        });
  };
  if (request.is_read_only) return run(std::move(done));
  // It may change the page: that comes between two frames, the same ones when it is done again.
  in_turn<Json>(page->clock.get(), std::move(done), std::move(run));
}

void Page::frame_rate(int ms, Callback<double> done) {
  const auto page = state_;
  const std::string op = "page:frame_rate";
  if (page->clock && !page->clock->is_thawed()) {
    const Error error{ErrorKind::clock_unavailable,
                      "the page stands still and has no frame rate: call page:thaw() first", op, ""};
    return page->loop.post([error, done = std::move(done)] { done(error); });
  }
  page->with_context(op, "", true, 2000, [page, op, ms, done = std::move(done)](auto context) mutable {
    if (!context) return done(context.error());
    Script count{std::string(page_function("frame_tick")), Json::array({{{"count", 1'000'000'000}, {"limit_ms", ms}}})};
    run_script(page, op, *context, std::move(count), ms + 5000, [op, done](Result<Json> seen) {
      if (!seen) return done(seen.error());
      const double took_ms = number_field(*seen, "ms");
      if (took_ms <= 0) return done(Error{ErrorKind::js_error, "no frame rate came back", op, ""});
      done(number_field(*seen, "ticks") * 1000 / took_ms);
    });
  });
}

}  // namespace qa
