#include "host/llm/model_call.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <utility>

#include "host/llm/cassette.h"
#include "host/llm/dialect.h"
#include "host/llm/event_stream.h"
#include "host/llm/retry.h"

namespace qa {
namespace {

constexpr std::size_t kPoolReadBytes = std::size_t{256} << 10;
constexpr std::size_t kShortestSecret = 8;
constexpr double kLongestPauseMs = 60'000;   ///< A server that asks for a longer one is not asked again.
constexpr std::int64_t kMessageTokens = 16;  ///< What roles and borders cost, and more.

double unix_now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

std::string request_id(const HttpResponse& response) {
  for (const char* name : {"x-request-id", "request-id", "apim-request-id"}) {
    if (const auto* value = response.header(name); value && !value->empty()) return value->substr(0, 100);
  }
  return {};
}

struct ModelCall : std::enable_shared_from_this<ModelCall> {
  CallServices services;
  CallPlan plan;
  Question question;
  std::function<void(CallResult)> done;

  std::string body, key;
  CassetteKey cassette_key;
  Nano need = 0;
  double began = 0, attempt_began = 0;
  CallResult result;
  std::shared_ptr<Hold> hold;
  HttpClient::CallId http = 0;
  EventLoop::TimerId timer = 0;
  bool cancelled = false;
  EventStream events;
  std::unique_ptr<AnswerStream> stream;
  std::optional<Error> stream_error;

  explicit ModelCall(const CallServices& call_services) : services(call_services) {}

  /// A step of the call that comes later: it does nothing once the owner of the services is gone.
  template <class Step>
  auto later(Step step) {
    return [self = shared_from_this(), step = std::move(step)](auto&&... values) {
      if (!self->services.owner.expired()) step(std::forward<decltype(values)>(values)...);
    };
  }

  double left_ms() const { return began + plan.timeout_ms - services.loop.now_ms(); }
  Attempt& attempt() { return result.attempts.back(); }

  // ---- Before the first attempt.

  void start() {
    if (cancelled) return finish(cancelled_error());
    if (services.cassette) {
      cassette_key = qa::cassette_key(plan.endpoint, plan.model, question, plan.purpose);
      auto found = services.cassette->find(cassette_key);
      if (!found) return finish(found.error());
      if (*found) return replay(**found);
    }
    auto read = services.key(plan.endpoint.key_env, url());
    if (!read) return finish(of_endpoint(read.error()));
    key = std::move(*read);
    const auto worst = worst_of(plan, question);
    if (!worst) return finish(worst.error());
    need = worst->cost;
    body = dialect_of(plan.endpoint.dialect).compose(plan.endpoint, plan.model, question);
    try_once();
  }

  void replay(Recorded& recorded) {
    result.replayed_by = recorded.matched_by;
    if (recorded.answer && recorded.answer->usage) result.replayed_cost = cost(plan.price, *recorded.answer->usage);
    result.answer = std::move(recorded.answer);
    finish(recorded.error);
  }

  // ---- One attempt.

  void try_once() {
    result.attempts.emplace_back();
    attempt().reserved = need;
    attempt_began = services.loop.now_ms();
    services.budget.reserve(need, {plan.endpoint.name + "/" + plan.endpoint.model, plan.purpose},
                            later([this](Result<std::shared_ptr<Hold>> reserved) {
                              if (!reserved) return finish(reserved.error());
                              hold = *reserved;
                              if (cancelled) return give_back(false, cancelled_error());
                              send();
                            }));
  }

  std::string url() const {
    const std::string& own = plan.endpoint.path;
    return plan.endpoint.base_url + (own.empty() ? dialect_of(plan.endpoint.dialect).path() : own);
  }

  HttpRequest request() const {
    HttpRequest sent;
    const Dialect& dialect = dialect_of(plan.endpoint.dialect);
    sent.url = url();
    sent.headers = {{"content-type", "application/json"},
                    {"accept", question.stream ? "text/event-stream" : "application/json"}};
    const KeyHeader how = plan.endpoint.key_header;
    if (!key.empty() && how != KeyHeader::none) {
      constexpr const char* names[] = {"", "authorization", "api-key", "x-api-key"};
      sent.headers.emplace_back(names[static_cast<int>(how)], how == KeyHeader::bearer ? "Bearer " + key : key);
    }
    for (auto& known : dialect.headers(plan.endpoint, question)) sent.headers.push_back(std::move(known));
    for (const auto& own : plan.endpoint.headers) sent.headers.push_back(own);
    sent.body = body;
    return sent;
  }

