#include "host/llm/dialect.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "host/llm/event_stream.h"
#include "host/llm/retry.h"

using namespace qa;
using Json = nlohmann::json;

namespace {

SentImage pixel() {
  SentImage image;
  image.media_type = "image/png";
  image.base64 = std::make_shared<const std::string>("AAEC");
  image.width = image.height = 1;
  image.sha256 = "00";
  image.detail = "low";
  return image;
}

Question question() {
  Question asked;
  asked.messages.push_back({Message::Role::system, {{"You test \"games\".\n", {}}}, {}, "", ""});
  asked.messages.push_back({Message::Role::user, {{"What is seen?", {}}, {"", pixel()}}, {}, "", ""});
  asked.schema =
      AnswerSchema{"seen", R"({"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string"}}})"};
  asked.temperature = 0.3;
  asked.max_output = 77;
  return asked;
}

Endpoint endpoint(DialectKind kind) {
  Endpoint made;
  made.dialect = kind;
  made.model = "m-1";
  return made;
}

ModelRow able() {
  ModelRow row;
  row.structured = StructuredOutput::json_schema;
  return row;
}

Json composed(DialectKind kind, const ModelRow& row = able(), const Question& asked = question()) {
  const std::string text = dialect_of(kind).compose(endpoint(kind), row, asked);
  INFO(text);
  const Json body = Json::parse(text, nullptr, false);
  REQUIRE(body.is_object());
  return body;
}

}  // namespace

TEST_CASE("C-065: a question with pictures becomes a body of chat completions", "[llm]") {
  const Json body = composed(DialectKind::openai_chat);
  CHECK(body["model"] == "m-1");
  CHECK(body["messages"][0] == Json{{"role", "system"}, {"content", "You test \"games\".\n"}});
  CHECK(body["messages"][1]["content"][0] == Json{{"type", "text"}, {"text", "What is seen?"}});
  CHECK(body["messages"][1]["content"][1]["image_url"] ==
        Json{{"url", "data:image/png;base64,AAEC"}, {"detail", "low"}});
  CHECK(body["response_format"]["json_schema"]["name"] == "seen");
  CHECK(body["response_format"]["json_schema"]["strict"] == true);
  CHECK(body["max_tokens"] == 77);
  CHECK(body["temperature"] == 0.3);
  CHECK_FALSE(body.contains("stream"));
}

TEST_CASE("what a model does not take is left out", "[llm]") {
  ModelRow row = able();
  row.forbidden = {"temperature", "detail"};
  row.system_role = "developer";
  row.max_tokens_field = "max_completion_tokens";
  row.structured = StructuredOutput::json_object;
  const Json body = composed(DialectKind::openai_chat, row);
  CHECK_FALSE(body.contains("temperature"));
  CHECK_FALSE(body["messages"][1]["content"][1]["image_url"].contains("detail"));
  CHECK(body["messages"][0]["role"] == "developer");
  CHECK(body["max_completion_tokens"] == 77);
  CHECK(body["response_format"] == Json{{"type", "json_object"}});
  row.structured = StructuredOutput::none;
  CHECK_FALSE(composed(DialectKind::openai_chat, row).contains("response_format"));
}

TEST_CASE("the order of a schema's fields is kept, since models write in it", "[llm]") {
  for (const DialectKind kind :
       {DialectKind::openai_chat, DialectKind::openai_responses, DialectKind::anthropic_messages}) {
    const std::string text = dialect_of(kind).compose(endpoint(kind), able(), question());
    CHECK(text.find(R"("b":{"type":"string"},"a")") != std::string::npos);
  }
}

TEST_CASE("the media type of a picture is the one of its bytes, in every dialect", "[llm]") {
  for (const DialectKind kind :
       {DialectKind::openai_chat, DialectKind::openai_responses, DialectKind::anthropic_messages}) {
    for (const std::string type : {"image/png", "image/jpeg"}) {
      Question asked = question();
      asked.messages[1].parts[1].image->media_type = type;
      const std::string text = dialect_of(kind).compose(endpoint(kind), able(), asked);
      const bool is_named = text.find("data:" + type + ";base64,AAEC") != std::string::npos ||
                            text.find("\"media_type\":\"" + type + "\"") != std::string::npos;
      CHECK(is_named);
      CHECK(text.find(type == "image/png" ? "image/jpeg" : "image/png") == std::string::npos);
    }
  }
}

