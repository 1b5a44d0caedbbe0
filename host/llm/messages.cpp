// anthropic-messages: POST {base}/v1/messages. Its requests have no temperature any more: npm @anthropic-ai/sdk 1.12.0.

#include <nlohmann/json.hpp>

#include "host/llm/dialect_json.h"

namespace qa {
namespace {

// Tools of the computer: GA toolsets need no header, each dated tool before them the beta of its own date.
constexpr std::string_view kDatedComputer = "computer_20";
constexpr const char* kVersion = "2023-06-01";  ///< Where the endpoint names none: every server knows it.

void append_part(std::string& to, const Part& part) {
  if (!part.image) return append_text_part(to, "text", part.text);
  ObjectText object(to);
  object.text("type", "image");
  ObjectText source(object.key("source"));
  source.text("type", "base64");
  source.text("media_type", part.image->media_type);
  source.key("data").append("\"").append(*part.image->base64).append("\"");
}

/// The blocks of a message, without the brackets around them.
void append_blocks(std::string& to, const Message& message) {
  const auto next = [&] {
    if (!to.empty()) to += ',';
  };
  if (message.role == Message::Role::tool) {
    next();
    ObjectText result(to);
    result.text("type", "tool_result");
    result.text("tool_use_id", message.tool_call_id);
    if (!message.toolset.empty()) result.text("toolset_name", message.toolset);
    append_list(result.key("content"), message.parts, [&](const Part& part) { append_part(to, part); });
  } else {
    for (const Part& part : message.parts) {
      next();
      append_part(to, part);
    }
  }
  for (const ToolCall& call : message.tool_calls) {
    next();
    ObjectText use(to);
    use.text("type", "tool_use");
    use.text("id", call.id);
    use.text("name", call.name);
    use.raw("input", call.arguments.empty() ? "{}" : call.arguments);
    if (!call.toolset.empty()) use.text("toolset_name", call.toolset);
  }
}

/// Neighbours of one role become one message: the roles of this dialect alternate.
/// Results of tools that were called together must come together.
void append_messages(std::string& to, const std::vector<Message>& messages) {
  std::string_view role;
  to += '[';
  for (const Message& message : messages) {
    if (message.role == Message::Role::system) continue;
    std::string blocks;
    if (message.items.empty()) {
      append_blocks(blocks, message);
    } else if (message.items.size() > 2) {
      blocks = message.items.substr(1, message.items.size() - 2);
    }
    if (blocks.empty()) continue;
    const std::string_view own = message.role == Message::Role::assistant ? "assistant" : "user";
    if (own == role) {
      to.append(",").append(blocks);
      continue;
    }
    if (!role.empty()) to += "]},";
    role = own;
    to.append("{\"role\":\"").append(role).append("\",\"content\":[").append(blocks);
  }
  to += role.empty() ? "]" : "]}]";
}

void append_system(ObjectText& body, const std::vector<Message>& messages) {
  std::vector<const Part*> parts;
  for (const Message& message : messages) {
    if (message.role != Message::Role::system) continue;
    for (const Part& part : message.parts) parts.push_back(&part);
  }
  if (parts.empty()) return;
  std::string& list = body.key("system");
  append_list(list, parts, [&](const Part* part) { append_part(list, *part); });
}

void append_tool(ObjectText& object, const Tool& tool) {
  object.text("name", tool.name);
  object.text("description", tool.description);
  object.raw("input_schema", tool.parameters);
}

Answer::End end_of(const std::string& reason) {
  if (reason == "end_turn" || reason == "stop_sequence" || reason == "pause_turn") return Answer::End::stop;
  if (reason == "max_tokens" || reason == "model_context_window_exceeded") return Answer::End::length;
  if (reason == "tool_use") return Answer::End::tool_calls;
  if (reason == "refusal") return Answer::End::refusal;
  return Answer::End::other;
}

/// Counts of this dialect: input_tokens leaves caches out, and a stream repeats its counts as they grow.
struct Counts {
  bool seen = false;
  std::int64_t input = 0, read = 0, written = 0, output = 0, thinking = 0;

  void add(const Json& usage) {
    if (!usage.is_object()) return;
    seen = seen || is_count(field(usage, "input_tokens"));
    input = std::max(input, count_field(usage, "input_tokens"));
    read = std::max(read, count_field(usage, "cache_read_input_tokens"));
    written = std::max(written, count_field(usage, "cache_creation_input_tokens"));
    output = std::max(output, count_field(usage, "output_tokens"));
    thinking = std::max(thinking, count_field(field(usage, "output_tokens_details"), "thinking_tokens"));
  }

