// Operations of Page that are one command to the browser, or one that needs another to be undone.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/browser/cdp_reply.h"
#include "host/browser/json_fields.h"
#include "host/browser/page.h"
#include "host/browser/page_state.h"

namespace qa {
namespace {

constexpr int kCommandMs = 10000;

/// Passes the failure of a command on, and its result to `take`.
template <class T, class Take>
Callback<CdpConnection::Reply> reading(Callback<T> done, Take take) {
  return [done = std::move(done), take = std::move(take)](Result<CdpConnection::Reply> reply) {
    if (!reply) return done(reply.error());
    done(take(reply->result));
  };
}

Callback<CdpConnection::Reply> ignoring(Callback<Unit> done) {
  return reading(std::move(done), [](const Json&) -> Result<Unit> { return Unit{}; });
}

/// The session that serves a frame; the page's own for a frame that runs no script.
std::string serving(const Page::State& page, const std::string& frame) {
  const std::string session = page.session_of(frame);
  return session.empty() ? page.session : session;
}

Result<std::string> plain_text(const std::string& op, const Json& answer, const char* key) {
  if (!flag_field(answer, "base64Encoded")) return text_of(answer, key);
  return Error{ErrorKind::cdp_error, "the resource is no text", op, ""};
}

void add_resources(const Json& tree, Json& list) {
  const Json& frame = nested_field(tree, "frame");
  const std::string id = text_of(frame, "id"), document = text_of(frame, "url");
  list.push_back({{"url", document}, {"type", "Document"}, {"frame", id}, {"document", document}});
  for (const Json& resource : nested_field(tree, "resources")) {
    list.push_back({{"url", text_of(resource, "url")},
                    {"type", text_of(resource, "type")},
                    {"frame", id},
                    {"document", document}});
  }
  for (const Json& child : nested_field(tree, "childFrames")) add_resources(child, list);
}

/// Reads a stream of the browser and closes it, whatever came.
void read_stream(std::shared_ptr<Page::State> page, const std::string& session, const std::string& stream,
                 const FrameRequest& request, int most_bytes, Callback<std::string> done) {
  const std::string op = "page:load_resource";
  page->call(op, session, "IO.read", dump_json({{"handle", stream}, {"size", most_bytes}}), request.timeout_ms,
             reading(std::move(done), [op](const Json& chunk) { return plain_text(op, chunk, "data"); }));
  page->cdp->send(session, "IO.close", dump_json({{"handle", stream}}));
}

}  // namespace

void Page::node_box(std::int64_t node, FrameRequest request, Callback<Json> done) {
  const std::string op = "page:node_box";
  const Error none{ErrorKind::element_not_found, "the element has no box in this process", op, ""};
  if (state_->session_of(request.frame) != state_->session) {
    return state_->loop.post([none, done = std::move(done)] { done(none); });
  }
  state_->call(op, state_->session, "DOM.getBoxModel", dump_json({{"backendNodeId", node}}), request.timeout_ms,
               [none, done = std::move(done)](Result<CdpConnection::Reply> reply) {
                 if (!reply) return done(reply.error().kind == ErrorKind::cdp_error ? none : reply.error());
                 // Four corners, from the left upper one on.
                 const Json& corners = nested_field(nested_field(reply->result, "model"), "border");
                 if (corners.size() < 8) return done(none);
                 const double x = corners[0], y = corners[1];
                 const double width = corners[4].get<double>() - x, height = corners[5].get<double>() - y;
                 done(Json{{"x", x}, {"y", y}, {"width", width}, {"height", height}});
               });
}

void Page::resources(FrameRequest request, Callback<Json> done) {
  state_->call("page:resources", serving(*state_, request.frame), "Page.getResourceTree", "", request.timeout_ms,
               reading(std::move(done), [](const Json& answer) -> Result<Json> {
                 Json list = Json::array();
                 add_resources(nested_field(answer, "frameTree"), list);
                 return list;
               }));
}

void Page::resource_text(std::string url, FrameRequest request, Callback<std::string> done) {
  const std::string op = "page:resource_text", frame = request.frame.empty() ? state_->target : request.frame;
  state_->call(op, serving(*state_, frame), "Page.getResourceContent", dump_json({{"frameId", frame}, {"url", url}}),
               request.timeout_ms,
               reading(std::move(done), [op](const Json& answer) { return plain_text(op, answer, "content"); }));
}

void Page::load_resource(std::string url, FrameRequest request, int most_bytes, Callback<std::string> done) {
  const std::string op = "page:load_resource", frame = request.frame.empty() ? state_->target : request.frame;
  if (auto answer = state_->requests.answer_here(url); answer && answer->status == 200) {
    answer->body.resize(std::min<std::size_t>(answer->body.size(), static_cast<std::size_t>(most_bytes)));
    return state_->loop.post([body = std::move(answer->body), done = std::move(done)] { done(body); });
  }
  const std::string session = serving(*state_, frame);
  const Json options = {{"disableCache", false}, {"includeCredentials", true}};
  state_->call(op, session, "Network.loadNetworkResource",
               dump_json({{"frameId", frame}, {"url", url}, {"options", options}}), request.timeout_ms,
               [=, state = state_, done = std::move(done)](Result<CdpConnection::Reply> reply) {
                 if (!reply) return done(reply.error());
                 const Json& resource = nested_field(reply->result, "resource");
                 const std::string stream = text_of(resource, "stream");
                 if (!stream.empty()) return read_stream(state, session, stream, request, most_bytes, done);
                 done(Error{ErrorKind::navigation_error, "the resource did not load", op,
                            dump_json({{"url", url}, {"net_error", text_of(resource, "netErrorName")}})});
               });
}

void Page::add_preload(std::string source, Callback<std::string> done) {
  state_->call("page:add_preload", state_->session, "Page.addScriptToEvaluateOnNewDocument",
               dump_json({{"source", source}}), kCommandMs,
               reading(std::move(done),
                       [](const Json& answer) -> Result<std::string> { return text_of(answer, "identifier"); }));
}

void Page::remove_preload(std::string id, Callback<Unit> done) {
  state_->call("page:remove_preload", state_->session, "Page.removeScriptToEvaluateOnNewDocument",
               dump_json({{"identifier", id}}), kCommandMs, ignoring(std::move(done)));
}

void Page::terminate_script(Callback<Unit> done) {
  state_->call("page:terminate_script", state_->session, "Runtime.terminateExecution", "", kCommandMs,
               ignoring(std::move(done)));
}

void Page::metrics(int timeout_ms, Callback<Json> done) {
  // Chromium answers getMetrics at once, also before a command that was sent earlier.
  if (!state_->has_metrics) {
    state_->call("page:metrics", state_->session, "Performance.enable", "", timeout_ms,
                 [self = shared_from_this(), timeout_ms, done = std::move(done)](auto reply) {
                   if (!reply) return done(reply.error());
                   self->state_->has_metrics = true;
                   self->metrics(timeout_ms, done);
                 });
    return;
  }
  state_->call("page:metrics", state_->session, "Performance.getMetrics", "", timeout_ms,
               reading(std::move(done), [](const Json& answer) -> Result<Json> {
                 Json by_name = Json::object();
                 for (const Json& metric : nested_field(answer, "metrics")) {
                   by_name[text_of(metric, "name")] = number_field(metric, "value");
                 }
                 return by_name;
               }));
}

void Page::State::show_gamepad(const std::string& id, Callback<Unit> done) {
  call("page:gamepad", id, "Page.addScriptToEvaluateOnNewDocument",
       dump_json({{"source", gamepad}, {"runImmediately", true}}), kCommandMs,
       [self = shared_from_this(), id, done = std::move(done)](Result<CdpConnection::Reply> reply) {
         if (!reply) return done(reply.error());
         const auto known = self->sessions.find(id);
         if (known != self->sessions.end()) {
           const auto last = std::exchange(known->second.gamepad, text_of(reply->result, "identifier"));
           if (!last.empty())
             self->cdp->send(id, "Page.removeScriptToEvaluateOnNewDocument", dump_json({{"identifier", last}}));
         }
         done(Unit{});
       });
}

void Page::gamepad(const GamepadState& pad, Callback<Unit> done) {
  const auto show = [state = state_, pad](Callback<Unit> shown) {
    state->gamepad = "(" + std::string(page_function("gamepad")) + ")(" +
                     dump_json({{"buttons", pad.buttons}, {"axes", pad.axes}}) + ", " +
                     std::string(page_function("patching")) + ")";
    // A frame or worker that goes away meanwhile needs none.
    for (const auto& [id, facts] : state->sessions) {
      if (facts.type == "iframe") state->show_gamepad(id, [](const Result<Unit>&) {});
    }
    state->show_gamepad(state->session, std::move(shown));
  };
  if (!state_->clock) return show(std::move(done));
  in_turn<Unit>(state_->clock.get(), std::move(done), [state = state_, show](const Callback<Unit>& held) {
    show([state, held](const Result<Unit>& shown) { state->clock->pause(0, true, [held, shown] { held(shown); }); });
  });
}

void Page::emulate_touch(bool is_on, Callback<Unit> done) {
  in_turn<Unit>(state_->clock.get(), std::move(done), [state = state_, is_on](Callback<Unit> changed) {
    state->call("page:emulate_touch", state->session, "Emulation.setTouchEmulationEnabled", touch_emulation(is_on),
                kCommandMs, ignoring(std::move(changed)));
  });
}

}  // namespace qa
