#include "host/browser/console_text.h"

#include <nlohmann/json.hpp>

#include "host/browser/json_fields.h"
#include "host/text.h"

namespace qa {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kTextLimit = 4096, kStackLimit = 2048;

std::string preview_text(const Json& object) {
  const Json& preview = nested_field(object, "preview");
  const Json& properties = nested_field(preview, "properties");
  if (!properties.is_array() || properties.empty()) return {};
  const bool is_array = text_field(preview, "subtype") == "array";
  std::string out = is_array ? "[" : "{";
  int shown = 0;
  for (const Json& property : properties) {
    if (++shown > 8) break;
    if (shown > 1) out += ", ";
    if (!is_array) out.append(text_field(property, "name")).append(": ");
    out += text_field(property, "value");
  }
  return out + (properties.size() > 8 ? ", …" : "") + (is_array ? "]" : "}");
}

/// A Runtime.RemoteObject as the console shows it.
std::string object_text(const Json& object) {
  const std::string_view type = text_field(object, "type");
  if (type == "string") return truncate_text(text_field(object, "value"), kTextLimit);
  if (type == "undefined") return "undefined";
  if (const auto special = text_field(object, "unserializableValue"); !special.empty()) return std::string(special);
  if (const Json* value = find_field(object, "value")) return truncate_text(dump_json(*value), kTextLimit);
  const std::string_view subtype = text_field(object, "subtype");
  if (subtype != "error") {
    if (std::string preview = preview_text(object); !preview.empty()) return preview;
  }
  return truncate_text(text_field(object, "description"), kTextLimit);
}

/// Applies console format directives of the first argument; `used` is how many arguments that took.
std::string format_first(const std::string& format, const Json& arguments, std::size_t& used) {
  std::string out;
  used = 1;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const bool directive = format[i] == '%' && i + 1 < format.size();
    if (directive && format[i + 1] == '%') {
      out += '%';
      ++i;
    } else if (directive && std::string_view("sdifoOc").find(format[i + 1]) != std::string_view::npos &&
               used < arguments.size()) {
      if (format[i + 1] != 'c') out += object_text(arguments[used]);  // %c styles: its argument is CSS
      ++used;
      ++i;
    } else {
      out += format[i];
    }
  }
  return out;
}

void place_at_top_frame(const Json& stack, HealthEvent& event) {
  const Json& frames = nested_field(stack, "callFrames");
  if (!frames.is_array() || frames.empty()) return;
  event.url = text_field(frames[0], "url");
  event.line = static_cast<int>(number_field(frames[0], "lineNumber", -1)) + 1;
}

}  // namespace

std::string console_text(const Json& params) {
  const Json& arguments = nested_field(params, "args");
  if (!arguments.is_array() || arguments.empty()) return {};
  std::size_t used = 0;
  std::string out;
  if (text_field(arguments[0], "type") == "string") {
    out = format_first(truncate_text(text_field(arguments[0], "value"), kTextLimit), arguments, used);
  }
  for (; used < arguments.size() && out.size() <= kTextLimit; ++used) {
    if (!out.empty()) out += ' ';
    out += object_text(arguments[used]);
  }
  return truncate_text(out, kTextLimit);
}

HealthEvent console_event(const Json& params, const std::string& kind) {
  HealthEvent event{kind, console_text(params), "", 0};
  if (text_field(params, "type") == "assert") {
    event.message = event.message.empty() ? "Assertion failed" : "Assertion failed: " + event.message;
  }
  place_at_top_frame(nested_field(params, "stackTrace"), event);
  event.detail = R"({"source":"console"})";
  return event;
}

HealthEvent exception_event(const Json& params, const std::string& kind) {
  const Json& details = nested_field(params, "exceptionDetails");
  const Json& exception = nested_field(details, "exception");
  const std::string_view title = text_field(details, "text");
  const std::string description(text_field(exception, "description"));
  HealthEvent event{kind, description.substr(0, description.find('\n')), "", 0};
  if (text_field(exception, "type") != "object" || event.message.empty()) {
    // Something other than an Error was thrown: its value is all there is to say.
    event.message = truncate_text(title, 400);
    if (const std::string thrown = exception.empty() ? "" : object_text(exception); !thrown.empty()) {
      event.message += (event.message.empty() ? "" : ": ") + thrown;
    }
  }
  place_at_top_frame(nested_field(details, "stackTrace"), event);
  if (event.url.empty()) event.url = text_field(details, "url");
  if (event.line == 0) event.line = static_cast<int>(number_field(details, "lineNumber", -1)) + 1;
  event.detail = dump_json({{"stack", truncate_text(description, kStackLimit)},
                            {"column", static_cast<int>(number_field(details, "columnNumber", -1)) + 1},
                            {"promise", title.find("in promise") != std::string_view::npos}});
  return event;
}

HealthEvent log_event(const Json& entry, const std::string& kind) {
  HealthEvent event{kind, std::string(text_field(entry, "text")), std::string(text_field(entry, "url")), 0};
  event.line = static_cast<int>(number_field(entry, "lineNumber", -1)) + 1;
  event.detail = dump_json({{"source", text_field(entry, "source")}});
  return event;
}

}  // namespace qa