  std::optional<Usage> usage() const {
    if (!seen) return std::nullopt;
    Usage result;
    result.input = input + read + written;
    result.cached_input = read;
    result.cache_write = written;
    result.output = output;
    result.reasoning = thinking;
    return result;
  }
};

ToolCall call_of(const Json& block, std::string arguments) {
  return {string_field(block, "id"), string_field(block, "name"), std::move(arguments),
          string_field(block, "toolset_name")};
}

void set_end(Answer& answer, const Json& message) {
  answer.end = end_of(string_field(message, "stop_reason"));
  if (answer.end != Answer::End::refusal) return;
  answer.refusal = string_field(field(message, "stop_details"), "explanation");
  if (answer.refusal.empty()) answer.refusal = answer.text.empty() ? "the model refused" : answer.text;
}

class MessagesStream final : public AnswerStream {
  Result<Unit> take(const Json& event) override {
    const std::string type = string_field(event, "type");
    if (type == "message_start") {
      const Json& message = field(event, "message");
      answer_.id = string_field(message, "id");
      answer_.model = string_field(message, "model");
      count(field(message, "usage"));
    } else if (type == "content_block_start") {
      const Json& block = field(event, "content_block");
      if (string_field(block, "type") == "tool_use") add_call(answer_, call_of(block, ""));
    } else if (type == "content_block_delta") {
      const Json& delta = field(event, "delta");
      answer_.text += string_field(delta, "text");
      if (!answer_.tool_calls.empty()) answer_.tool_calls.back().arguments += string_field(delta, "partial_json");
    } else if (type == "message_delta") {
      count(field(event, "usage"));
      set_end(answer_, field(event, "delta"));
    } else if (type == "message_stop") {
      done_ = true;
    }
    return Unit{};
  }

  void count(const Json& usage) {
    counts_.add(usage);
    answer_.usage = counts_.usage();
  }

  Counts counts_;
};

class Messages final : public Dialect {
 public:
  std::string path() const override { return "/v1/messages"; }

  std::vector<std::pair<std::string, std::string>> headers(const Endpoint& endpoint,
                                                           const Question& question) const override {
    std::vector<std::pair<std::string, std::string>> sent = {
        {"anthropic-version", endpoint.version.empty() ? kVersion : endpoint.version}};
    for (const Tool& tool : question.tools) {
      const std::string type = vendor_type(tool);  // computer_20251124
      if (!type.starts_with(kDatedComputer) || type.size() != kDatedComputer.size() + 6) continue;
      const std::string date = type.substr(type.size() - 8);
      sent.emplace_back("anthropic-beta",
                        "computer-use-" + date.substr(0, 4) + "-" + date.substr(4, 2) + "-" + date.substr(6));
      break;
    }
    return sent;
  }

  void write(ObjectText& body, const ModelRow& model, const Question& question) const override {
    body.raw("max_tokens", std::to_string(question.max_output));
    append_system(body, question.messages);
    append_messages(body.key("messages"), question.messages);
    append_tools(body, question.tools, append_tool);
    if (!question.tools.empty() && !question.tool_choice.empty()) {
      ObjectText choice(body.key("tool_choice"));
      choice.text("type", question.tool_choice == "required" ? "any" : question.tool_choice);
    }
    if (question.schema && model.structured == StructuredOutput::json_schema) {
      ObjectText output(body.key("output_config"));
      ObjectText format(output.key("format"));
      format.text("type", "json_schema");
      format.raw("schema", question.schema->schema);
    }
    if (question.stream) body.raw("stream", "true");
  }

  Result<Answer> read_body(const Json& body, std::string_view text) const override {
    if (!field(body, "content").is_array()) return no_answer("it has no content", text);
    Answer answer = begun_answer(body);
    for (const Json& block : body["content"]) {
      const std::string type = string_field(block, "type");
      if (type == "text") answer.text += string_field(block, "text");
      if (type == "tool_use") add_call(answer, call_of(block, dump_text(field(block, "input"))));
    }
    answer.items = dump_text(body["content"]);
    set_end(answer, body);
    Counts counts;
    counts.add(field(body, "usage"));
    answer.usage = counts.usage();
    return answer;
  }

  std::unique_ptr<AnswerStream> stream() const override { return std::make_unique<MessagesStream>(); }
};

}  // namespace

const Dialect& messages_dialect() {
  static const Messages dialect;
  return dialect;
}

}  // namespace qa
