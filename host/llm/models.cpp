#include "host/llm/models.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/fact_reader.h"
#include "host/money/money.h"
#include "host/text.h"

namespace qa {
namespace {

using Json = nlohmann::json;

ImageRule image_rule(FactReader& facts, const Json& object) {
  ImageRule rule;
  if (!object.is_object()) {
    facts.fail("image is not an object");
    return rule;
  }
  facts.refuse_others(object, {"rule", "base", "per_tile", "max_tokens", "max_edge", "multiplier"});
  rule.kind = static_cast<ImageRuleKind>(facts.word(
      object, "rule", {"none", "tiles512", "patch32", "claude28", "qwen28", "qwen32", "gemini768", "fixed"}));
  rule.base = facts.count(object, "base");
  rule.per_tile = facts.count(object, "per_tile");
  rule.max_tokens = facts.count(object, "max_tokens");
  rule.max_edge = facts.count(object, "max_edge");
  if (object.contains("multiplier")) {
    const std::optional<Nano> multiplier = parse_dollars(facts.text(object, "multiplier"));
    if (!multiplier) facts.fail("multiplier is not a number such as \"1.62\"");
    rule.multiplier = multiplier.value_or(kDollar);
  }
  return rule;
}

ModelRow model_row(FactReader& facts, const Json& object) {
  facts.refuse_others(object, {"models", "vision", "structured", "tools", "max_output", "max_tokens_field",
                               "system_role", "forbidden", "space", "order", "computer", "image", "source", "date"});
  ModelRow row;
  row.vision = facts.flag(object, "vision");
  row.tools = facts.flag(object, "tools");
  row.structured =
      static_cast<StructuredOutput>(facts.word(object, "structured", {"none", "json_object", "json_schema"}));
  row.max_output = facts.count(object, "max_output");
  if (facts.word(object, "max_tokens_field", {"max_tokens", "max_completion_tokens", "max_output_tokens"}) > 0) {
    row.max_tokens_field = facts.text(object, "max_tokens_field");
  }
  if (facts.word(object, "system_role", {"system", "developer"}) > 0) row.system_role = "developer";
  row.forbidden = facts.texts(object, "forbidden");
  row.space = static_cast<CoordinateSpace>(facts.word(object, "space", {"px", "norm1000"}));
  row.order = static_cast<CoordinateOrder>(facts.word(object, "order", {"xy", "yx"}));
  if (object.contains("computer")) row.computer = facts.text(object, "computer");
  if (object.contains("image")) row.image = image_rule(facts, object["image"]);
  row.source = facts.text(object, "source");
  row.date = facts.text(object, "date");
  return row;
}

}  // namespace

Result<ModelTable> ModelTable::parse(std::string_view json) {
  FactReader facts("table of models");
  ModelTable table;
  QA_TRY(facts.read(json, [&](const Json& object, const std::vector<std::string>& models) {
    ModelRow row = model_row(facts, object);
    for (const std::string& model : models) {
      row.model = model;
      table.rows_.push_back(row);
    }
  }));
  std::stable_partition(table.rows_.begin(), table.rows_.end(),
                        [](const ModelRow& row) { return !is_glob(row.model); });
  return table;
}

void ModelTable::overlay(const ModelTable& over) { rows_.insert(rows_.begin(), over.rows_.begin(), over.rows_.end()); }

std::optional<ModelRow> ModelTable::find(std::string_view model) const {
  for (const ModelRow& row : rows_) {
    if (matches_glob(row.model, model)) return row;
  }
  return {};
}

}  // namespace qa
