#pragma once
// Conversation: what a model is asked and what it answered, in one shape for all dialects. Plain data; made by the
// bindings, written and read by the dialects (dialect.h), sent by ModelCall.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/money/prices.h"

namespace qa {

/// A picture as it is sent: encoded bytes and what a cassette knows it by.
struct SentImage {
  std::string media_type;                     ///< "image/png" or "image/jpeg".
  std::shared_ptr<const std::string> base64;  ///< Of the encoded bytes.
  int width = 0, height = 0;                  ///< Pixels as sent.
  std::string sha256;                         ///< Of the pixels and their size, however they are encoded.
  std::uint64_t dhash = 0;                    ///< difference_hash of the pixels.
  std::string detail;                         ///< "low", "high", "auto", or "" to leave it out.
};

struct Part {
  std::string text;
  std::optional<SentImage> image;  ///< Instead of text.
};

/// A call of a tool by the model; arguments as the JSON text that it wrote. A computer call of the Responses API is one
/// of name and toolset "computer", whose arguments are the array of its actions, in either generation.
struct ToolCall {
  std::string id, name, arguments;
  std::string toolset = {};  ///< The vendor's set of tools that it is of; goes back with its result.
  std::string checks = {};   ///< JSON array text of the safety checks that wait for an acknowledgement, or "".
};

struct Message {
  enum class Role { system, user, assistant, tool } role = Role::user;
  std::vector<Part> parts;
  std::vector<ToolCall> tool_calls;  ///< Of an assistant's message.
  std::string tool_call_id;          ///< Of a tool's answer.
  std::string items;         ///< JSON array text of the dialect's own items, sent as they are, instead of all this.
  std::string toolset = {};  ///< Of a tool's answer: that of its call.
  std::string checks = {};   ///< Of a computer's answer: JSON array text of the safety checks that are acknowledged.
};

struct Tool {
  std::string name, description;
  std::string parameters;  ///< JSON schema text; "" for a tool that the vendor defines.
  std::string vendor;      ///< JSON object text sent as it is, instead of the above: computer tools and toolsets.
};

/// An answer that must fit a schema: `schema` is JSON text with its fields in the order of generation.
struct AnswerSchema {
  std::string name, schema;
};

struct Question {
  std::vector<Message> messages;
  std::vector<Tool> tools;
  std::string tool_choice;  ///< "", "auto", "required", "none".
  std::optional<AnswerSchema> schema;
  std::optional<double> temperature;
  int max_output = 1024;  ///< Tokens; always sent: what a call may cost depends on it.
  bool stream = false;
  std::string previous_id;  ///< Of the answer that this continues, for dialects that keep conversations.
  std::string extra;        ///< Members for the body: JSON object text, or "".
};

struct Answer {
  enum class End { stop, length, refusal, tool_calls, filtered, other } end = End::other;
  std::string text;
  std::string refusal;
  std::vector<ToolCall> tool_calls;
  std::string items;  ///< Output items of a dialect whose tools are its own (computer calls): JSON array text, or "".
  std::string id;     ///< The answer's own id.
  std::string model;  ///< As the endpoint names it.
  std::optional<Usage> usage;             ///< nullopt: the server said nothing usable.
  std::optional<std::string> billed_usd;  ///< What the provider says it charged, as a decimal number.
};

/// "stop", "length", "refusal", "tool_calls", "filtered", "other".
std::string_view end_name(Answer::End end);

}  // namespace qa