  void send() {
    if (services.on_reserved) services.on_reserved(plan, static_cast<int>(result.attempts.size()), need);
    HttpLimits limits;
    limits.total_ms = std::max(1, static_cast<int>(left_ms()));
    limits.connect_ms = std::min(limits.connect_ms, limits.total_ms);
    limits.first_byte_ms = limits.idle_ms = limits.total_ms;
    HttpClient::OnBody on_body;
    if (question.stream) {
      events = EventStream();
      stream = dialect_of(plan.endpoint.dialect).stream();
      stream_error.reset();
      on_body = [self = shared_from_this()](std::string_view piece) { return self->take(piece); };
    }
    http = services.http.send(request(), limits, std::move(on_body), [self = shared_from_this()](HttpResult answered) {
      self->http = 0;
      self->judge(std::move(answered));
    });
  }

  BodyStep take(std::string_view piece) {
    bool any = false;
    const bool more = events.feed(piece, [&](std::string_view, std::string_view data) {
      any = true;
      if (auto taken = stream->event(data); !taken) {
        stream_error = taken.error();
        return false;
      }
      return true;
    });
    if (!more && !stream_error) {
      stream_error = Error{ErrorKind::llm_too_large, "an event of the streamed answer is longer than 4 MiB"};
    }
    if (!more) return BodyStep::stop;
    return any ? BodyStep::more : BodyStep::filler;
  }

  void judge(HttpResult answered) {
    attempt().status = answered.response.status;
    attempt().request_id = without_key(request_id(answered.response));
    if (answered.failure) return ended(judge_failure(*answered.failure));
    const Verdict verdict = judge_answer(answered.response, unix_now());
    if (!verdict.ok) return ended(verdict);
    if (stream) return read_stream();
    read_body(std::move(answered.response.body));
  }

  void read_stream() {
    if (stream_error) return give_back(true, *stream_error);
    if (!stream->complete()) {
      return give_back(true, {ErrorKind::llm_truncated, "the streamed answer broke off before its end; ask again"});
    }
    accept(stream->answer());
  }

  void read_body(std::string text) {
    struct Work {
      std::string text;
      Result<Answer> answer = Answer{};
    };
    auto work = std::make_shared<Work>();
    work->text = std::move(text);
    const Dialect& dialect = dialect_of(plan.endpoint.dialect);
    const auto read = [work, &dialect] { work->answer = dialect.read(work->text); };
    const auto go_on = later([this, work] {
      if (!work->answer) return give_back(true, work->answer.error());
      accept(std::move(*work->answer));
    });
    if (work->text.size() > kPoolReadBytes) return services.loop.compute(read, go_on);
    read();
    go_on();
  }

  // ---- The end of an attempt: its money, then what comes next.

  void accept(Answer answer) {
    Nano actual = need;
    const auto billed = answer.billed_usd ? parse_dollars(*answer.billed_usd) : std::nullopt;
    const bool known = billed || answer.usage;
    if (billed) {
      actual = *billed;
    } else if (answer.usage) {
      actual = cost(plan.price, *answer.usage);
    }
    remove_key(answer);
    result.answer = std::move(answer);
    note_spent(actual, !known);
    const auto then = later([this] { finish(std::nullopt); });
    known ? hold->settle(actual, then) : hold->forfeit(then);
  }

  void note_spent(Nano amount, bool assumed) {
    attempt().spent = amount;
    attempt().ms = services.loop.now_ms() - attempt_began;
    result.spent += amount;
    result.is_assumed = result.is_assumed || (assumed && amount > 0);
  }

  void give_back(bool may_be_billed, Error error) { ended({false, false, may_be_billed, {}, std::move(error)}); }

  void ended(const Verdict& verdict) {
    attempt().failure = without_key(verdict.error.message);
    const bool assumed = verdict.may_be_billed;
    note_spent(assumed ? need : 0, assumed);
    const auto then = later([this, verdict] { go_on(verdict); });
    assumed ? hold->forfeit(then) : hold->refund(then);
  }

  void go_on(const Verdict& verdict) {
    hold.reset();
    if (cancelled) return finish(cancelled_error());
    const int next = static_cast<int>(result.attempts.size()) + 1;
    const double random = std::fmod(services.loop.now_ms() * 997, 1.0);
    const double pause = pause_ms(verdict, next, random);
    if (!verdict.again || next > plan.max_attempts) return finish(verdict.error);
    if (pause > kLongestPauseMs || pause >= left_ms()) {
      Error error = verdict.error;
      error.message += fmt::format("; it may be asked again in {:.0f} s, which is too long to wait", pause / 1000);
      error.detail = fmt::format(R"({{"retry_after_ms":{:.0f}}})", pause);
      return finish(std::move(error));
    }
    timer = services.loop.after(std::chrono::milliseconds(static_cast<int>(pause)), later([this] {
                                  timer = 0;
                                  try_once();
                                }));
  }