TEST_CASE("a question becomes a body of messages", "[llm]") {
  Question asked = question();
  asked.messages.push_back({Message::Role::assistant, {{"looking", {}}}, {{"c1", "zoom", R"({"x":1})"}}, "", ""});
  asked.messages.push_back({Message::Role::tool, {{"done", {}}}, {}, "c1", ""});
  asked.tools.push_back({"zoom", "looks closer", R"({"type":"object"})", ""});
  asked.tool_choice = "required";
  const Json body = composed(DialectKind::anthropic_messages, able(), asked);
  CHECK(body["max_tokens"] == 77);
  CHECK(body["system"][0]["text"] == "You test \"games\".\n");
  REQUIRE(body["messages"].size() == 3);
  CHECK(body["messages"][0]["content"][1]["source"] ==
        Json{{"type", "base64"}, {"media_type", "image/png"}, {"data", "AAEC"}});
  CHECK(body["messages"][1]["content"][1] ==
        Json{{"type", "tool_use"}, {"id", "c1"}, {"name", "zoom"}, {"input", {{"x", 1}}}});
  CHECK(body["messages"][2]["role"] == "user");
  CHECK(body["messages"][2]["content"][0]["type"] == "tool_result");
  CHECK(body["output_config"]["format"]["type"] == "json_schema");
  CHECK(body["tool_choice"] == Json{{"type", "any"}});
  CHECK_FALSE(body.contains("temperature"));  // The vendor's API knows it no more.
  const auto headers =
      dialect_of(DialectKind::anthropic_messages).headers(endpoint(DialectKind::anthropic_messages), asked);
  REQUIRE(headers.size() == 1);
  CHECK(headers[0].first == "anthropic-version");
}

TEST_CASE("a question becomes a body of responses", "[llm]") {
  Question asked = question();
  asked.messages.push_back({Message::Role::assistant, {}, {}, "", R"([{"type":"computer_call","call_id":"k"}])"});
  asked.tools.push_back({"", "", "", R"({"type":"computer"})"});
  asked.previous_id = "resp_1";
  const Json body = composed(DialectKind::openai_responses, able(), asked);
  CHECK(body["input"][0] ==
        Json{{"role", "system"}, {"content", {{{"type", "input_text"}, {"text", "You test \"games\".\n"}}}}});
  CHECK(body["input"][1]["content"][1]["image_url"] == "data:image/png;base64,AAEC");
  CHECK(body["input"][2]["type"] == "computer_call");
  CHECK(body["text"]["format"]["name"] == "seen");
  CHECK(body["tools"][0] == Json{{"type", "computer"}});
  CHECK(body["max_output_tokens"] == 77);
  CHECK(body["previous_response_id"] == "resp_1");
}

namespace {

/// A turn of a conversation: two calls together, their answers with a picture each, then the user again.
Question tool_turn() {
  Question asked;
  asked.messages.push_back({Message::Role::user, {{"look", {}}}, {}, "", ""});
  asked.messages.push_back(
      {Message::Role::assistant, {{"I look.", {}}}, {{"c1", "zoom", R"({"x":1})"}, {"c2", "zoom", "{}"}}, "", ""});
  asked.messages.push_back({Message::Role::tool, {{"one", {}}, {"", pixel()}}, {}, "c1", ""});
  asked.messages.push_back({Message::Role::tool, {{"two", {}}, {"", pixel()}}, {}, "c2", ""});
  asked.messages.push_back({Message::Role::user, {{"go on", {}}}, {}, "", ""});
  asked.tools.push_back({"zoom", "looks closer", R"({"type":"object"})", ""});
  return asked;
}

}  // namespace

