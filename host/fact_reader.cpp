#include "host/fact_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/text.h"

namespace qa {

Result<Unit> FactReader::read(std::string_view json,
                              const std::function<void(const Json&, const std::vector<std::string>&)>& visit) {
  const Json document = Json::parse(json, nullptr, false);
  const auto rows = document.is_object() ? document.find("rows") : document.end();
  if (rows == document.end() || !rows->is_array()) fail("it is not a JSON object with a list of rows");
  for (std::size_t i = 0; failure_.empty() && i < rows->size(); ++i) {
    const Json& row = (*rows)[i];
    where_ = "row " + std::to_string(i + 1);
    if (!row.is_object()) {
      fail("not an object");
      break;
    }
    const std::vector<std::string> models = texts(row, "models");
    if (models.empty()) {
      fail("models is not a list of ids");
      break;
    }
    where_ += " (" + models.front() + ")";
    visit(row, models);
  }
  if (failure_.empty()) return Unit{};
  return Error{ErrorKind::type_mismatch, "the " + table_ + " cannot be used: " + failure_};
}

void FactReader::fail(const std::string& what) {
  if (failure_.empty()) failure_ = where_.empty() ? what : where_ + ": " + what;
}

void FactReader::refuse_others(const Json& object, std::initializer_list<std::string_view> known) {
  const std::vector<std::string> names(known.begin(), known.end());
  for (const auto& [key, value] : object.items()) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    const std::string nearest = nearest_name(key, names.data(), names.size());
    fail("unknown field " + key + (nearest.empty() ? "" : "; did you mean " + nearest + "?"));
  }
}

std::string FactReader::text(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found != object.end() && found->is_string() && !found->get_ref<const std::string&>().empty()) return *found;
  fail(std::string(key) + " is not a text");
  return "";
}

std::size_t FactReader::word(const Json& object, const char* key, std::initializer_list<std::string_view> words) {
  if (!object.contains(key)) return 0;
  const std::string given = text(object, key);
  const auto found = std::find(words.begin(), words.end(), given);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string listed;
  for (const std::string_view one : words) listed += (listed.empty() ? "" : ", ") + std::string(one);
  fail(std::string(key) + " is none of " + listed);
  return 0;
}

std::int64_t FactReader::count(const Json& object, const char* key, std::int64_t otherwise) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if (found->is_number_integer() && found->get<std::int64_t>() >= 0) return found->get<std::int64_t>();
  fail(std::string(key) + " is not a whole number");
  return otherwise;
}

bool FactReader::flag(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return false;
  if (!found->is_boolean()) fail(std::string(key) + " is neither true nor false");
  return found->is_boolean() && found->get<bool>();
}

std::vector<std::string> FactReader::texts(const Json& object, const char* key) {
  std::vector<std::string> out;
  const auto found = object.find(key);
  if (found == object.end()) return out;
  const auto is_text = [](const Json& one) { return one.is_string() && !one.get_ref<const std::string&>().empty(); };
  if (found->is_array() && std::all_of(found->begin(), found->end(), is_text)) return found->get<decltype(out)>();
  fail(std::string(key) + " is not a list of texts");
  return out;
}

bool is_glob(std::string_view model) { return model.find_first_of("*?#") != model.npos; }

}  // namespace qa
