// Targets of a browser: new pages, popups, and what the host lets go.
//
//   Target.createTarget -+-> reply {targetId} --+
//                        +-> attachedToTarget --+--> claim -> Page, set up -> done

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/browser/browser_state.h"
#include "host/browser/cdp_reply.h"
#include "host/browser/json_fields.h"
#include "host/browser/page_access.h"
#include "host/browser/page_state.h"
#include "host/browser/tape_track.h"

namespace qa {
namespace {

using std::chrono::milliseconds;

constexpr int kOpenMs = 30000;
constexpr int kMaxPopups = 10;
constexpr char kOp[] = "browser:new_page";

}  // namespace

void Browser::new_page(PageOptions options, Callback<std::shared_ptr<Page>> done) {
  const auto state = state_;
  if (state->loss || state->closing) {
    Error error = state->loss.value_or(Error{ErrorKind::browser_lost, "the browser was closed", "", ""});
    error.op = kOp;
    return state->loop.post([error, done = std::move(done)] { done(error); });
  }
  const int id = state->next_opening++;
  State::NewPage& request = state->opening[id];
  request.options = options;
  request.done = std::move(done);
  request.timer = state->loop.after(milliseconds(kOpenMs), [state, id] {
    auto found = state->opening.extract(id);
    if (!found.empty()) found.mapped().done(Error{ErrorKind::timeout, "the browser did not open a page", kOp, ""});
  });
  if (!options.clock) return state->create_target(id, state->context);
  // A page on game time starts with no cookies, storage or cache of another one.
  state->cdp->call("", "Target.createBrowserContext", R"({"disposeOnDetach":true})", kOpenMs,
                   [state, id](Result<CdpConnection::Reply> reply) {
                     const auto found = state->opening.find(id);
                     if (found == state->opening.end()) return;
                     if (!reply) return state->refuse(id, reply.error());
                     found->second.own_context = text_of(reply->result, "browserContextId");
                     state->deny_downloads(found->second.own_context);
                     state->create_target(id, found->second.own_context);
                   });
}

void Browser::State::create_target(int id, const std::string& in_context) {
  Json target{{"url", "about:blank"}};
  if (!in_context.empty()) target["browserContextId"] = in_context;
  cdp->call("", "Target.createTarget", dump_json(target), kOpenMs,
            [self = shared_from_this(), id](Result<CdpConnection::Reply> reply) {
              const auto found = self->opening.find(id);
              if (found == self->opening.end()) return;
              if (!reply) return self->refuse(id, reply.error());
              found->second.target = text_of(reply->result, "targetId");
              if (self->info.remote) self->attach_to(found->second.target);
              self->claim(id);
            });
}

void Browser::State::refuse(int id, Error error) {
  auto request = opening.extract(id);
  loop.cancel(request.mapped().timer);
  error.op = kOp;
  request.mapped().done(std::move(error));
}

void Browser::State::deny_downloads(const std::string& in_context) {
  Json params{{"behavior", "deny"}, {"eventsEnabled", true}};
  if (!in_context.empty()) params["browserContextId"] = in_context;
  cdp->send("", "Browser.setDownloadBehavior", dump_json(params));
}

bool Browser::State::is_ours(const std::string& in_context) const {
  return in_context == context || std::any_of(pages.begin(), pages.end(), [&](const OpenPage& open) {
           return open.state->own_context == in_context;
         });
}

void Browser::State::on_event(std::string_view method, const Json& params) {
  const auto self = shared_from_this();
  if (method == "Target.attachedToTarget") {
    const Json& target_info = nested_field(params, "targetInfo");
    const std::string session = text_of(params, "sessionId");
    if (text_of(target_info, "type") == "page") return on_page_target(session, target_info);
    let_go(session);
  } else if (method == "Target.targetCreated") {
    on_created_target(nested_field(params, "targetInfo"));
  } else if (method == "Target.detachedFromTarget") {
    const std::string session = text_of(params, "sessionId");
    std::erase_if(unclaimed, [&](const auto& entry) { return entry.second == session; });
    for (const OpenPage& open : pages) {
      if (open.state->session != session) continue;
      const auto state = open.state;
      return state->end({ErrorKind::page_closed, "the page was closed", "", ""});
    }
  } else if (method == "Browser.downloadWillBegin") {
    const std::string frame = text_of(params, "frameId");
    for (const OpenPage& open : pages) {
      if (open.state->session_of(frame).empty()) continue;
      const std::string url = text_of(params, "url");
      open.state->health->add("download", url, {{"url", url}, {"file", text_of(params, "suggestedFilename")}});
      return;
    }
  }
}

/// Popups of our pages. All that others open is told, too, and passed over.
void Browser::State::on_created_target(const Json& target_info) {
  if (!info.remote || !is_ours(text_of(target_info, "browserContextId"))) return;
  if (text_of(target_info, "type") != "page" || text_of(target_info, "openerId").empty()) return;
  attach_to(text_of(target_info, "targetId"));
}

void Browser::State::attach_to(const std::string& target) {
  cdp->send("", "Target.attachToTarget", dump_json({{"targetId", target}, {"flatten", true}}));
}

void Browser::State::on_page_target(const std::string& session, const Json& target_info) {
  const std::string target = text_of(target_info, "targetId");
  const std::string opener = text_of(target_info, "openerId");
  if (loss || closing || session.empty() || target.empty()) return;
  // A subtype is a page that nobody sees, such as a prerendered one.
  if (!text_of(target_info, "subtype").empty()) return let_go(session);
  if (!opener.empty()) return adopt_popup(session, target, opener, target_info);
  // The window that a browser opens by itself at its start belongs to nobody.
  if (opening.empty()) return let_go(session);
  unclaimed[target] = session;
  for (const auto& [id, request] : opening) {
    if (request.target == target) return claim(id);
  }
}

void Browser::State::claim(int id) {
  NewPage& request = opening[id];
  const auto attached = unclaimed.find(request.target);
  if (request.target.empty() || attached == unclaimed.end()) return;
  const std::string session = attached->second;
  unclaimed.erase(attached);
  auto node = opening.extract(id);
  loop.cancel(node.mapped().timer);
  const auto page = add_page(session, node.mapped().target, node.mapped().options, false);
  OpenPage* open = find_page(node.mapped().target);
  open->state->own_context = node.mapped().own_context;
  open->state->set_up([page, done = std::move(node.mapped().done)](Result<Unit> ready) {
    if (ready) return done(page);
    Error error = ready.error();
    error.op = kOp;
    done(std::move(error));
  });
  if (!opening.empty()) return;
  for (const auto& [target, stray] : std::exchange(unclaimed, {})) let_go(stray);
}

void Browser::State::adopt_popup(const std::string& session, const std::string& target, const std::string& opener,
                                 const Json& target_info) {
  OpenPage* parent = find_page(opener);
  if (parent == nullptr) return let_go(session);
  const auto popups = std::count_if(pages.begin(), pages.end(), [](const OpenPage& open) { return open.popup; });
  const bool refused = popups >= kMaxPopups;
  std::string url = text_of(target_info, "url");
  if (url.empty()) url = parent->state->opened_window;
  parent->state->health->add("popup", url, {{"url", url}, {"closed", refused}});
  if (refused) {
    // Closed before it may start; but start it must, for its opener's thread waits with it.
    cdp->send("", "Target.closeTarget", dump_json({{"targetId", target}}));
    return let_go(session);
  }
  const PageOptions options = parent->state->options;
  GameClock* const parent_clock = parent->state->clock.get();  // The list of pages is about to move.
  add_page(session, target, options, true);
  const auto popup = find_page(target)->state;
  popup->set_up([](Result<Unit>) {});
  if (parent_clock != nullptr) parent_clock->add_popup(popup);
}

std::shared_ptr<Page> Browser::State::add_page(const std::string& session, const std::string& target,
                                               const PageOptions& options, bool popup) {
  auto state = std::make_shared<Page::State>(handle.lock(), shared_from_this(), options, target, session);
  state->requests.set_rules(access_rules(options.access, options.is_remote, popup));
  if (options.tape) state->requests.set_tape(std::make_unique<TapeTrack>(loop, *options.tape, options.access));
  auto page = std::make_shared<Page>(state);
  pages.push_back({page, std::move(state), popup});
  return page;
}

void Browser::State::let_go(const std::string& session) {
  if (session.empty()) return;
  cdp->send(session, "Runtime.runIfWaitingForDebugger");
  cdp->send("", "Target.detachFromTarget", dump_json({{"sessionId", session}}));
}

void Browser::State::remove_page(const std::string& target) {
  std::erase_if(pages, [&](const OpenPage& open) { return open.state->target == target; });
}

Browser::State::OpenPage* Browser::State::find_page(const std::string& target) {
  const auto found =
      std::find_if(pages.begin(), pages.end(), [&](const OpenPage& open) { return open.state->target == target; });
  return found == pages.end() ? nullptr : &*found;
}

}  // namespace qa