TEST_CASE("C-042: answers of tools go back in the way of each dialect, with their pictures", "[llm]") {
  const Json chat = composed(DialectKind::openai_chat, able(), tool_turn())["messages"];
  REQUIRE(chat.size() == 6);
  CHECK(chat[1]["tool_calls"][1]["function"] == Json{{"name", "zoom"}, {"arguments", "{}"}});
  CHECK(chat[2] == Json{{"role", "tool"}, {"content", "one"}, {"tool_call_id", "c1"}});
  CHECK(chat[3]["tool_call_id"] == "c2");
  CHECK(chat[4]["role"] == "user");  // A tool's message is text there: pictures follow all of them.
  CHECK(chat[4]["content"].size() == 2);
  CHECK(chat[4]["content"][1]["type"] == "image_url");
  CHECK(chat[5]["content"] == "go on");

  const Json responses = composed(DialectKind::openai_responses, able(), tool_turn())["input"];
  REQUIRE(responses.size() == 7);
  CHECK(responses[2] ==
        Json{{"type", "function_call"}, {"call_id", "c1"}, {"name", "zoom"}, {"arguments", R"({"x":1})"}});
  CHECK(responses[4]["type"] == "function_call_output");
  CHECK(responses[4]["output"][0] == Json{{"type", "input_text"}, {"text", "one"}});
  CHECK(responses[4]["output"][1]["image_url"] == "data:image/png;base64,AAEC");

  const Json messages = composed(DialectKind::anthropic_messages, able(), tool_turn())["messages"];
  REQUIRE(messages.size() == 3);  // Both results and what the user says next are one turn.
  CHECK(messages[2]["role"] == "user");
  REQUIRE(messages[2]["content"].size() == 3);
  CHECK(messages[2]["content"][0]["tool_use_id"] == "c1");
  CHECK(messages[2]["content"][1]["content"][1]["source"]["data"] == "AAEC");
  CHECK(messages[2]["content"][2] == Json{{"type", "text"}, {"text", "go on"}});
}

TEST_CASE("C-040: computer use of the Responses API, in both generations", "[llm]") {
  const auto preview = dialect_of(DialectKind::openai_responses).read(R"({"id":"r","status":"completed","output":[
    {"type":"reasoning","id":"rs","summary":[]},
    {"type":"computer_call","id":"cu","call_id":"k1","status":"completed",
     "action":{"type":"click","button":"left","x":10,"y":20},
     "pending_safety_checks":[{"id":"sc","code":"malicious_instructions","message":"careful"}]}]})");
  REQUIRE(preview);
  REQUIRE(preview->tool_calls.size() == 1);
  CHECK(preview->end == Answer::End::tool_calls);
  CHECK(preview->tool_calls[0].id == "k1");
  CHECK(preview->tool_calls[0].name == "computer");
  CHECK(preview->tool_calls[0].toolset == "computer");
  CHECK(Json::parse(preview->tool_calls[0].arguments)[0]["x"] == 10);
  CHECK(Json::parse(preview->tool_calls[0].checks)[0]["code"] == "malicious_instructions");

  const auto batch = dialect_of(DialectKind::openai_responses).read(R"({"status":"completed","output":[
    {"type":"computer_call","call_id":"k2","pending_safety_checks":[],"actions":[{"type":"move","x":1,"y":2},{"type":"wait"}]},
    {"type":"computer_call","call_id":"k3","actions":"x"}]})");
  REQUIRE(batch);
  REQUIRE(batch->tool_calls.size() == 2);
  CHECK(Json::parse(batch->tool_calls[0].arguments).size() == 2);
  CHECK(batch->tool_calls[0].checks.empty());
  CHECK(batch->tool_calls[1].arguments == "[]");

  Question asked;
  asked.tools.push_back({"", "", "", R"({"type":"computer_use_preview","environment":"browser"})"});
  asked.messages.push_back({Message::Role::assistant, {}, {}, "", preview->items});
  Message result{Message::Role::tool, {{"", pixel()}}, {}, "k1", ""};
  result.toolset = "computer";
  result.checks = preview->tool_calls[0].checks;
  asked.messages.push_back(result);
  Json body = composed(DialectKind::openai_responses, able(), asked);
  CHECK(body["truncation"] == "auto");
  CHECK(body["input"][0]["type"] == "reasoning");
  CHECK(body["input"][1]["type"] == "computer_call");
  CHECK(body["input"][2]["type"] == "computer_call_output");
  CHECK(body["input"][2]["output"] ==
        Json{{"type", "computer_screenshot"}, {"image_url", "data:image/png;base64,AAEC"}});
  CHECK(body["input"][2]["acknowledged_safety_checks"][0]["id"] == "sc");
  asked.tools[0].vendor = R"({"type":"computer"})";
  asked.messages[1].checks.clear();
  body = composed(DialectKind::openai_responses, able(), asked);
  CHECK_FALSE(body.contains("truncation"));
  CHECK_FALSE(body["input"][2].contains("acknowledged_safety_checks"));
}

