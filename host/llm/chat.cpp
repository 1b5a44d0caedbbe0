// openai-chat: POST {base}/chat/completions, the dialect that nearly every server speaks.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "host/llm/dialect_json.h"

namespace qa {
namespace {

void append_part(std::string& to, const ModelRow& model, const Part& part) {
  if (!part.image) return append_text_part(to, "text", part.text);
  ObjectText object(to);
  object.text("type", "image_url");
  ObjectText url(object.key("image_url"));
  append_data_url(url.key("url"), *part.image);
  if (allows(model, "detail") && !part.image->detail.empty()) url.text("detail", part.image->detail);
}

void append_content(std::string& to, const ModelRow& model, const Message& message) {
  if (message.role == Message::Role::tool) {
    append_quoted(to, text_of(message));
  } else if (message.parts.empty()) {
    to += "null";
  } else if (message.parts.size() == 1 && !message.parts[0].image) {
    append_quoted(to, message.parts[0].text);
  } else {
    append_list(to, message.parts, [&](const Part& part) { append_part(to, model, part); });
  }
}

void append_call(std::string& to, const ToolCall& call) {
  ObjectText object(to);
  object.text("id", call.id);
  object.text("type", "function");
  ObjectText function(object.key("function"));
  function.text("name", call.name);
  function.text("arguments", call.arguments);
}

void append_message(std::string& to, const ModelRow& model, const Message& message) {
  ObjectText object(to);
  object.text("role", role_name(model, message.role));
  append_content(object.key("content"), model, message);
  if (!message.tool_calls.empty()) {
    std::string& list = object.key("tool_calls");
    append_list(list, message.tool_calls, [&](const ToolCall& call) { append_call(list, call); });
  }
  if (message.role == Message::Role::tool) object.text("tool_call_id", message.tool_call_id);
}

/// All messages. What a tool answers is text here: its pictures follow in a user's message, after all answers of the
/// turn.
void append_messages(std::string& to, const ModelRow& model, const std::vector<Message>& messages) {
  std::vector<Message> sent;
  Message pictures;
  const auto put_pictures = [&] {
    if (!pictures.parts.empty()) sent.push_back(std::exchange(pictures, Message{}));
  };
  for (const Message& message : messages) {
    const bool of_tool = message.role == Message::Role::tool;
    if (!of_tool) put_pictures();
    sent.push_back(message);
    for (const Part& part : message.parts) {
      if (of_tool && part.image) pictures.parts.push_back(part);
    }
  }
  put_pictures();
  append_list(to, sent, [&](const Message& message) { append_message(to, model, message); });
}

void append_tool(ObjectText& object, const Tool& tool) {
  object.text("type", "function");
  ObjectText function(object.key("function"));
  function.text("name", tool.name);
  function.text("description", tool.description);
  function.raw("parameters", tool.parameters);
}

void append_format(ObjectText& body, const ModelRow& model, const AnswerSchema& schema) {
  if (model.structured == StructuredOutput::none) return;
  ObjectText format(body.key("response_format"));
  if (model.structured == StructuredOutput::json_object) return format.text("type", "json_object");
  format.text("type", "json_schema");
  ObjectText inner(format.key("json_schema"));
  inner.text("name", schema.name);
  inner.raw("strict", "true");
  inner.raw("schema", schema.schema);
}

Answer::End end_of(const std::string& reason) {
  if (reason == "stop") return Answer::End::stop;
  if (reason == "length") return Answer::End::length;
  if (reason == "tool_calls" || reason == "function_call") return Answer::End::tool_calls;
  if (reason == "content_filter") return Answer::End::filtered;
  return Answer::End::other;
}

void take_usage(Answer& answer, const Json& usage) {
  if (!usage.is_object()) return;
  answer.usage = usage_of(usage, "prompt", "completion");
  if (answer.usage) answer.usage->image_input = count_field(field(usage, "prompt_tokens_details"), "image_tokens");
  // OpenRouter says what it charged.
  if (const Json& cost = field(usage, "cost"); cost.is_number())
    answer.billed_usd = fmt::format("{:.9f}", cost.get<double>());
}

/// Text of a message's content, which some servers send as a list of parts.
std::string text_of_content(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  for (const Json& part : items_of(content)) text += string_field(part, "text");
  return text;
}

class ChatStream final : public AnswerStream {
 public:
  Result<Unit> event(std::string_view data) override {
    if (data != "[DONE]") return AnswerStream::event(data);
    done_ = true;
    return Unit{};
  }
  bool complete() const override { return done_ || answer_.end != Answer::End::other; }

