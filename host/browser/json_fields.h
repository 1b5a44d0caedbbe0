#pragma once
// Reading fields of JSON that Chromium sent. Its shapes change between versions and pages influence its values, so
// a field that is missing or of another type reads as empty instead of throwing out of an event handler.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace qa {

/// The value of `key`, or nullptr when `object` is not an object or has no such key.
const nlohmann::json* find_field(const nlohmann::json& object, const char* key);

/// The string at `key`, or "". The view lives as long as `object`.
std::string_view text_field(const nlohmann::json& object, const char* key);

/// The same, kept beyond `object`.
std::string text_of(const nlohmann::json& object, const char* key);

/// The number at `key`, or `otherwise`.
double number_field(const nlohmann::json& object, const char* key, double otherwise = 0);

/// True only when `key` holds true.
bool flag_field(const nlohmann::json& object, const char* key);

/// The object or array at `key`, or an empty object.
const nlohmann::json& nested_field(const nlohmann::json& object, const char* key);

/// JSON text whatever the bytes: invalid UTF-8 becomes U+FFFD.
std::string dump_json(const nlohmann::json& value);

}  // namespace qa