TEST_CASE("C-040: the computer toolset of the Messages API, and its dated tools under their beta", "[llm]") {
  const Dialect& dialect = dialect_of(DialectKind::anthropic_messages);
  const auto answer =
      dialect.read(R"({"stop_reason":"tool_use","content":[{"type":"tool_use","id":"t","name":"left_click",
    "toolset_name":"computer","caller":{"type":"direct"},"input":{"coordinate":[3,4]}}]})");
  REQUIRE(answer);
  CHECK(answer->tool_calls.at(0).toolset == "computer");
  CHECK(answer->tool_calls.at(0).name == "left_click");
  Question asked;
  asked.tools.push_back({"", "", "", R"({"type":"computer_toolset_20260801"})"});
  asked.messages.push_back({Message::Role::assistant, {}, {}, "", answer->items});
  Message result{Message::Role::tool, {{"", pixel()}}, {}, "t", ""};
  result.toolset = "computer";
  asked.messages.push_back(result);
  const Json body = composed(DialectKind::anthropic_messages, able(), asked);
  CHECK(body["tools"][0]["type"] == "computer_toolset_20260801");
  CHECK(body["messages"][0]["content"][0]["name"] == "left_click");
  CHECK(body["messages"][1]["content"][0]["toolset_name"] == "computer");
  CHECK(body["messages"][1]["content"][0]["content"][0]["type"] == "image");
  const Endpoint at = endpoint(DialectKind::anthropic_messages);
  CHECK(dialect.headers(at, asked).size() == 1);
  asked.tools[0].vendor =
      R"({"type":"computer_20251124","name":"computer","display_width_px":1024,"display_height_px":576})";
  const auto headers = dialect.headers(at, asked);
  REQUIRE(headers.size() == 2);
  CHECK(headers[1] == std::pair<std::string, std::string>{"anthropic-beta", "computer-use-2025-11-24"});
}

TEST_CASE("answers are read with what they cost", "[llm]") {
  auto chat = dialect_of(DialectKind::openai_chat).read(R"({"id":"a","model":"m","choices":[{"finish_reason":"stop",
    "message":{"content":"hi","tool_calls":[{"id":"t","function":{"name":"f","arguments":"{}"}}]}}],
    "usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":60},"cost":0.0125}})");
  REQUIRE(chat);
  CHECK(chat->text == "hi");
  CHECK(chat->end == Answer::End::stop);
  REQUIRE(chat->usage);
  CHECK(chat->usage->input == 100);
  CHECK(chat->usage->cached_input == 60);
  CHECK(chat->tool_calls.at(0).name == "f");
  CHECK(*chat->billed_usd == "0.012500000");

  auto messages = dialect_of(DialectKind::anthropic_messages).read(R"({"id":"b","stop_reason":"max_tokens",
    "content":[{"type":"text","text":"x"},{"type":"tool_use","id":"u","name":"g","input":{"y":2}}],
    "usage":{"input_tokens":10,"cache_read_input_tokens":30,"cache_creation_input_tokens":5,"output_tokens":3}})");
  REQUIRE(messages);
  CHECK(messages->end == Answer::End::length);
  CHECK(messages->usage->input == 45);
  CHECK(messages->usage->cached_input == 30);
  CHECK(messages->usage->cache_write == 5);
  CHECK(messages->tool_calls.at(0).arguments == R"({"y":2})");

  auto responses = dialect_of(DialectKind::openai_responses).read(R"({"id":"c","status":"completed","output":[
    {"type":"message","content":[{"type":"output_text","text":"z"}]},{"type":"computer_call","call_id":"q"}],
    "usage":{"input_tokens":9,"output_tokens":2,"output_tokens_details":{"reasoning_tokens":1}}})");
  REQUIRE(responses);
  CHECK(responses->text == "z");
  CHECK(responses->end == Answer::End::tool_calls);
  CHECK(responses->usage->reasoning == 1);
  CHECK(responses->items.find("computer_call") != std::string::npos);
}

