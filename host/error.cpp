#include "host/error.h"

namespace qa {

std::string_view kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::element_not_found:
      return "element_not_found";
    case ErrorKind::type_mismatch:
      return "type_mismatch";
    case ErrorKind::timeout:
      return "timeout";
    case ErrorKind::navigation_error:
      return "navigation_error";
    case ErrorKind::navigation_denied:
      return "navigation_denied";
    case ErrorKind::js_error:
      return "js_error";
    case ErrorKind::eval_unserializable:
      return "eval_unserializable";
    case ErrorKind::page_crashed:
      return "page_crashed";
    case ErrorKind::page_hung:
      return "page_hung";
    case ErrorKind::page_closed:
      return "page_closed";
    case ErrorKind::dialog_blocked:
      return "dialog_blocked";
    case ErrorKind::cdp_error:
      return "cdp_error";
    case ErrorKind::cdp_too_large:
      return "cdp_too_large";
    case ErrorKind::image_decode:
      return "image_decode";
    case ErrorKind::image_too_large:
      return "image_too_large";
    case ErrorKind::image_size:
      return "image_size";
    case ErrorKind::ocr_unavailable:
      return "ocr_unavailable";
    case ErrorKind::llm_unavailable:
      return "llm_unavailable";
    case ErrorKind::llm_rate_limited:
      return "llm_rate_limited";
    case ErrorKind::llm_invalid:
      return "llm_invalid";
    case ErrorKind::llm_refused:
      return "llm_refused";
    case ErrorKind::llm_truncated:
      return "llm_truncated";
    case ErrorKind::llm_too_large:
      return "llm_too_large";
    case ErrorKind::budget_exceeded:
      return "budget_exceeded";
    case ErrorKind::cassette_miss:
      return "cassette_miss";
    case ErrorKind::store_error:
      return "store_error";
    case ErrorKind::store_locked:
      return "store_locked";
    case ErrorKind::io_error:
      return "io_error";
    case ErrorKind::process_failed:
      return "process_failed";
    case ErrorKind::browser_launch_failed:
      return "browser_launch_failed";
    case ErrorKind::browser_lost:
      return "browser_lost";
    case ErrorKind::deadline:
      return "deadline";
    case ErrorKind::cancelled:
      return "cancelled";
  }
  return "io_error";
}

bool is_loss(ErrorKind kind) {
  return kind == ErrorKind::browser_lost || kind == ErrorKind::deadline || kind == ErrorKind::cancelled;
}

}  // namespace qa
