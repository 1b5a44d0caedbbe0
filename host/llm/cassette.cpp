#include "host/llm/cassette.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "host/base64.h"
#include "host/llm/dialect_json.h"
#include "host/sha256.h"

namespace qa {
namespace {

namespace fs = std::filesystem;

constexpr int kVersion = 1;
constexpr int kMostBits = 8;

Error miss(const std::string& message) { return {ErrorKind::cassette_miss, message}; }
Error broken(const std::string& path, const std::string& why) { return {ErrorKind::io_error, path + ": " + why}; }

/// http://127.0.0.1:41235/ and http://localhost:41235/ are another port in each run.
std::string without_ports(std::string text) {
  for (const std::string_view host : {"http://127.0.0.1:", "http://localhost:"}) {
    for (std::size_t at = text.find(host); at != std::string::npos; at = text.find(host, at)) {
      std::size_t end = at + host.size();
      while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
      text.replace(at, end - at, "http://game.local");
    }
  }
  return text;
}

std::string body_of(const Endpoint& endpoint, const ModelRow& model, Question question, bool with_hashes) {
  question.stream = false;
  for (Message& message : question.messages) {
    for (Part& part : message.parts) {
      if (!part.image) continue;
      // How pixels are encoded is no part of the question.
      part.image->media_type = "image/png";
      part.image->base64 = std::make_shared<const std::string>(with_hashes ? part.image->sha256 : "");
    }
  }
  return without_ports(dialect_of(endpoint.dialect).compose(endpoint, model, question));
}

Json json_of(const Answer& answer) {
  Json calls = Json::array();
  for (const ToolCall& call : answer.tool_calls) {
    Json known = {{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}};
    if (!call.toolset.empty()) known["toolset"] = call.toolset;
    if (!call.checks.empty()) known["checks"] = call.checks;
    calls.push_back(std::move(known));
  }
  Json json = {{"text", answer.text}, {"end", end_name(answer.end)}, {"id", answer.id}, {"model", answer.model}};
  if (!answer.refusal.empty()) json["refusal"] = answer.refusal;
  if (!calls.empty()) json["tool_calls"] = calls;
  if (!answer.items.empty()) json["items"] = answer.items;
  if (answer.billed_usd) json["billed_usd"] = *answer.billed_usd;
  if (answer.usage) json["usage"] = usage_json(*answer.usage);
  return json;
}

Answer answer_of(const Json& json) {
  Answer answer = begun_answer(json);
  answer.text = string_field(json, "text");
  answer.refusal = string_field(json, "refusal");
  answer.items = string_field(json, "items");
  const std::string end = string_field(json, "end");
  for (int i = 0; i <= static_cast<int>(Answer::End::other); ++i) {
    if (end_name(static_cast<Answer::End>(i)) == end) answer.end = static_cast<Answer::End>(i);
  }
  for (const Json& call : items_of(field(json, "tool_calls"))) {
    answer.tool_calls.push_back({string_field(call, "id"), string_field(call, "name"), string_field(call, "arguments"),
                                 string_field(call, "toolset"), string_field(call, "checks")});
  }
  if (const auto billed = string_field(json, "billed_usd"); !billed.empty()) answer.billed_usd = billed;
  if (const Json& usage = field(json, "usage"); usage.is_object()) answer.usage = usage_in(usage);
  return answer;
}

std::uint64_t hash_of(const std::string& hex) {
  std::uint64_t value = 0;
  std::from_chars(hex.data(), hex.data() + hex.size(), value, 16);
  return value;
}

}  // namespace

struct Cassette::State {
  struct Line {
    std::string exact, text, purpose;
    std::vector<std::uint64_t> hashes;
    Recorded recorded;
  };

  std::string folder;
  CassetteMode mode = CassetteMode::replay;
  std::vector<Line> lines;
  std::map<std::string, std::size_t> taken;    ///< Of an exact key: how many of its lines have been used.
  std::map<std::string, std::size_t> numbers;  ///< Of a purpose: how many questions it has asked.
  bool written = false;

  std::string index() const { return folder + "/index.jsonl"; }

  Result<Unit> load() {
    std::ifstream file(index());
    if (!file) {
      if (mode == CassetteMode::replay)
        return miss(index() + " does not exist: record it first (--cassette-mode record)");
      return Unit{};
    }
    std::string text;
    while (std::getline(file, text)) {
      const Json json = Json::parse(text, nullptr, false);
      if (!json.is_object() || count_field(json, "version") != kVersion) {
        return miss(fmt::format("{} line {} is none of version {}: record the cassette anew (--cassette-mode refresh)",
                                index(), lines.size() + 1, kVersion));
      }
      lines.push_back(line_of(json));
    }
    return Unit{};
  }

  static Line line_of(const Json& json) {
    Line line{string_field(json, "key"), string_field(json, "text_key"), string_field(json, "purpose"), {}, {}};
    for (const Json& image : items_of(field(json, "images")))
      line.hashes.push_back(hash_of(string_field(image, "dhash")));
    if (const Json& error = field(json, "error"); error.is_object()) {
      Error& known = line.recorded.error.emplace();
      known.kind =
          string_field(error, "kind") == "llm_too_large" ? ErrorKind::llm_too_large : ErrorKind::llm_unavailable;
      known.message = string_field(error, "message");
    } else {
      line.recorded.answer = answer_of(field(json, "answer"));
    }
    return line;
  }

  /// The lines of a key in their order, the last one again and again.
  const Line* exact(const CassetteKey& key) {
    std::vector<const Line*> same;
    for (const Line& line : lines) {
      if (line.exact == key.exact) same.push_back(&line);
    }
    if (same.empty()) return nullptr;
    std::size_t& used = taken[key.exact];
    return same[std::min(used++, same.size() - 1)];
  }