TEST_CASE("what is no answer is told in one line", "[llm]") {
  for (const DialectKind kind :
       {DialectKind::openai_chat, DialectKind::openai_responses, DialectKind::anthropic_messages}) {
    for (const char* body : {"", "<html>\x1b[2J</html>", "[]", "{}", "{\"choices\":[]}", "{\"choices\":[{}]}", "nul",
                             "{} {}", "{\"content\":7}", R"({"choices":[{"message":"x"}]})", R"({"output":{}})"}) {
      const auto answer = dialect_of(kind).read(body);
      REQUIRE_FALSE(answer);
      CHECK(answer.error().kind == ErrorKind::llm_invalid);
      CHECK(answer.error().message.find('\n') == std::string::npos);
      CHECK(answer.error().message.find('\x1b') == std::string::npos);
    }
    const auto failed = dialect_of(kind).read(R"({"error":{"message":"overloaded"}})");
    REQUIRE_FALSE(failed);
    CHECK(failed.error().kind == ErrorKind::llm_unavailable);
  }
}

TEST_CASE("a byte that is no UTF-8 and a number beyond all bounds lose no answer", "[llm]") {
  const auto answer =
      dialect_of(DialectKind::openai_chat)
          .read(
              "{\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"content\":\"1e999 \\\" -1e999 a\xFF\"}}],"
              "\"usage\":{\"prompt_tokens\":1e999,\"completion_tokens\":-5e-1}}");
  REQUIRE(answer);
  CHECK(answer->text == "1e999 \" -1e999 a\xEF\xBF\xBD");
  CHECK_FALSE(answer->usage);
}

TEST_CASE("counts of tokens that are none leave the bill unknown", "[llm]") {
  for (const char* usage :
       {"null", "{}", R"({"prompt_tokens":-5,"completion_tokens":1})",
        R"({"prompt_tokens":"12","completion_tokens":1})", R"({"prompt_tokens":1e30,"completion_tokens":1})",
        R"({"prompt_tokens":1.5,"completion_tokens":1})"}) {
    const auto answer = dialect_of(DialectKind::openai_chat)
                            .read(R"({"choices":[{"message":{"content":"a"}}],"usage":)" + std::string(usage) + "}");
    INFO(usage);
    REQUIRE(answer);
    CHECK_FALSE(answer->usage);
  }
}

TEST_CASE("a refusal is one in every dialect", "[llm]") {
  CHECK(dialect_of(DialectKind::openai_chat)
            .read(R"({"choices":[{"finish_reason":"stop","message":{"content":null,"refusal":"no"}}]})")
            ->end == Answer::End::refusal);
  CHECK(dialect_of(DialectKind::anthropic_messages).read(R"({"stop_reason":"refusal","content":[]})")->refusal != "");
  CHECK(
      dialect_of(DialectKind::openai_responses)
          .read(R"({"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"no"}]}]})")
          ->end == Answer::End::refusal);
}

TEST_CASE("events of a stream are found however they are cut", "[llm]") {
  const std::string text =
      "\xEF\xBB\xBF: ping\r\nevent: a\r\ndata: {\"x\":\"\xC3\xA4\"}\r\n\r\ndata: one\ndata: two\n\ndata:three\r\rid: "
      "7\n\ndata: lost";
  std::vector<std::string> whole;
  for (std::size_t step = 1; step <= text.size(); ++step) {
    EventStream stream;
    std::vector<std::string> seen;
    for (std::size_t at = 0; at < text.size(); at += step) {
      CHECK(stream.feed(std::string_view(text).substr(at, step), [&](std::string_view name, std::string_view data) {
        seen.push_back(std::string(name) + "|" + std::string(data));
        return true;
      }));
    }
    if (whole.empty()) whole = seen;
    CHECK(seen == whole);
  }
  CHECK(whole == std::vector<std::string>{"a|{\"x\":\"\xC3\xA4\"}", "|one\ntwo", "|three"});
}

