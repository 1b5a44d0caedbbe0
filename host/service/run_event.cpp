#include "host/service/run_event.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "host/base64.h"
#include "host/json_guard.h"
#include "host/json_text.h"
#include "host/net/http_url.h"
#include "host/text.h"

namespace qa {
namespace {

using nlohmann::json;

constexpr std::int64_t kDayMs = 24 * 3600 * 1000LL;
constexpr std::int64_t kLargestSeed = 1LL << 53;  // Lua numbers are doubles.
constexpr std::size_t kLongestName = 64;

/// What is wrong with an event: parse_run_event() turns it into its error.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void refuse(const std::string& path, const std::string& expected) {
  throw Fault(path + ": expected " + expected);
}

/// Refuses names that nobody reads: a misspelt limit would be no limit.
void check_names(const json& object, const std::string& path, const std::vector<std::string>& known) {
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string nearest = nearest_name(name, known.data(), known.size());
    throw Fault(path + truncate_text(name, kLongestName) + ": unknown field" +
                (nearest.empty() ? "" : " (did you mean '" + nearest + "'?)"));
  }
}

std::string http_address(const json& value, const std::string& path) {
  const auto url = value.is_string() ? parse_http_url(value.get_ref<const std::string&>()) : std::nullopt;
  if (!url || !url->user_info.empty()) refuse(path, "an http or https address without a user name");
  const std::string& text = value.get_ref<const std::string&>();
  const std::size_t fragment = text.find('#');
  return (url->is_https ? "https://" : "http://") + url->authority() + url->target +
         (fragment == text.npos ? "" : text.substr(fragment));
}

std::string strategy_name(const json& value) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  const std::string name = value.is_string() ? value.get<std::string>() : "";
  if (name.empty() || name.size() > kLongestName || !std::all_of(name.begin(), name.end(), is_plain)) {
    refuse("config.strategy", "the name of a strategy: letters, digits, - and _");
  }
  return name;
}

std::int64_t whole_number(const json& value, const std::string& path, std::int64_t least, std::int64_t most) {
  const bool is_whole = value.is_number_unsigned() || value.is_number_integer();
  const bool fits = is_whole && value >= least && value <= most;
  if (!fits) refuse(path, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return value.get<std::int64_t>();
}

/// Some options take names of strategies, and a path would be one as well.
bool holds_path(const std::string& text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(", \t\n;", begin), text.size());
    const auto word = std::string_view(text).substr(begin, end - begin);
    const bool begins = (word.size() > 1 && word.starts_with('/')) || word.starts_with("./") ||
                        word.starts_with("../") || word.starts_with('~');
    if (begins || word.ends_with(".lua") || word.find("/../") != word.npos) return true;
    begin = end + 1;
  }
  return false;
}

std::string setting_value(const json& value, const std::string& path) {
  if (value.is_number() || value.is_boolean()) return value.dump();
  if (!value.is_string()) refuse(path, "text, a number, true or false");
  auto text = value.get<std::string>();
  if (text.find('\0') != text.npos || holds_path(text)) refuse(path, "text that is no path of a file");
  return text;
}

void read_options(const json& options, RunEvent& event) {
  if (!options.is_object()) refuse("config.options", "an object");
  for (const auto& [name, value] : options.items()) {
    const bool is_name =
        !name.empty() && name.size() <= kLongestName && name.find_first_of(std::string_view("=\0", 2)) == name.npos;
    if (!is_name) refuse("config.options", "names of options of the strategy");
    event.settings.push_back(name + "=" + setting_value(value, "config.options." + name));
  }
}

