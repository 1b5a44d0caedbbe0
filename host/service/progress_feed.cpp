#include "host/service/progress_feed.h"

#include <charconv>
#include <utility>

#include "host/json_text.h"

namespace qa {
namespace {

constexpr std::size_t kMostEvents = 200;
constexpr std::string_view kEndId = "end";

std::string event_text(std::string_view id, std::string_view name, std::string_view data) {
  std::string text = "id: ";
  return text.append(id).append("\nevent: ").append(name).append("\ndata: ").append(data).append("\n\n");
}

}  // namespace

void ProgressFeed::add(const std::string& id, std::string_view name, std::string_view data) {
  Run& run = runs_[id];
  run.events.push_back({run.next, event_text(std::to_string(run.next), name, data)});
  ++run.next;
  if (run.events.size() > kMostEvents) run.events.pop_front();
  for (const auto& reader : run.readers) reader->write(run.events.back().text);
  std::erase_if(run.readers, [](const auto& reader) { return !reader->is_open(); });
}

void ProgressFeed::state(const RunRecord& record) {
  if (!record.is_over()) return add(record.id, "state", public_json(record));
  const auto found = runs_.find(record.id);
  if (found == runs_.end()) return;
  const Run run = std::move(found->second);
  runs_.erase(found);
  for (const auto& reader : run.readers) {
    reader->write(event_text(kEndId, "state", public_json(record)));
    reader->end();
  }
}

void ProgressFeed::line(const std::string& id, std::string_view text) {
  std::string data;
  ObjectText object(data);
  object.text("line", text);
  object.close();
  add(id, "progress", data);
}

HttpReply ProgressFeed::connect(const RunRecord& record, std::string_view last_id) {
  HttpReply reply;
  // An EventSource connects again when a stream ends; 204 tells it that this was all.
  if (last_id == kEndId) {
    reply.status = 204;
    return reply;
  }
  reply.headers = {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-cache"}};
  reply.stream = std::make_shared<HttpStream>();
  if (record.is_over()) {
    reply.text = event_text(kEndId, "state", public_json(record));
    reply.stream->end();
    return reply;
  }
  std::uint64_t last = 0;
  std::from_chars(last_id.data(), last_id.data() + last_id.size(), last);
  Run& run = runs_[record.id];
  if (run.events.empty()) reply.text = event_text("0", "state", public_json(record));
  for (const Event& event : run.events) {
    if (event.number > last) reply.text += event.text;
  }
  run.readers.push_back(reply.stream);
  return reply;
}

void ProgressFeed::keep_alive() {
  for (auto& [id, run] : runs_) {
    for (const auto& reader : run.readers) reader->write(":\n\n");
    std::erase_if(run.readers, [](const auto& reader) { return !reader->is_open(); });
  }
}

}  // namespace qa
