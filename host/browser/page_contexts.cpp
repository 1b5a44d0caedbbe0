#include "host/browser/page_contexts.h"

#include <nlohmann/json.hpp>

#include "host/browser/json_fields.h"

namespace qa {

void PageContexts::on_event(const std::string& session, std::string_view method, const nlohmann::json& params) {
  if (method == "Runtime.executionContextCreated") {
    const auto& context = nested_field(params, "context");
    const auto& facts = nested_field(context, "auxData");
    const std::string frame(text_field(facts, "frameId"));
    const bool is_page = flag_field(facts, "isDefault");
    if (frame.empty() || (!is_page && text_field(context, "name") != kHostWorld)) return;
    // A frame that moves to another process gets its new context before the old one is reported gone: the latest wins.
    contexts_[{frame, !is_page}] = {session, std::string(text_field(context, "uniqueId")),
                                    static_cast<std::int64_t>(number_field(context, "id"))};
    // A listener may remove itself, or others, while it runs.
    const auto listeners = listeners_;
    for (const auto& [id, listener] : listeners) {
      if (listeners_.count(id) != 0) listener();
    }
  } else if (method == "Runtime.executionContextDestroyed") {
    const std::string unique_id(text_field(params, "executionContextUniqueId"));
    const auto id = static_cast<std::int64_t>(number_field(params, "executionContextId", -1));
    std::erase_if(contexts_, [&](const auto& entry) {
      const WorldContext& context = entry.second;
      return unique_id.empty() ? context.session == session && context.id == id : context.unique_id == unique_id;
    });
  } else if (method == "Runtime.executionContextsCleared") {
    drop_session(session);
  }
}

void PageContexts::drop_session(const std::string& session) {
  std::erase_if(contexts_, [&](const auto& entry) { return entry.second.session == session; });
}

const WorldContext* PageContexts::find(const std::string& frame, bool host_world) const {
  const auto found = contexts_.find({frame, host_world});
  return found == contexts_.end() ? nullptr : &found->second;
}

const WorldContext* PageContexts::by_id(const std::string& session, std::int64_t id) const {
  for (const auto& [key, context] : contexts_) {
    if (context.id == id && context.session == session) return &context;
  }
  return nullptr;
}

std::uint64_t PageContexts::on_created(std::function<void()> listener) {
  listeners_.emplace(next_listener_, std::move(listener));
  return next_listener_++;
}

void PageContexts::remove_listener(std::uint64_t id) { listeners_.erase(id); }

}  // namespace qa
