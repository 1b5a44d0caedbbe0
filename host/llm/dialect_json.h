#pragma once
// What the dialects share in reading foreign JSON and writing their own. Nothing in an answer is trusted: a member of
// the wrong type reads as empty.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "host/json_text.h"
#include "host/llm/dialect.h"

namespace qa {

using Json = nlohmann::json;

inline constexpr std::size_t kMostToolCalls = 128;  ///< Of an answer; more are left out.

/// May this member be sent to the model?
bool allows(const ModelRow& model, std::string_view member);

const Json& field(const Json& object, const char* name);  ///< null when there is none.
std::string string_field(const Json& object, const char* name);
bool is_count(const Json& value);  ///< A whole number from 0 to 10^12.
/// A count of tokens; 0 for what is none.
std::int64_t count_field(const Json& object, const char* name);
const Json& items_of(const Json& list);  ///< An empty list for what is none.

/// llm_invalid, with the first 200 bytes of the answer made safe.
Error no_answer(const std::string& why, std::string_view body);
std::string dump_text(const Json& value);  ///< Invalid UTF-8 replaced.

/// The "type" of a tool that the vendor defines: "computer_use_preview"; "" for a function.
std::string vendor_type(const Tool& tool);

Json usage_json(const Usage& usage);  ///< For journals and cassettes.
Usage usage_in(const Json& json);     ///< The same read again.
/// An answer with what all dialects name alike: id and model.
Answer begun_answer(const Json& body);
void add_call(Answer& answer, ToolCall call);

std::string text_of(const Message& message);  ///< Of all its parts.
/// "user", "assistant", "tool", or what the model calls the system.
std::string_view role_name(const ModelRow& model, Message::Role role);
/// data:image/png;base64,...  as a JSON string.
void append_data_url(std::string& to, const SentImage& image);
/// {"type": type, "text": text}
void append_text_part(std::string& to, std::string_view type, std::string_view text);
void append_temperature(ObjectText& body, const ModelRow& model, const Question& question);
/// What OpenAI counts: "prompt_tokens" and "completion_tokens" or other words; nothing where one of them is missing.
std::optional<Usage> usage_of(const Json& usage, const std::string& input, const std::string& output);

template <class List, class Append>
void append_list(std::string& to, const List& list, Append append) {
  to += '[';
  bool first = true;
  for (const auto& item : list) {
    if (!first) to += ',';
    first = false;
    append(item);
  }
  to += ']';
}

/// The member "tools", where there are any: a vendor's own as they are, of others what `members(object, tool)` writes.
template <class Members>
void append_tools(ObjectText& body, const std::vector<Tool>& tools, Members members) {
  if (tools.empty()) return;
  std::string& to = body.key("tools");
  append_list(to, tools, [&](const Tool& tool) {
    if (!tool.vendor.empty()) return void(to += tool.vendor);
    ObjectText object(to);
    members(object, tool);
  });
}

const Dialect& chat_dialect();
const Dialect& responses_dialect();
const Dialect& messages_dialect();

}  // namespace qa
