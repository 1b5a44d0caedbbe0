// openai-responses: POST {base}/responses, whose answers are lists of items.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/llm/dialect_json.h"

namespace qa {
namespace {

constexpr const char* kComputer = "computer";

void append_part(std::string& to, const Part& part) {
  if (!part.image) return append_text_part(to, "input_text", part.text);
  ObjectText object(to);
  object.text("type", "input_image");
  append_data_url(object.key("image_url"), *part.image);
  object.text("detail", part.image->detail.empty() ? "auto" : part.image->detail);
}

const SentImage* picture_of(const Message& message) {
  for (const Part& part : message.parts) {
    if (part.image) return &*part.image;
  }
  return nullptr;
}

/// What a tool answers; a computer always answers with its screen.
void append_result(std::string& to, const Message& message) {
  const SentImage* picture = picture_of(message);
  const bool is_computer = message.toolset == kComputer;
  ObjectText object(to);
  object.text("type", is_computer ? "computer_call_output" : "function_call_output");
  object.text("call_id", message.tool_call_id);
  if (is_computer) {
    ObjectText output(object.key("output"));
    output.text("type", "computer_screenshot");
    if (picture) append_data_url(output.key("image_url"), *picture);
    output.close();
    if (!message.checks.empty()) object.raw("acknowledged_safety_checks", message.checks);
  } else if (picture) {
    append_list(object.key("output"), message.parts, [&](const Part& part) { append_part(to, part); });
  } else {
    object.text("output", text_of(message));
  }
}

/// A message is one item or several: what it says, then each tool that it calls.
void append_items(std::string& to, const ModelRow& model, const Message& message) {
  const auto next = [&] {
    if (to.back() != '[') to += ',';
  };
  if (!message.items.empty()) {
    const auto begin = message.items.find('['), end = message.items.rfind(']');
    if (begin == std::string::npos || end == std::string::npos || end <= begin + 1) return;
    next();
    to.append(message.items, begin + 1, end - begin - 1);
    return;
  }
  if (message.role == Message::Role::tool) {
    next();
    return append_result(to, message);
  }
  if (!message.parts.empty()) {
    next();
    ObjectText object(to);
    object.text("role", role_name(model, message.role));
    if (message.role == Message::Role::assistant) {
      // What the model said before comes back as plain text: the item form wants ids.
      append_quoted(object.key("content"), text_of(message));
    } else {
      append_list(object.key("content"), message.parts, [&](const Part& part) { append_part(to, part); });
    }
  }
  for (const ToolCall& call : message.tool_calls) {
    next();
    ObjectText object(to);
    object.text("type", "function_call");
    object.text("call_id", call.id);
    object.text("name", call.name);
    object.text("arguments", call.arguments);
  }
}

void append_tool(ObjectText& object, const Tool& tool) {
  object.text("type", "function");
  object.text("name", tool.name);
  object.text("description", tool.description);
  object.raw("parameters", tool.parameters);
  object.raw("strict", "false");
}

void append_format(ObjectText& body, const AnswerSchema& schema, const ModelRow& model) {
  if (model.structured == StructuredOutput::none) return;
  ObjectText text(body.key("text"));
  ObjectText format(text.key("format"));
  if (model.structured == StructuredOutput::json_object) {
    format.text("type", "json_object");
  } else {
    format.text("type", "json_schema");
    format.text("name", schema.name);
    format.raw("strict", "true");
    format.raw("schema", schema.schema);
  }
}

/// One action in the first generation, a batch of them in the second; no action is a look at the screen.
ToolCall computer_call(const Json& item) {
  Json actions = items_of(field(item, "actions"));
  if (const Json& action = field(item, "action"); actions.empty() && action.is_object()) actions.push_back(action);
  const Json& checks = items_of(field(item, "pending_safety_checks"));
  return {string_field(item, "call_id"), kComputer, dump_text(actions), kComputer,
          checks.empty() ? "" : dump_text(checks)};
}

void read_item(Answer& answer, const Json& item) {
  const std::string type = string_field(item, "type");
  if (type == "message") {
    for (const Json& part : items_of(field(item, "content"))) {
      answer.text += string_field(part, "text");
      answer.refusal += string_field(part, "refusal");
    }
  } else if (type == "function_call") {
    add_call(answer, {string_field(item, "call_id"), string_field(item, "name"), string_field(item, "arguments")});
  } else if (type == "computer_call") {
    add_call(answer, computer_call(item));
  }
}

Answer::End end_of(const Answer& answer, const Json& body) {
  if (!answer.refusal.empty()) return Answer::End::refusal;
  const std::string reason = string_field(field(body, "incomplete_details"), "reason");
  if (reason == "max_output_tokens") return Answer::End::length;
  if (reason == "content_filter") return Answer::End::filtered;
  if (!answer.tool_calls.empty()) return Answer::End::tool_calls;
  return string_field(body, "status") == "completed" ? Answer::End::stop : Answer::End::other;
}

Answer answer_of(const Json& body) {
  Answer answer = begun_answer(body);
  for (const Json& item : items_of(field(body, "output"))) read_item(answer, item);
  answer.items = dump_text(items_of(field(body, "output")));
  if (const Json& usage = field(body, "usage"); usage.is_object()) answer.usage = usage_of(usage, "input", "output");
  answer.end = end_of(answer, body);
  return answer;
}

/// The last event carries the whole answer; deltas serve whoever wants to stop early.
class ResponsesStream final : public AnswerStream {
  Result<Unit> take(const Json& event) override {
    const std::string type = string_field(event, "type");
    if (type == "response.output_text.delta") {
      answer_.text += string_field(event, "delta");
    } else if (type == "response.completed" || type == "response.incomplete") {
      answer_ = answer_of(field(event, "response"));
      done_ = true;
    } else if (type == "response.failed" || type == "error") {
      return Error{ErrorKind::llm_unavailable, "the model's server broke the answer off with an error"};
    }
    return Unit{};
  }
};

class Responses final : public Dialect {
 public:
  std::string path() const override { return "/responses"; }

  void write(ObjectText& body, const ModelRow& model, const Question& question) const override {
    if (!question.previous_id.empty()) body.text("previous_response_id", question.previous_id);
    std::string& items = body.key("input");
    items += '[';
    for (const Message& message : question.messages) append_items(items, model, message);
    items += ']';
    append_tools(body, question.tools, append_tool);
    if (!question.tools.empty()) {
      if (!question.tool_choice.empty()) body.text("tool_choice", question.tool_choice);
      // The first generation of computer use is refused without it.
      const auto is_preview = [](const Tool& tool) { return vendor_type(tool) == "computer_use_preview"; };
      if (std::any_of(question.tools.begin(), question.tools.end(), is_preview)) body.text("truncation", "auto");
    }
    if (question.schema) append_format(body, *question.schema, model);
    body.raw("max_output_tokens", std::to_string(question.max_output));
    append_temperature(body, model, question);
    if (question.stream) body.raw("stream", "true");
  }

  Result<Answer> read_body(const Json& body, std::string_view text) const override {
    if (!field(body, "output").is_array()) return no_answer("it has no output", text);
    return answer_of(body);
  }

  std::unique_ptr<AnswerStream> stream() const override { return std::make_unique<ResponsesStream>(); }
};

}  // namespace

const Dialect& responses_dialect() {
  static const Responses dialect;
  return dialect;
}

}  // namespace qa
