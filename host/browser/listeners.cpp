// Page::listeners: what the page listens to, frame by frame, through DOMDebugger.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "host/browser/cdp_reply.h"
#include "host/browser/evaluate.h"
#include "host/browser/frames.h"
#include "host/browser/json_fields.h"

namespace qa {
namespace {

constexpr char kOp[] = "page:listeners";
constexpr int kTimeoutMs = 5000;
constexpr std::size_t kMaxListeners = 200;
constexpr std::size_t kMaxSource = 4000;
constexpr char kGroup[] = "qa-listeners";
constexpr std::size_t kLeastText = 100;  ///< Of a handler that tells whose script it is of.
/// An object with handleEvent instead of a function.
constexpr char kHandlerText[] = "function () { return String(this.handleEvent || '').slice(0, 4000); }";

struct Listing : std::enable_shared_from_this<Listing> {
  struct Raw {
    std::string session, frame, object_id, script_id;
    bool is_of_clock = false;  ///< Its text is found in that of the game clock.
    std::int64_t node = -1;    ///< Backend node id, -1 for the window.
    Json entry;
  };

  std::shared_ptr<Page::State> page;
  Callback<Json> done;
  std::vector<FrameBox> frames;
  std::vector<std::vector<Raw>> by_frame;  ///< Per frame: the window's first, then the document's.
  std::vector<Raw> kept;
  std::map<std::pair<std::string, std::int64_t>, std::string> node_names;
  std::optional<Error> failure;
  double deadline = 0;
  int waiting = 0;

  int left() const { return std::max(1, static_cast<int>(deadline - page->loop.now_ms())); }

  void start() {
    deadline = page->loop.now_ms() + kTimeoutMs;
    collect_frames(page, kOp, false, kTimeoutMs, [self = shared_from_this()](Result<std::vector<FrameBox>> found) {
      if (!found) return self->done(found.error());
      self->frames = std::move(*found);
      self->by_frame.resize(self->frames.size());
      self->waiting = 1;
      for (std::size_t i = 0; i < self->frames.size(); ++i) {
        self->ask_object(i, "window");
        self->ask_object(i, "document");
      }
      self->answered(&Listing::choose);
    });
  }

  /// The next stage begins when every question of this one is answered.
  void answered(void (Listing::*next)()) {
    if (--waiting == 0) (this->*next)();
  }

  void ask_object(std::size_t index, const std::string& name) {
    const WorldContext* context = page->contexts.find(frames[index].id, false);
    if (context == nullptr) return;
    ++waiting;
    const std::string session = context->session;
    const Json params = {{"expression", name}, {"uniqueContextId", context->unique_id}, {"objectGroup", kGroup}};
    page->call(kOp, session, "Runtime.evaluate", dump_json(params), left(),
               [self = shared_from_this(), index, session, name](Result<CdpConnection::Reply> reply) {
                 if (!reply && index == 0) self->failure = reply.error();
                 const std::string id = reply ? text_of(nested_field(reply->result, "result"), "objectId") : "";
                 if (id.empty()) return self->answered(&Listing::choose);
                 self->ask_listeners(index, session, id, name == "window");
               });
  }

  void ask_listeners(std::size_t index, const std::string& session, const std::string& object, bool window) {
    Json params = {{"objectId", object}};
    if (!window) {
      params["depth"] = -1;
      params["pierce"] = true;  // Shadow roots; also same-process frames, which are sorted out in choose().
    }
    page->call(kOp, session, "DOMDebugger.getEventListeners", dump_json(params), left(),
               [self = shared_from_this(), index, session](Result<CdpConnection::Reply> reply) {
                 if (reply) self->keep(index, session, nested_field(reply->result, "listeners"));
                 self->answered(&Listing::choose);
               });
  }

