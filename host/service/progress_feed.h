#pragma once
// ProgressFeed: what clients see of runs while they go on, as server-sent events (WHATWG HTML, 9.2):
//   event: state     data: the record, as GET /runs/ID gives it; the last one has the id "end"
//   event: progress  data: {"line": "[   0.5 s] navigation"}
// Who connects late, or again with Last-Event-ID, gets what it has missed of the last lines. Loop thread only.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/net/http_reply.h"
#include "host/service/run_record.h"

namespace qa {

class ProgressFeed {
 public:
  void state(const RunRecord& record);
  void line(const std::string& id, std::string_view text);
  /// The events of a run, open until it is over. `last_id` as the client sent it, or "".
  HttpReply connect(const RunRecord& record, std::string_view last_id);
  /// A comment to every reader, so that proxies keep the connections.
  void keep_alive();

 private:
  struct Event {
    std::uint64_t number;
    std::string text;
  };
  struct Run {
    std::uint64_t next = 1;
    std::deque<Event> events;
    std::vector<std::shared_ptr<HttpStream>> readers;
  };
  void add(const std::string& id, std::string_view name, std::string_view data);

  std::map<std::string, Run> runs_;  ///< That are not over.
};

}  // namespace qa
