#include "host/browser/json_fields.h"

#include <nlohmann/json.hpp>

namespace qa {
using Json = nlohmann::json;

const Json* find_field(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::string_view text_field(const Json& object, const char* key) {
  const Json* value = find_field(object, key);
  if (!value || !value->is_string()) return {};
  return value->get_ref<const std::string&>();
}

std::string text_of(const Json& object, const char* key) { return std::string(text_field(object, key)); }

double number_field(const Json& object, const char* key, double otherwise) {
  const Json* value = find_field(object, key);
  return value && value->is_number() ? value->get<double>() : otherwise;
}

bool flag_field(const Json& object, const char* key) {
  const Json* value = find_field(object, key);
  return value && value->is_boolean() && value->get<bool>();
}

const Json& nested_field(const Json& object, const char* key) {
  static const Json kEmpty = Json::object();
  const Json* value = find_field(object, key);
  return value && value->is_structured() ? *value : kEmpty;
}

std::string dump_json(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace qa
