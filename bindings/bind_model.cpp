// qa.internal.ask_model model_row model_size model_estimate overlay_tables model_lines environment has_key. What a
// script sees of them is scripts/qa/model/llm.lua.

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "bindings/user_configuration.h"
#include "bindings/vm_state.h"
#include "host/llm/dialect_json.h"
#include "host/llm/model_service.h"

namespace qa::lua {
namespace {

constexpr int kLongestMs = 3600 * 1000;
constexpr int kMostTokens = 1'000'000;

std::string text_at(const Json& object, const char* name, const std::string& fallback = "") {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return fallback;
  if (!found->is_string()) throw Misuse(fmt::format("{} must be a string", name));
  return found->get<std::string>();
}

std::int64_t number_in(const Json& object, const char* name, std::int64_t fallback, std::int64_t least,
                       std::int64_t most) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return fallback;
  if (!found->is_number() || found->get<double>() < static_cast<double>(least) ||
      found->get<double>() > static_cast<double>(most)) {
    throw Misuse(fmt::format("{} must be a number from {} to {}", name, least, most));
  }
  return static_cast<std::int64_t>(found->get<double>());
}

Endpoint endpoint_of(const Json& json) {
  Endpoint endpoint;
  endpoint.name = text_at(json, "name", "custom");
  const std::string dialect = text_at(json, "dialect", "openai-chat");
  const auto kind = dialect_named(dialect);
  if (!kind)
    throw Misuse("endpoint.dialect is openai-chat, openai-responses or anthropic-messages, got '" + dialect + "'");
  endpoint.dialect = *kind;
  endpoint.base_url = text_at(json, "base_url");
  while (endpoint.base_url.ends_with('/')) endpoint.base_url.pop_back();
  endpoint.path = text_at(json, "path");
  endpoint.model = text_at(json, "model");
  if (endpoint.base_url.empty() || endpoint.model.empty()) throw Misuse("an endpoint needs base_url and model");
  endpoint.key_env = text_at(json, "key_env");
  endpoint.version = text_at(json, "version");
  const std::string header =
      text_at(json, "key_header", *kind == DialectKind::anthropic_messages ? "x-api-key" : "bearer");
  endpoint.key_header = header == "bearer"      ? KeyHeader::bearer
                        : header == "x-api-key" ? KeyHeader::x_api_key
                        : header == "api-key"   ? KeyHeader::api_key
                                                : KeyHeader::none;
  const Json headers = json.value("headers", Json::object());
  for (const auto& [name, value] : headers.items()) {
    if (value.is_string()) endpoint.headers.emplace_back(name, value.get<std::string>());
  }
  endpoint.free = json.value("free", false);
  if (json.contains("price")) endpoint.price = dump_json(json["price"]);
  return endpoint;
}

Message::Role role_of(const std::string& word) {
  if (word == "system") return Message::Role::system;
  if (word == "user") return Message::Role::user;
  if (word == "assistant") return Message::Role::assistant;
  if (word == "tool") return Message::Role::tool;
  throw Misuse("a message's role is system, user, assistant or tool, got '" + word + "'");
}

Message message_of(const Json& json) {
  Message message;
  message.role = role_of(text_at(json, "role", "user"));
  message.tool_call_id = text_at(json, "tool_call_id");
  message.items = text_at(json, "items");
  message.toolset = text_at(json, "toolset");
  message.checks = text_at(json, "checks");
  const Json parts = json.value("parts", Json::array());
  for (const Json& part : parts) {
    Part& known = message.parts.emplace_back();
    if (part.contains("image")) {
      known.image.emplace();
      known.image->detail = text_at(part, "detail");
      // Which of the call's images it is; its bytes are put in when they are encoded.
      known.image->sha256 = std::to_string(number_in(part, "image", 1, 1, 64));
    } else {
      known.text = text_at(part, "text");
    }
  }
  for (const Json& call : json.value("tool_calls", Json::array())) {
    message.tool_calls.push_back(
        {text_at(call, "id"), text_at(call, "name"), text_at(call, "arguments"), text_at(call, "toolset")});
  }
  return message;
}

Question question_of(const Json& json) {
  Question question;
  for (const Json& message : json.value("messages", Json::array())) question.messages.push_back(message_of(message));
  if (question.messages.empty()) throw Misuse("messages must not be empty");
  for (const Json& tool : json.value("tools", Json::array())) {
    question.tools.push_back({text_at(tool, "name"), text_at(tool, "description"), text_at(tool, "parameters", "{}"),
                              text_at(tool, "vendor")});
  }
  question.tool_choice = text_at(json, "tool_choice");
  if (json.contains("schema"))
    question.schema = AnswerSchema{text_at(json["schema"], "name"), text_at(json["schema"], "text")};
  if (json.contains("temperature") && json["temperature"].is_number())
    question.temperature = json["temperature"].get<double>();
  question.max_output = static_cast<int>(number_in(json, "max_output", question.max_output, 1, kMostTokens));
  question.stream = json.value("stream", false);
  question.previous_id = text_at(json, "previous_id");
  if (json.contains("extra")) question.extra = dump_json(json["extra"]);
  return question;
}

Json attempts_json(const CallResult& result) {
  Json list = Json::array();
  for (const Attempt& attempt : result.attempts) {
    Json item = {{"status", attempt.status},
                 {"ms", std::round(attempt.ms)},
                 {"usd", usd(attempt.spent)},
                 {"reserved_usd", usd(attempt.reserved)}};
    if (!attempt.request_id.empty()) item["request_id"] = attempt.request_id;
    if (!attempt.failure.empty()) item["failure"] = attempt.failure;
    list.push_back(std::move(item));
  }
  return list;
}

/// What the journal and the report say of a call; no text of the question or answer.
Json call_json(const CallPlan& plan, const CallResult& result) {
  Json json = {{"endpoint", plan.endpoint.name},   {"model", plan.endpoint.model}, {"purpose", plan.purpose},
               {"usd", usd(result.spent)},         {"assumed", result.is_assumed}, {"ms", std::round(result.ms)},
               {"attempts", attempts_json(result)}};
  if (!result.replayed_by.empty()) {
    json["replayed"] = result.replayed_by;
    json["replayed_usd"] = usd(result.replayed_cost);
  }
  if (plan.price.source.empty()) {
    json["price"] = "free";
  } else {
    json["price"] =
        fmt::format("{} {} ({}, {})", plan.price.provider, plan.price.model, plan.price.source, plan.price.date);
  }
  if (result.answer && result.answer->usage) json["usage"] = usage_json(*result.answer->usage);
  if (result.error) json["error"] = {{"kind", kind_name(result.error->kind)}, {"message", result.error->message}};
  if (result.answer) json["finish"] = end_name(result.answer->end);
  return json;
}

/// What went wrong, with attempts and cost beside what is known of it.
Error failure_of(const CallResult& result) {
  Error error = *result.error;
  Json detail = Json::parse(error.detail, nullptr, false);
  if (!detail.is_object()) detail = Json::object();
  detail["attempts"] = attempts_json(result);
  detail["usd"] = usd(result.spent);
  error.detail = dump_json(detail);
  return error;
}

void note(VmState& vm, const std::string& name, const Json& data) {
  if (!vm.journal.is_open()) return;
  if (const auto line = vm.journal.append_event(name, data)) vm.model_lines.push_back(dump_json(*line));
}

Json answer_json(const CallPlan& plan, const CallResult& result) {
  const Answer& answer = *result.answer;
  Json json = call_json(plan, result);
  json["text"] = answer.text;
  json["refusal"] = answer.refusal;
  json["id"] = answer.id;
  json["items"] = answer.items;
  Json calls = Json::array();
  for (const ToolCall& call : answer.tool_calls) {
    calls.push_back({{"id", call.id},
                     {"name", call.name},
                     {"arguments", call.arguments},
                     {"toolset", call.toolset},
                     {"checks", call.checks}});
  }
  json["tool_calls"] = std::move(calls);
  return json;
}

std::vector<PicturePtr> pictures_at(Call& call, int index) {
  std::vector<PicturePtr> pictures;
  if (lua_isnoneornil(call.L, index)) return pictures;
  each_item(call, index, "images", [&](int) { pictures.push_back(image_at(call, -1, "image")); });
  return pictures;
}

/// What the first two arguments, spec and images, ask for.
ModelRequest request_at(Call& call) {
  table_at(call, 1, "spec");
  const Json spec = to_json(call.L, 1);
  ModelRequest request;
  request.pictures = pictures_at(call, 2);
  CallPlan& plan = request.plan;
  plan.endpoint = endpoint_of(spec.value("endpoint", Json::object()));
  plan.purpose = text_at(spec, "purpose", "other");
  plan.timeout_ms = static_cast<int>(number_in(spec, "timeout_ms", plan.timeout_ms, 1, kLongestMs));
  plan.max_attempts = static_cast<int>(number_in(spec, "attempts", plan.max_attempts, 1, 10));
  request.scope = static_cast<int>(number_in(spec, "scope", 0, 0, 1'000'000));
  request.question = question_of(spec);
  return request;
}

/// Listings of the shared ledger call the run by its folder.
void name_run(VmState& vm, ModelService& service) {
  if (!service.book() || !vm.journal.is_open()) return;
  const std::string& path = vm.journal.run().path();
  service.book()->name_run(path.substr(path.rfind('/') + 1));
}

/// ask_model(spec, images): the answer as a table, or nil and an error whose detail has attempts and cost.
int internal_ask_model(Call& call) {
  ModelRequest request = request_at(call);
  ModelService& service = call.vm.model_service();
  if (!service.has_scope(request.scope)) throw Misuse("there is no such budget");
  name_run(call.vm, service);
  const auto cancel = std::make_shared<std::function<void()>>();
  WaitOptions options;
  options.journal = false;  // The question holds page text; the events say what the call was.
  options.abandon = [cancel] { (*cancel)(); };
  const auto start = [&, vm = &call.vm](Callback<Json> done) {
    const auto on_reserved = [vm](const CallPlan& plan, int attempt, Nano reserved) {
      note(*vm, "llm_reserved",
           {{"model", plan.endpoint.model}, {"purpose", plan.purpose}, {"attempt", attempt}, {"usd", usd(reserved)}});
    };
    *cancel = service.ask(std::move(request), on_reserved, [vm, done](const CallPlan& plan, Result<CallResult> result) {
      if (!result) return done(result.error());
      Json facts = call_json(plan, *result);
      facts["cap_usd"] = usd(vm->model_service().scope(0).state().cap);
      note(*vm, "llm_call", facts);
      if (result->answer) return done(answer_json(plan, *result));
      done(failure_of(*result));
    });
  };
  return await<Json>(call, start, PushResult(), std::move(options));
}

Json row_json(const ModelRow& row) {
  static constexpr const char* kStructured[] = {"none", "json_object", "json_schema"};
  return {{"model", row.model},
          {"vision", row.vision},
          {"tools", row.tools},
          {"structured", kStructured[static_cast<int>(row.structured)]},
          {"max_output", row.max_output},
          {"space", row.space == CoordinateSpace::px ? "px" : "norm1000"},
          {"order", row.order == CoordinateOrder::xy ? "xy" : "yx"},
          {"computer", row.computer}};
}

/// model_row(id): facts of the model, or nil when no row knows it.
int internal_model_row(Call& call) {
  const auto row = call.vm.model_service().model(std::string(string_at(call, 1, "model")));
  row ? push_json(call.L, row_json(*row)) : lua_pushnil(call.L);
  return 1;
}

/// model_size(id, width, height, max_side): the size to send a picture in.
int internal_model_size(Call& call) {
  const auto row = call.vm.model_service().model(std::string(string_at(call, 1, "model")));
  const ImageSize size{integer_at(call, 2, "width", 1, 16384), integer_at(call, 3, "height", 1, 16384)};
  const ImageSize best = best_size(row ? row->image : ImageRule{}, size, integer_at(call, 4, "max_side", 0, 16384));
  lua_pushinteger(call.L, best.width);
  lua_pushinteger(call.L, best.height);
  return 2;
}

/// model_estimate(spec, images): what ask_model would reserve for an attempt, or nil, err. Nothing is sent.
int internal_model_estimate(Call& call) {
  const ModelRequest request = request_at(call);
  const auto estimate = call.vm.model_service().estimate(request);
  if (!estimate) return push_outcome(call, estimate.error());
  return push_result(call.L, Json{{"input_upper", estimate->worst.input},
                                  {"image_tokens", estimate->image_tokens},
                                  {"max_output", request.question.max_output},
                                  {"usd", usd(estimate->worst.cost)}});
}

int internal_overlay_tables(Call& call) {
  return push_outcome(call, call.vm.model_service().overlay(std::string(string_at(call, 1, "prices")),
                                                            std::string(string_at(call, 2, "models"))));
}

/// model_lines(): the journal's lines of calls since it was last asked, for the report.
int internal_model_lines(Call& call) {
  Json lines = Json::array();
  for (const std::string& line : std::exchange(call.vm.model_lines, {}))
    lines.push_back(Json::parse(line, nullptr, false));
  return push_result(call.L, lines);
}

/// environment(name): a variable that says how models are reached, but no key.
int internal_environment(Call& call) {
  const std::string name(string_at(call, 1, "name"));
  for (const char* known : {"QA_MODEL", "QA_ENDPOINT", "QA_BASE_URL", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"}) {
    if (name != known) continue;
    push_text(call.L, call.vm.options.environment ? call.vm.options.environment(name) : "");
    return 1;
  }
  throw Misuse("the variable " + name + " is not for scripts");
}

/// user_configuration(): the user's own configuration as a table, and its path.
int internal_user_configuration(Call& call) {
  push_json(call.L, Json::parse(call.vm.user_configuration(), nullptr, false));
  push_text(call.L, call.vm.options.environment ? user_configuration_path(call.vm.options.environment) : "options");
  return 2;
}

/// has_key(name): is the variable set? Its value never reaches Lua.
int internal_has_key(Call& call) {
  const std::string name(string_at(call, 1, "name"));
  return push_result(call.L, call.vm.options.environment && !call.vm.options.environment(name).empty());
}

}  // namespace

void add_model(lua_State* L) {
  add_functions(L, "internal_waits", "qa.llm.", {{"ask_model", bound<internal_ask_model>}});
  add_functions(L, "internal", "qa.llm.",
                {{"model_row", bound<internal_model_row>},
                 {"model_size", bound<internal_model_size>},
                 {"model_estimate", bound<internal_model_estimate>},
                 {"overlay_tables", bound<internal_overlay_tables>},
                 {"model_lines", bound<internal_model_lines>},
                 {"environment", bound<internal_environment>},
                 {"user_configuration", bound<internal_user_configuration>},
                 {"has_key", bound<internal_has_key>}});
}

}  // namespace qa::lua
