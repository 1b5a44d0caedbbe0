#include "host/browser/frames.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/browser/cdp_reply.h"
#include "host/browser/json_fields.h"

namespace qa {
namespace {

constexpr int kMaxFrames = 200;
constexpr int kMaxDepth = 32;

/// One collection:
///   Page.getFrameTree on every session -> DOM.getFrameOwner + DOM.getBoxModel per child frame -> offsets summed
struct Collection : std::enable_shared_from_this<Collection> {
  struct Found {
    FrameBox frame;
    std::string owner_session;  ///< Where the <iframe> element lives; "" for the main frame.
    bool placed = false;
  };

  std::shared_ptr<Page::State> page;
  std::string op;
  bool with_boxes = false;
  double deadline = 0;
  Callback<std::vector<FrameBox>> done;
  std::vector<Found> found;
  int waiting = 0;
  bool is_one_process = false;
  std::optional<Error> failure;

  int left() const { return std::max(1, static_cast<int>(deadline - page->loop.now_ms())); }

  void start() {
    if (auto error = page->refusal(op)) return done(std::move(*error));
    std::vector<std::string> asked{page->session};
    for (const auto& [id, facts] : page->sessions) {
      if (facts.type == "iframe") asked.push_back(id);
    }
    waiting = static_cast<int>(asked.size());
    is_one_process = waiting == 1;
    // Other processes get half of the time, so that a stuck advertisement leaves time for the game.
    const int each = std::max(1, left() / 2);
    for (const std::string& session : asked) {
      auto on_tree = [self = shared_from_this(), session](Result<CdpConnection::Reply> reply) {
        self->on_tree(session, std::move(reply));
      };
      if (session == page->session) {
        page->call(op, session, "Page.getFrameTree", "", left(), std::move(on_tree));
      } else {
        page->cdp->call(session, "Page.getFrameTree", "", each, std::move(on_tree));
      }
    }
  }

  void on_tree(const std::string& session, Result<CdpConnection::Reply> reply) {
    if (reply) {
      add_tree(session, nested_field(reply->result, "frameTree"), 0);
    } else if (session == page->session) {
      failure = reply.error();
    }
    if (--waiting == 0) place_all();
  }

  void add_tree(const std::string& session, const Json& tree, int depth) {
    const Json& facts = nested_field(tree, "frame");
    Found entry;
    entry.frame.id = text_of(facts, "id");
    if (entry.frame.id.empty() || found.size() >= kMaxFrames || depth > kMaxDepth) return;
    entry.frame.parent = text_of(facts, "parentId");
    entry.frame.url = text_of(facts, "url") + text_of(facts, "urlFragment");
    entry.frame.name = text_of(facts, "name");
    entry.frame.origin = text_of(facts, "securityOrigin");
    entry.frame.session = session;
    entry.owner_session = session;
    if (depth == 0) {
      const auto known = page->sessions.find(session);
      entry.owner_session = known == page->sessions.end() ? "" : known->second.parent;
      entry.frame.out_of_process = session != page->session;
    }
    found.push_back(std::move(entry));
    for (const Json& child : nested_field(tree, "childFrames")) add_tree(session, child, depth + 1);
  }

