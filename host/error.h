#pragma once
// Error: the one failure shape of the host, and Result<T>, which carries it.
// Every fallible operation of qa_core reports one of the kinds below; the list
// is closed, so that Lua policies can switch on it. Bindings turn losses into
// raised errors and every other kind into `nil, err`.

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace qa {

/// The closed list of failure kinds: outcomes, where what was asked for did not work out, then losses, which are sticky
/// within their scope (is_loss). F(name).
// clang-format off
#define QA_ERROR_KINDS(F) \
  F(element_not_found) F(type_mismatch) F(timeout) F(navigation_error) F(navigation_denied) F(js_error) \
  F(eval_unserializable) F(page_crashed) F(page_hung) F(page_closed) F(dialog_blocked) F(cdp_error) F(cdp_too_large) \
  F(clock_unavailable) \
  F(image_decode) F(image_too_large) F(image_size) F(ocr_unavailable) \
  F(llm_unavailable) F(llm_rate_limited) F(llm_invalid) F(llm_refused) F(llm_truncated) F(llm_too_large) \
  F(budget_exceeded) F(cassette_miss) F(store_error) F(store_locked) F(io_error) F(process_failed) \
  F(trace_mismatch) F(browser_launch_failed) \
  F(browser_lost) F(deadline) F(cancelled)
// clang-format on

/// Names are the words that Lua and reports see.
#define QA_ERROR_KIND(name) name,
enum class ErrorKind { QA_ERROR_KINDS(QA_ERROR_KIND) };
#undef QA_ERROR_KIND

/// The word for a kind, e.g. "element_not_found".
std::string_view kind_name(ErrorKind kind);

/// True for browser_lost, deadline and cancelled: nothing more can work in that scope.
bool is_loss(ErrorKind kind);

struct Error {
  ErrorKind kind = ErrorKind::io_error;
  std::string message;      ///< What happened and what to do next, one sentence, no newline.
  std::string op = {};      ///< The primitive, as Lua spells it: "page:navigate".
  std::string detail = {};  ///< JSON object text with more facts, or empty.
};

/// A value or an Error.
template <class T>
class Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }
  Error& error() { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// The value of a Result; where it is an Error, the function around this returns it. Not inside of another one.
#define QA_TRY(expression)                               \
  __extension__({                                        \
    auto qa_result = (expression);                       \
    if (!qa_result) return std::move(qa_result.error()); \
    std::move(*qa_result);                               \
  })

/// The value of an operation that only succeeds or fails.
using Unit = std::monostate;

/// Completion of an asynchronous host operation: called exactly once, on the
/// loop thread, never before the call that started the operation has returned.
template <class T>
using Callback = std::function<void(Result<T>)>;

}  // namespace qa