TEST_CASE("streamed answers are complete only when they say so", "[llm]") {
  auto chat = dialect_of(DialectKind::openai_chat).stream();
  REQUIRE(chat->event(R"({"choices":[{"delta":{"content":"he"}}]})"));
  REQUIRE(chat->event(R"({"choices":[{"delta":{"content":"y"}}]})"));
  CHECK_FALSE(chat->complete());
  REQUIRE(chat->event(R"({"choices":[{"delta":{},"finish_reason":"stop"}]})"));
  REQUIRE(chat->event(R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}})"));
  CHECK(chat->complete());
  CHECK(chat->answer().text == "hey");
  CHECK(chat->answer().usage->output == 2);
  CHECK_FALSE(chat->event(R"({"error":{"message":"boom"}})"));

  auto messages = dialect_of(DialectKind::anthropic_messages).stream();
  for (const char* data :
       {R"({"type":"message_start","message":{"id":"i","usage":{"input_tokens":5,"output_tokens":1}}})",
        R"({"type":"content_block_start","content_block":{"type":"text"}})", R"({"type":"ping"})",
        R"({"type":"content_block_delta","delta":{"type":"text_delta","text":"ok"}})",
        R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}})"}) {
    REQUIRE(messages->event(data));
    CHECK_FALSE(messages->complete());
  }
  REQUIRE(messages->event(R"({"type":"message_stop"})"));
  CHECK(messages->complete());
  CHECK(messages->answer().usage->output == 9);
  CHECK(messages->answer().end == Answer::End::stop);

  auto responses = dialect_of(DialectKind::openai_responses).stream();
  REQUIRE(responses->event(R"({"type":"response.output_text.delta","delta":"a"})"));
  CHECK_FALSE(responses->complete());
  REQUIRE(responses->event(R"({"type":"response.completed","response":{"status":"completed","output":[]}})"));
  CHECK(responses->complete());
}

TEST_CASE("answers that fail are asked again where that helps", "[llm]") {
  const auto judged = [](int status, const char* body = "", const char* should = "") {
    return judge_answer({status, {{"X-Should-Retry", should}}, body}, 0);
  };
  CHECK(judged(200).ok);
  for (const int status : {408, 409, 425, 429, 500, 502, 503, 504, 529}) CHECK(judged(status).again);
  for (const int status : {400, 401, 403, 404, 413, 422, 301, 307}) CHECK_FALSE(judged(status).again);
  for (const char* code : {"insufficient_quota", "billing_error", "enforced_spend_limit_reached"}) {
    const std::string body = R"({"error":{"type":"x","code":")" + std::string(code) + "\"}}";
    CHECK_FALSE(judged(429, body.c_str()).again);
    CHECK_FALSE(judged(429, body.c_str(), "true").again);
  }
  CHECK_FALSE(judged(503, "", "false").again);
  CHECK(judged(400, "", "true").again);
  CHECK(judged(503, R"({"error":{"message":"Loading model"}})").error.message.find("Loading model") !=
        std::string::npos);
  CHECK_FALSE(judged(500).may_be_billed);
}

TEST_CASE("a lost connection is billed when the request was sent, and asked again before an answer began", "[llm]") {
  const Error lost{ErrorKind::llm_unavailable, "reset"}, late{ErrorKind::timeout, "late"};
  CHECK_FALSE(judge_failure({lost, HttpPhase::send, false, false}).may_be_billed);
  CHECK(judge_failure({lost, HttpPhase::head, true, false}).may_be_billed);
  CHECK(judge_failure({lost, HttpPhase::head, true, false}).again);
  CHECK_FALSE(judge_failure({lost, HttpPhase::body, true, true}).again);
  CHECK_FALSE(judge_failure({late, HttpPhase::head, true, false}).again);
}

TEST_CASE("pauses are the server's or grow, and nonsense is ignored", "[llm]") {
  CHECK(parse_retry_after("2", 0) == 2000);
  CHECK(parse_retry_after("0.5", 0) == 500);
  CHECK_FALSE(parse_retry_after("-5", 0));
  CHECK_FALSE(parse_retry_after("soon", 0));
  CHECK_FALSE(parse_retry_after("nan", 0));
  CHECK(parse_retry_after("Thu, 01 Jan 1970 00:00:09 GMT", 4) == 5000);
  CHECK_FALSE(parse_retry_after("Thu, 01 Jan 1970 00:00:01 GMT", 4));
  Verdict verdict;
  CHECK(pause_ms(verdict, 2, 0) == 500);
  CHECK(pause_ms(verdict, 4, 0) == 2000);
  CHECK(pause_ms(verdict, 20, 0) == 8000);
  CHECK(pause_ms(verdict, 2, 0.999) > 375);
  verdict.retry_after_ms = 1e9;
  CHECK(pause_ms(verdict, 2, 0) == 1e9);
}