  void place_all() {
    if (failure) return done(std::move(*failure));
    waiting = 1;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].frame.id == page->target) {
        found[i].frame.width = page->options.width;
        found[i].frame.height = page->options.height;
        found[i].placed = true;
      } else if (with_boxes) {
        ++waiting;
        ask_owner(i);
      }
    }
    placed_one();
  }

  void ask_owner(std::size_t index) {
    const std::string session = found[index].owner_session;
    page->cdp->call(session, "DOM.getFrameOwner", dump_json({{"frameId", found[index].frame.id}}), left(),
                    [self = shared_from_this(), index, session](Result<CdpConnection::Reply> reply) {
                      const double node = reply ? number_field(reply->result, "backendNodeId", -1) : -1;
                      if (node < 0) return self->placed_one();
                      self->ask_box(index, session, static_cast<std::int64_t>(node));
                    });
  }

  void ask_box(std::size_t index, const std::string& session, std::int64_t node) {
    page->cdp->call(session, "DOM.getBoxModel", dump_json({{"backendNodeId", node}}), left(),
                    [self = shared_from_this(), index](Result<CdpConnection::Reply> reply) {
                      // No box model: the frame is not rendered, and stays in the list without a box.
                      if (reply) self->set_box(index, nested_field(nested_field(reply->result, "model"), "content"));
                      self->placed_one();
                    });
  }

  void set_box(std::size_t index, const Json& quad) {
    if (quad.size() != 8 || !std::all_of(quad.begin(), quad.end(), [](const Json& n) { return n.is_number(); })) return;
    const auto corners = quad.get<std::vector<double>>();
    const auto [left, right] = std::minmax({corners[0], corners[2], corners[4], corners[6]});
    const auto [top, bottom] = std::minmax({corners[1], corners[3], corners[5], corners[7]});
    FrameBox& frame = found[index].frame;
    frame.x = left;
    frame.y = top;
    frame.width = right - left;
    frame.height = bottom - top;
    found[index].placed = true;
  }

  void placed_one() {
    if (--waiting > 0) return;
    if (auto error = page->refusal(op)) return done(std::move(*error));
    auto list = ordered();
    // Nothing was waited for since the tree came, so that no event has told otherwise.
    if (list.size() == 1 && found.size() == 1 && is_one_process) page->only_frame = list.front();
    done(std::move(list));
  }

  const Found* root_of(const std::string& session) const {
    const auto known = page->sessions.find(session);
    if (known == page->sessions.end()) return nullptr;
    for (const Found& entry : found) {
      if (entry.frame.id == known->second.target) return &entry;
    }
    return nullptr;
  }

  /// A box model counts from the viewport of the owner's process, so the offsets of processes add up, those of frames
  /// inside one process do not.
  void add_offsets(FrameBox& frame, std::string session) const {
    for (int depth = 0; depth < kMaxDepth && session != page->session; ++depth) {
      const Found* root = root_of(session);
      if (root == nullptr) return;
      frame.x += root->frame.x;
      frame.y += root->frame.y;
      session = root->owner_session;
    }
  }

  void append(const std::string& parent, int depth, std::vector<FrameBox>& list) const {
    for (const Found& entry : found) {
      if (entry.frame.parent != parent || depth > kMaxDepth) continue;
      list.push_back(entry.frame);
      if (entry.placed && entry.frame.width > 0) add_offsets(list.back(), entry.owner_session);
      append(entry.frame.id, depth + 1, list);
    }
  }

  std::vector<FrameBox> ordered() const {
    std::vector<FrameBox> list;
    for (const Found& entry : found) {
      if (entry.frame.id != page->target) continue;
      list.push_back(entry.frame);
      list.back().parent.clear();
      append(entry.frame.id, 0, list);
      break;
    }
    return list;
  }
};

}  // namespace

void collect_frames(std::shared_ptr<Page::State> page, std::string op, bool with_boxes, int timeout_ms,
                    Callback<std::vector<FrameBox>> done) {
  auto collection = std::make_shared<Collection>();
  collection->deadline = page->loop.now_ms() + timeout_ms;
  collection->page = std::move(page);
  collection->op = std::move(op);
  collection->with_boxes = with_boxes;
  collection->done = std::move(done);
  collection->page->loop.post([collection] { collection->start(); });
}

Json frame_json(const FrameBox& frame) {
  return {{"id", frame.id},         {"parent", frame.parent},
          {"url", frame.url},       {"name", frame.name},
          {"origin", frame.origin}, {"x", frame.x},
          {"y", frame.y},           {"width", frame.width},
          {"height", frame.height}, {"out_of_process", frame.out_of_process}};
}

}  // namespace qa