void read_config(const json& config, RunEvent& event) {
  if (!config.is_object()) refuse("config", "an object");
  check_names(config, "config.",
              {"strategy", "maxDuration", "maxActions", "maxBudget", "screenshotStrategy", "llmCallStrategy", "seed",
               "options", "webhook"});
  for (const auto& [name, value] : config.items()) {
    const std::string path = "config." + name;
    if (name == "strategy") event.strategy = strategy_name(value);
    if (name == "maxDuration") event.max_duration_ms = whole_number(value, path, 1000, kDayMs);
    if (name == "seed") event.seed = whole_number(value, path, 0, kLargestSeed);
    if (name == "webhook") event.webhook = http_address(value, path);
    if (name == "options") read_options(value, event);
    if (name == "maxActions") {
      event.settings.push_back("limits.actions=" + std::to_string(whole_number(value, path, 1, 100'000)));
    }
    if (name == "maxBudget") {
      if (!value.is_number() || value < 0) refuse(path, "dollars");
      event.settings.push_back("limits.usd=" + value.dump());
    }
    // The seeds' names for options of the strategy `adaptive` (C-040).
    if (name == "screenshotStrategy") event.settings.push_back("screenshots=" + setting_value(value, path));
    if (name == "llmCallStrategy") event.settings.push_back("model_calls=" + setting_value(value, path));
  }
}

json parsed(std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) throw Fault("the event is empty; expected {\"gameUrl\": …}");
  auto value = parse_foreign_json(text);
  if (!value) throw Fault("the event: " + value.error().message);
  if (!value->is_object()) throw Fault("the event is no JSON object; expected {\"gameUrl\": …}");
  return std::move(*value);
}

/// API Gateway hands over a request whose body is the event: text, or text in base64.
json unwrapped(json event) {
  const auto body = event.find("body");
  if (event.contains("gameUrl") || body == event.end() || !body->is_string()) return event;
  auto text = body->get<std::string>();
  if (event.value("isBase64Encoded", json(false)) == true) {
    const auto decoded = decode_base64(text);
    if (!decoded) throw Fault("body: expected base64, as isBase64Encoded says");
    text.assign(decoded->begin(), decoded->end());
  }
  return parsed(text);
}

RunEvent read_event(std::string& text) {
  const json object = unwrapped(parsed(text));
  check_names(object, "", {"gameUrl", "metadata", "config"});
  RunEvent event;
  if (!object.contains("gameUrl")) throw Fault("gameUrl is missing: the http or https address of the game");
  event.game_url = http_address(object["gameUrl"], "gameUrl");
  if (const auto metadata = object.find("metadata"); metadata != object.end() && !metadata->is_null()) {
    if (!metadata->is_object()) refuse("metadata", "an object, not the path of a file");
    event.metadata = metadata->dump();
  }
  if (const auto config = object.find("config"); config != object.end() && !config->is_null()) {
    read_config(*config, event);
  }
  return event;
}

}  // namespace

Result<RunEvent> parse_run_event(std::string text) {
  try {
    return read_event(text);
  } catch (const Fault& fault) {
    return Error{ErrorKind::io_error, fault.what()};
  } catch (const json::exception&) {
    return Error{ErrorKind::io_error, "the event holds text that is not UTF-8"};
  }
}

std::vector<std::string> words_of(const RunEvent& event, std::int64_t limit_ms) {
  const std::int64_t ms = std::min(event.max_duration_ms.value_or(limit_ms), limit_ms);
  std::vector<std::string> words{event.game_url, "--max-duration=" + std::to_string(ms) + "ms"};
  if (!event.strategy.empty()) words.push_back("--strategy=" + event.strategy);
  if (event.seed) words.push_back("--seed=" + std::to_string(*event.seed));
  for (const std::string& setting : event.settings) words.push_back("--set=" + setting);
  return words;
}

std::string lambda_result(int status, std::string_view body) {
  std::string text;
  ObjectText object(text);
  object.number("statusCode", status);
  object.text("body", body);
  object.close();
  return text;
}

std::string error_body(std::string_view message) {
  std::string text;
  ObjectText object(text);
  object.text("error", message);
  object.close();
  return text;
}

}  // namespace qa