  Error cancelled_error() const { return {ErrorKind::cancelled, "the call was cancelled"}; }
  Error of_endpoint(Error error) const {
    error.message = "endpoint " + plan.endpoint.name + ": " + error.message;
    return error;
  }

  /// Servers have echoed the key in their complaint about it.
  std::string without_key(std::string text) const {
    for (std::size_t at = 0; !key.empty() && (at = text.find(key, at)) != std::string::npos;)
      text.replace(at, key.size(), "***");
    return text;
  }

  /// Models and servers have echoed it in answers, too. A short key is a word for a server of one's own ("none").
  void remove_key(Answer& answer) const {
    if (key.size() < kShortestSecret) return;
    for (std::string* text : {&answer.text, &answer.refusal, &answer.items, &answer.id, &answer.model}) {
      *text = without_key(std::move(*text));
    }
    for (ToolCall& call : answer.tool_calls) {
      for (std::string* text : {&call.id, &call.name, &call.arguments, &call.toolset, &call.checks}) {
        *text = without_key(std::move(*text));
      }
    }
  }

  void finish(std::optional<Error> error) {
    if (!done) return;
    if (error) {
      error->message = without_key(error->message);
      error->detail = without_key(error->detail);
      result.answer.reset();
      result.error = std::move(error);
    }
    if (services.cassette && result.replayed_by.empty() && (result.answer || is_of_model(result.error))) record();
    result.ms = services.loop.now_ms() - began;
    std::exchange(done, nullptr)(std::move(result));
  }

  /// Failures that the model gives, and would give again; the network's are not recorded.
  static bool is_of_model(const std::optional<Error>& error) {
    return error && (error->kind == ErrorKind::llm_too_large || error->kind == ErrorKind::llm_invalid);
  }

  void record() {
    std::vector<std::string> secrets;
    if (!key.empty()) secrets.push_back(key);
    Recorded recorded{result.answer, result.error, ""};
    if (auto added = services.cassette->add(cassette_key, recorded, secrets); !added) {
      result.answer.reset();
      result.error = added.error();
    }
  }

  void cancel() {
    if (!done || cancelled) return;
    cancelled = true;
    if (http != 0) {
      services.http.cancel(http);
    } else if (timer != 0) {
      services.loop.cancel(std::exchange(timer, 0));
      services.loop.post(later([this] { finish(cancelled_error()); }));
    }
  }
};

}  // namespace

std::optional<std::int64_t> input_upper(const Question& question, const ModelRow& model) {
  std::int64_t tokens = kMessageTokens;
  for (const Message& message : question.messages) {
    tokens += kMessageTokens + static_cast<std::int64_t>(message.items.size() + message.checks.size());
    for (const ToolCall& call : message.tool_calls)
      tokens += static_cast<std::int64_t>(call.name.size() + call.arguments.size());
    for (const Part& part : message.parts) {
      tokens += static_cast<std::int64_t>(part.text.size());
      if (!part.image) continue;
      const ImageSize size{part.image->width, part.image->height};
      const auto detail = part.image->detail == "low" ? ImageDetail::low : ImageDetail::high;
      const auto picture = image_tokens(model.image, size, detail);
      if (!picture) return std::nullopt;
      tokens += *picture + *picture / 10 + 1;
    }
  }
  for (const Tool& tool : question.tools) {
    tokens += static_cast<std::int64_t>(tool.name.size() + tool.description.size() + tool.parameters.size() +
                                        tool.vendor.size());
  }
  if (question.schema) tokens += static_cast<std::int64_t>(question.schema->schema.size());
  return tokens + static_cast<std::int64_t>(question.extra.size());
}

Result<WorstCase> worst_of(const CallPlan& plan, const Question& question) {
  const auto upper = input_upper(question, plan.model);
  const bool is_free = worst_case(plan.price, 1'000'000, 1'000'000) == 0;
  if (!upper && !is_free) {
    return Error{ErrorKind::budget_exceeded, "what a picture costs " + plan.endpoint.model +
                                                 " is not known: give its rule in models.json, or send text alone"};
  }
  return WorstCase{upper.value_or(0), worst_case(plan.price, upper.value_or(0), question.max_output)};
}

std::function<void()> ask_model(const CallServices& services, CallPlan plan, Question question,
                                std::function<void(CallResult)> done) {
  auto call = std::make_shared<ModelCall>(services);
  call->plan = std::move(plan);
  call->question = std::move(question);
  call->done = std::move(done);
  call->began = services.loop.now_ms();
  services.loop.post(call->later([&start = *call] { start.start(); }));
  return [weak = std::weak_ptr<ModelCall>(call)] {
    if (const auto known = weak.lock()) known->cancel();
  };
}

}  // namespace qa