 private:
  Result<Unit> take(const Json& chunk) override {
    if (answer_.id.empty()) answer_.id = string_field(chunk, "id");
    if (answer_.model.empty()) answer_.model = string_field(chunk, "model");
    take_usage(answer_, field(chunk, "usage"));
    const Json& choices = field(chunk, "choices");
    if (choices.is_array() && !choices.empty()) choice(choices[0]);
    return Unit{};
  }

  void choice(const Json& choice) {
    const Json& delta = field(choice, "delta");
    answer_.text += text_of_content(field(delta, "content"));
    answer_.refusal += string_field(delta, "refusal");
    for (const Json& call : items_of(field(delta, "tool_calls"))) {
      const auto index = static_cast<std::size_t>(count_field(call, "index"));
      if (index >= kMostToolCalls) continue;
      if (answer_.tool_calls.size() <= index) answer_.tool_calls.resize(index + 1);
      ToolCall& known = answer_.tool_calls[index];
      if (known.id.empty()) known.id = string_field(call, "id");
      known.name += string_field(field(call, "function"), "name");
      known.arguments += string_field(field(call, "function"), "arguments");
    }
    if (const auto reason = string_field(choice, "finish_reason"); !reason.empty()) {
      answer_.end = answer_.refusal.empty() ? end_of(reason) : Answer::End::refusal;
    }
  }
};

class Chat final : public Dialect {
 public:
  std::string path() const override { return "/chat/completions"; }

  void write(ObjectText& body, const ModelRow& model, const Question& question) const override {
    append_messages(body.key("messages"), model, question.messages);
    append_tools(body, question.tools, append_tool);
    if (!question.tools.empty() && !question.tool_choice.empty()) body.text("tool_choice", question.tool_choice);
    if (question.schema) append_format(body, model, *question.schema);
    body.raw(model.max_tokens_field, std::to_string(question.max_output));
    append_temperature(body, model, question);
    if (question.stream) {
      body.raw("stream", "true");
      if (allows(model, "stream_options")) body.raw("stream_options", R"({"include_usage":true})");
    }
  }

  Result<Answer> read_body(const Json& body, std::string_view text) const override {
    const Json& choices = field(body, "choices");
    if (!choices.is_array() || choices.empty() || !field(choices[0], "message").is_object()) {
      return no_answer("it has no choices", text);
    }
    const Json& message = field(choices[0], "message");
    Answer answer = begun_answer(body);
    answer.text = text_of_content(field(message, "content"));
    answer.refusal = string_field(message, "refusal");
    for (const Json& call : items_of(field(message, "tool_calls"))) {
      const Json& function = field(call, "function");
      add_call(answer, {string_field(call, "id"), string_field(function, "name"), string_field(function, "arguments")});
    }
    answer.end = answer.refusal.empty() ? end_of(string_field(choices[0], "finish_reason")) : Answer::End::refusal;
    take_usage(answer, field(body, "usage"));
    return answer;
  }

  std::unique_ptr<AnswerStream> stream() const override { return std::make_unique<ChatStream>(); }
};

}  // namespace

const Dialect& chat_dialect() {
  static const Chat dialect;
  return dialect;
}

}  // namespace qa
