#include "host/llm/dialect.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "host/json_guard.h"
#include "host/llm/dialect_json.h"
#include "host/text.h"

namespace qa {
namespace {

constexpr std::size_t kExcerpt = 200;
constexpr std::int64_t kMostTokens = 1'000'000'000'000;
constexpr std::array<std::string_view, 3> kDialects = {"openai-chat", "openai-responses", "anthropic-messages"};

/// As journals and cassettes name them.
constexpr std::pair<const char*, std::int64_t Usage::*> kCounts[] = {
    {"input", &Usage::input},   {"cached_input", &Usage::cached_input}, {"cache_write", &Usage::cache_write},
    {"output", &Usage::output}, {"reasoning", &Usage::reasoning},       {"image_input", &Usage::image_input}};

std::string one_line(std::string_view text) {
  std::string line = truncate_text(terminal_safe(text), kExcerpt);
  for (char& c : line) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return line;
}

/// Servers and proxies in front of them spell it in more than one way.
Error error_in_answer(const Json& error, std::string_view body) {
  const std::string message = error.is_string() ? error.get<std::string>() : string_field(error, "message");
  return {ErrorKind::llm_unavailable,
          "the model's server answered with an error: " + one_line(message.empty() ? body : message)};
}

/// What other clients read and the parser does not: bytes that are no UTF-8 become U+FFFD, numbers beyond a double
/// null.
std::string mended(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string out;
  bool in_string = false;
  for (std::size_t at = 0; at < valid.size();) {
    const char c = valid[at];
    if (in_string || !(c == '-' || (c >= '0' && c <= '9'))) {
      if (c == '"') in_string = !in_string;
      const std::size_t size = c == '\\' ? 2 : 1;
      out.append(valid, at, size);
      at += size;
      continue;
    }
    const std::string number = valid.substr(at, valid.find_first_not_of("+-.0123456789eE", at) - at);
    out += std::isfinite(std::strtod(number.c_str(), nullptr)) ? number : "null";
    at += number.size();
  }
  return out;
}

/// An object, or why it is none; an {"error": ...} in a good answer is one, too.
Result<Json> parse_object(std::string_view text, const char* what) {
  std::string copy(text);
  auto parsed = parse_foreign_json(copy);
  if (!parsed) {
    copy = mended(text);
    parsed = parse_foreign_json(copy);
  }
  if (!parsed || !parsed->is_object()) return no_answer(what, text);
  if (const Json& error = field(*parsed, "error"); !error.is_null()) return error_in_answer(error, text);
  return parsed;
}

}  // namespace

std::optional<DialectKind> dialect_named(std::string_view word) {
  for (std::size_t i = 0; i < kDialects.size(); ++i) {
    if (kDialects[i] == word) return static_cast<DialectKind>(i);
  }
  return std::nullopt;
}

std::string_view dialect_name(DialectKind kind) { return kDialects[static_cast<std::size_t>(kind)]; }

const Dialect& dialect_of(DialectKind kind) {
  const std::array known = {chat_dialect, responses_dialect, messages_dialect};
  return known[static_cast<std::size_t>(kind)]();
}

std::string_view end_name(Answer::End end) {
  static constexpr std::array<std::string_view, 6> kNames = {"stop",       "length",   "refusal",
                                                             "tool_calls", "filtered", "other"};
  return kNames[static_cast<std::size_t>(end)];
}

bool allows(const ModelRow& model, std::string_view member) {
  return std::find(model.forbidden.begin(), model.forbidden.end(), member) == model.forbidden.end();
}

const Json& field(const Json& object, const char* name) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

std::string string_field(const Json& object, const char* name) {
  const Json& value = field(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

bool is_count(const Json& value) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(kMostTokens)) return false;
  const auto number = value.get<std::int64_t>();
  return number >= 0 && number <= kMostTokens;
}

std::int64_t count_field(const Json& object, const char* name) {
  const Json& value = field(object, name);
  return is_count(value) ? value.get<std::int64_t>() : 0;
}

const Json& items_of(const Json& list) {
  static const Json none = Json::array();
  return list.is_array() ? list : none;
}

std::string dump_text(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

Error no_answer(const std::string& why, std::string_view body) {
  return {ErrorKind::llm_invalid, "the server's answer is not one of this dialect: " + why + ": " + one_line(body)};
}

std::string vendor_type(const Tool& tool) {
  return tool.vendor.empty() ? "" : string_field(Json::parse(tool.vendor, nullptr, false), "type");
}

Json usage_json(const Usage& usage) {
  Json json;
  for (const auto& [name, count] : kCounts) json[name] = usage.*count;
  return json;
}

Usage usage_in(const Json& json) {
  Usage usage;
  for (const auto& [name, count] : kCounts) usage.*count = count_field(json, name);
  return usage;
}

Answer begun_answer(const Json& body) {
  Answer answer;
  answer.id = string_field(body, "id");
  answer.model = string_field(body, "model");
  return answer;
}

void add_call(Answer& answer, ToolCall call) {
  if (answer.tool_calls.size() < kMostToolCalls) answer.tool_calls.push_back(std::move(call));
}

std::string text_of(const Message& message) {
  std::string text;
  for (const Part& part : message.parts) text += part.text;
  return text;
}

std::string_view role_name(const ModelRow& model, Message::Role role) {
  static constexpr std::array<std::string_view, 4> kRoles = {"", "user", "assistant", "tool"};
  return role == Message::Role::system ? model.system_role : kRoles[static_cast<std::size_t>(role)];
}

void append_text_part(std::string& to, std::string_view type, std::string_view text) {
  ObjectText object(to);
  object.text("type", type);
  object.text("text", text);
}

void append_temperature(ObjectText& body, const ModelRow& model, const Question& question) {
  if (question.temperature && allows(model, "temperature"))
    body.raw("temperature", fmt::format("{}", *question.temperature));
}

std::optional<Usage> usage_of(const Json& usage, const std::string& input, const std::string& output) {
  if (!is_count(field(usage, (input + "_tokens").c_str())) || !is_count(field(usage, (output + "_tokens").c_str())))
    return std::nullopt;
  const Json& details = field(usage, (input + "_tokens_details").c_str());
  Usage result;
  result.cached_input = count_field(details, "cached_tokens");
  result.cache_write = count_field(details, "cache_write_tokens");
  result.input = count_field(usage, (input + "_tokens").c_str());
  result.output = count_field(usage, (output + "_tokens").c_str());
  result.reasoning = count_field(field(usage, (output + "_tokens_details").c_str()), "reasoning_tokens");
  return result;
}

Result<Unit> AnswerStream::event(std::string_view data) {
  return take(QA_TRY(parse_object(data, "an event is not a JSON object")));
}

std::string Dialect::compose(const Endpoint& endpoint, const ModelRow& model, const Question& question) const {
  std::string text;
  ObjectText body(text);
  body.text("model", endpoint.model);
  write(body, model, question);
  body.members(question.extra);
  body.close();
  return text;
}

Result<Answer> Dialect::read(std::string_view text) const {
  return read_body(QA_TRY(parse_object(text, "it is not a JSON object")), text);
}

void append_data_url(std::string& to, const SentImage& image) {
  to += "\"data:";
  to += image.media_type;
  to += ";base64,";
  to += *image.base64;
  to += '"';
}

bool ApiError::about_money() const {
  static constexpr std::array<std::string_view, 8> kWords = {
      "insufficient_quota", "billing_error",  "billing_hard_limit",   "billing_not_active",
      "spend_limit",        "credit_balance", "insufficient_credits", "payment_required"};
  for (const std::string_view word : kWords) {
    if (type.find(word) != std::string::npos || code.find(word) != std::string::npos) return true;
  }
  return false;
}

ApiError read_api_error(std::string_view body) {
  std::string copy(body.substr(0, std::size_t{64} << 10));
  const auto parsed = parse_foreign_json(copy);
  const Json& error = parsed ? field(*parsed, "error") : field(Json(), "");
  ApiError result;
  if (error.is_object()) {
    result.type = string_field(error, "type");
    result.code = string_field(error, "code");
    if (result.code.empty()) result.code = string_field(field(error, "details"), "error_code");
    result.message = one_line(string_field(error, "message"));
  } else if (error.is_string()) {
    result.message = one_line(error.get<std::string>());
  }
  if (result.message.empty()) result.message = one_line(body);
  return result;
}

}  // namespace qa
