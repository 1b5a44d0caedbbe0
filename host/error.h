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

/// The closed list of failure kinds. Names are the words that Lua and reports see.
enum class ErrorKind {
  // Outcomes: the caller asked for something that did not work out.
  element_not_found,
  type_mismatch,
  timeout,
  navigation_error,
  navigation_denied,
  js_error,
  eval_unserializable,
  page_crashed,
  page_hung,
  page_closed,
  dialog_blocked,
  cdp_error,
  cdp_too_large,
  image_decode,
  image_too_large,
  image_size,
  ocr_unavailable,
  llm_unavailable,
  llm_rate_limited,
  llm_invalid,
  llm_refused,
  llm_truncated,
  llm_too_large,
  budget_exceeded,
  cassette_miss,
  store_error,
  store_locked,
  io_error,
  process_failed,
  browser_launch_failed,
  // Losses: sticky within their scope; see is_loss().
  browser_lost,
  deadline,
  cancelled,
};

/// The word for a kind, e.g. "element_not_found".
std::string_view kind_name(ErrorKind kind);

/// True for browser_lost, deadline and cancelled: nothing more can work in that scope.
bool is_loss(ErrorKind kind);

struct Error {
  ErrorKind kind = ErrorKind::io_error;
  std::string message;  ///< What happened and what to do next, one sentence, no newline.
  std::string op;       ///< The primitive, as Lua spells it: "page:navigate".
  std::string detail;   ///< JSON object text with more facts, or empty.
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

/// The value of an operation that only succeeds or fails.
using Unit = std::monostate;

/// Completion of an asynchronous host operation: called exactly once, on the
/// loop thread, never before the call that started the operation has returned.
template <class T>
using Callback = std::function<void(Result<T>)>;

}  // namespace qa