  void keep(std::size_t index, const std::string& session, const Json& listeners) {
    for (const Json& facts : listeners) {
      if (by_frame[index].size() >= kMaxListeners * 4) return;
      const Json& handler = nested_field(facts, "handler");
      Raw raw;
      raw.session = session;
      raw.frame = frames[index].id;
      raw.node = static_cast<std::int64_t>(number_field(facts, "backendNodeId", -1));
      const bool is_function = text_of(handler, "type") == "function";
      const std::string text = is_function ? text_of(handler, "description") : "";
      raw.script_id = text_of(facts, "scriptId");
      raw.is_of_clock =
          page->clock && text.size() > kLeastText && page_function("clock").find(text) != std::string_view::npos;
      if (!is_function) raw.object_id = text_of(handler, "objectId");
      raw.entry = {{"type", text_of(facts, "type")},
                   {"target", "window"},
                   {"frame", raw.frame},
                   {"passive", flag_field(facts, "passive")},
                   {"once", flag_field(facts, "once")},
                   {"script", ""},
                   {"line", static_cast<int>(number_field(facts, "lineNumber")) + 1},
                   {"column", static_cast<int>(number_field(facts, "columnNumber")) + 1},
                   {"source", text.substr(0, kMaxSource)}};
      by_frame[index].push_back(std::move(raw));
    }
  }

  /// What the host's own script listens to on a page on game time is not the page's.
  void leave_out_clock() {
    std::set<std::pair<std::string, std::string>> scripts;
    for (const auto& list : by_frame) {
      for (const Raw& raw : list) {
        if (raw.is_of_clock) scripts.emplace(raw.session, raw.script_id);
      }
    }
    for (auto& list : by_frame) {
      std::erase_if(list, [&](const Raw& raw) { return scripts.contains({raw.session, raw.script_id}); });
    }
  }

  /// A parent's document also lists what its same-process frames listen to; the innermost frame, which comes last in
  /// document order, is the true owner.
  void choose() {
    if (failure) return finish();
    leave_out_clock();
    std::set<std::tuple<std::string, std::int64_t, std::string>> seen;
    for (std::size_t i = frames.size(); i-- > 0;) {
      std::erase_if(by_frame[i], [&](const Raw& raw) {
        if (raw.node < 0) return false;
        Json key = raw.entry;
        key.erase("frame");
        return !seen.insert({raw.session, raw.node, dump_json(key)}).second;
      });
    }
    for (auto& list : by_frame) {
      for (Raw& raw : list) {
        if (kept.size() < kMaxListeners) kept.push_back(std::move(raw));
      }
    }
    waiting = 1;
    for (std::size_t i = 0; i < kept.size(); ++i) describe(i);
    answered(&Listing::finish);
  }

  void describe(std::size_t index) {
    const Raw& raw = kept[index];
    if (raw.node >= 0 && node_names.emplace(std::pair(raw.session, raw.node), "").second) {
      ++waiting;
      page->call(
          kOp, raw.session, "DOM.describeNode", dump_json({{"backendNodeId", raw.node}}), left(),
          [self = shared_from_this(), key = std::pair(raw.session, raw.node)](Result<CdpConnection::Reply> reply) {
            if (reply) self->node_names[key] = text_of(nested_field(reply->result, "node"), "nodeName");
            self->answered(&Listing::finish);
          });
    }
    if (raw.object_id.empty()) return;
    ++waiting;
    const Json params = {{"functionDeclaration", kHandlerText}, {"objectId", raw.object_id}, {"returnByValue", true}};
    page->call(kOp, raw.session, "Runtime.callFunctionOn", dump_json(params), left(),
               [self = shared_from_this(), index](Result<CdpConnection::Reply> reply) {
                 if (reply) {
                   self->kept[index].entry["source"] =
                       text_of(nested_field(reply->result, "result"), "value").substr(0, kMaxSource);
                 }
                 self->answered(&Listing::finish);
               });
  }

  void finish() {
    std::set<std::string> sessions;
    for (const FrameBox& frame : frames) sessions.insert(frame.session);
    for (const std::string& session : sessions) {
      page->cdp->send(session, "Runtime.releaseObjectGroup", dump_json({{"objectGroup", kGroup}}));
    }
    if (failure) return done(std::move(*failure));
    Json list = Json::array();
    for (Raw& raw : kept) {
      if (raw.node >= 0) {
        raw.entry["target"] = target_name(node_names[{raw.session, raw.node}]);
        raw.entry["node"] = raw.node;
      }
      list.push_back(std::move(raw.entry));
    }
    done(std::move(list));
  }

  static std::string target_name(std::string node_name) {
    if (node_name == "#document") return "document";
    std::transform(node_name.begin(), node_name.end(), node_name.begin(),
                   [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
    return node_name.empty() ? "element" : node_name;
  }
};

}  // namespace

void Page::listeners(Callback<Json> done) {
  auto listing = std::make_shared<Listing>();
  listing->page = state_;
  listing->done = std::move(done);
  listing->start();
}

}  // namespace qa
