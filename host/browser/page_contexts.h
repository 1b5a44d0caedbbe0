#pragma once
// PageContexts: which execution context stands for (frame, world), over all sessions of
// a page. Fed with Runtime events; used by everything that runs JavaScript. Loop thread only.

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace qa {

/// Name of the isolated world that the host's own functions run in.
inline constexpr char kHostWorld[] = "qa-host";

struct WorldContext {
  std::string session;
  std::string unique_id;  ///< Never used twice by one browser, unlike the numeric id.
  std::int64_t id = 0;
};

class PageContexts {
 public:
  /// Runtime.executionContextCreated, ...Destroyed, ...sCleared; others are ignored.
  void on_event(const std::string& session, std::string_view method, const nlohmann::json& params);
  void drop_session(const std::string& session);

  /// The context of a frame's own world or of the host's world there, or null.
  const WorldContext* find(const std::string& frame, bool host_world) const;

  /// The context that has this number in its session, or null.
  const WorldContext* by_id(const std::string& session, std::int64_t id) const;

  /// Runs whenever a context appears, until remove_listener.
  std::uint64_t on_created(std::function<void()> listener);
  void remove_listener(std::uint64_t id);

 private:
  std::map<std::pair<std::string, bool>, WorldContext> contexts_;
  std::map<std::uint64_t, std::function<void()>> listeners_;
  std::uint64_t next_listener_ = 1;
};

}  // namespace qa