  const Line* similar(const CassetteKey& key) const {
    const Line* best = nullptr;
    int fewest = kMostBits + 1;
    for (const Line& line : lines) {
      if (line.text != key.text || line.hashes.size() != key.images.size()) continue;
      int most = 0;
      for (std::size_t i = 0; i < line.hashes.size(); ++i) {
        most = std::max(most, std::popcount(line.hashes[i] ^ key.images[i].dhash));
      }
      if (most >= fewest) continue;
      fewest = most;
      best = &line;
    }
    return best;
  }

  const Line* nth(const std::string& purpose, std::size_t number) const {
    for (const Line& line : lines) {
      if (line.purpose == purpose && number-- == 0) return &line;
    }
    return nullptr;
  }

  Result<Unit> store_images(const CassetteKey& key) const {
    std::error_code failed;
    fs::create_directories(folder + "/blobs", failed);
    for (const SentImage& image : key.images) {
      const std::string path = folder + "/blobs/" + image.sha256 + (image.media_type == "image/jpeg" ? ".jpg" : ".png");
      if (fs::exists(path, failed)) continue;
      const auto bytes = decode_base64(*image.base64);
      std::ofstream file(path, std::ios::binary);
      if (!bytes || !file.write(bytes->data(), static_cast<std::streamsize>(bytes->size()))) {
        return broken(path, "cannot be written");
      }
    }
    return Unit{};
  }
};

std::optional<CassetteMode> cassette_mode_named(std::string_view word) {
  if (word == "record") return CassetteMode::record;
  if (word == "replay") return CassetteMode::replay;
  if (word == "refresh") return CassetteMode::refresh;
  return std::nullopt;
}

CassetteKey cassette_key(const Endpoint& endpoint, const ModelRow& model, const Question& question,
                         const std::string& purpose) {
  CassetteKey key;
  key.purpose = purpose;
  key.request = body_of(endpoint, model, question, true);
  const std::string where = std::string(dialect_name(endpoint.dialect)) + '\n';
  key.exact = sha256_hex(where + key.request);
  key.text = sha256_hex(where + body_of(endpoint, model, question, false));
  for (const Message& message : question.messages) {
    for (const Part& part : message.parts) {
      if (part.image) key.images.push_back(*part.image);
    }
  }
  return key;
}

Cassette::Cassette(std::unique_ptr<State> state) : state_(std::move(state)) {}
Cassette::~Cassette() = default;

Result<std::unique_ptr<Cassette>> Cassette::open(const std::string& folder, CassetteMode mode) {
  auto state = std::make_unique<State>();
  state->folder = folder;
  state->mode = mode;
  std::error_code failed;
  if (mode != CassetteMode::replay) fs::create_directories(folder, failed);
  if (failed) return broken(folder, failed.message());
  if (mode != CassetteMode::refresh) {
    QA_TRY(state->load());
  }
  return std::unique_ptr<Cassette>(new Cassette(std::move(state)));
}

CassetteMode Cassette::mode() const { return state_->mode; }

Result<std::optional<Recorded>> Cassette::find(const CassetteKey& key) {
  const std::size_t number = state_->numbers[key.purpose]++;
  if (state_->mode == CassetteMode::refresh) return std::optional<Recorded>();
  const auto found = [](const State::Line& line, const char* matched_by) {
    Recorded recorded = line.recorded;
    recorded.matched_by = matched_by;
    return std::optional<Recorded>(std::move(recorded));
  };
  if (const auto* line = state_->exact(key)) return found(*line, "exact");
  if (state_->mode == CassetteMode::record) return std::optional<Recorded>();
  if (const auto* line = state_->similar(key)) return found(*line, "similar");
  if (const auto* line = state_->nth(key.purpose, number)) return found(*line, "sequence");
  return miss(
      fmt::format("{} has no answer to call {} of purpose \"{}\": its question is new; record it "
                  "(--cassette-mode record)",
                  state_->index(), number + 1, key.purpose));
}

Result<Unit> Cassette::add(const CassetteKey& key, const Recorded& recorded, const std::vector<std::string>& secrets) {
  Json images = Json::array();
  for (const SentImage& image : key.images) {
    images.push_back({{"sha256", image.sha256},
                      {"dhash", fmt::format("{:016x}", image.dhash)},
                      {"width", image.width},
                      {"height", image.height}});
  }
  Json line = {
      {"version", kVersion}, {"key", key.exact}, {"text_key", key.text}, {"purpose", key.purpose}, {"images", images}};
  line["request"] = Json::parse(key.request, nullptr, false);
  if (recorded.answer) line["answer"] = json_of(*recorded.answer);
  if (recorded.error) line["error"] = {{"kind", kind_name(recorded.error->kind)}, {"message", recorded.error->message}};
  const std::string text = dump_text(line) + '\n';
  for (const std::string& secret : secrets) {
    if (secret.size() < 8) continue;
    if (text.find(secret) != std::string::npos ||
        text.find(encode_base64(secret).substr(0, secret.size())) != std::string::npos) {
      return broken(state_->index(), "not written: the recorded call holds an endpoint's key");
    }
  }
  QA_TRY(state_->store_images(key));
  const bool anew = state_->mode == CassetteMode::refresh && !state_->written;
  std::ofstream file(state_->index(), anew ? std::ios::trunc : std::ios::app);
  if (!file.write(text.data(), static_cast<std::streamsize>(text.size())))
    return broken(state_->index(), "cannot be written");
  state_->written = true;
  state_->lines.push_back(State::line_of(line));
  return Unit{};
}

}  // namespace qa
