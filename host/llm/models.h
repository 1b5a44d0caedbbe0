#pragma once
// ModelTable: what models can do and how they want to be asked, from scripts/data/models.json with a user's own table
// overlaid. Rows are found by exact id or written glob, as prices are. Plain data, any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/error.h"
#include "host/llm/image_tokens.h"

namespace qa {

/// The strictest form of structured answer that the model's endpoint knows.
enum class StructuredOutput { none, json_object, json_schema };

/// What the numbers of a point in an answer mean.
enum class CoordinateSpace {
  px,        ///< Pixels of the picture that was sent (after the model's own shrinking: see best_size).
  norm1000,  ///< 0 to 1000 over each side.
};
enum class CoordinateOrder { xy, yx };

/// One line of the table; what a row leaves out is as it stands here.
struct ModelRow {
  std::string model;  ///< The id or glob that matched, as written.
  bool vision = false, tools = false;
  StructuredOutput structured = StructuredOutput::none;
  std::int64_t max_output = 0;                  ///< Tokens, reasoning included; 0 when not known.
  std::string max_tokens_field = "max_tokens";  ///< The name of that limit on chat endpoints, or max_completion_tokens.
  std::string system_role = "system";           ///< Or developer.
  std::vector<std::string> forbidden;           ///< Parameters that the model refuses: "temperature", "top_p" ...
  CoordinateSpace space = CoordinateSpace::px;
  CoordinateOrder order = CoordinateOrder::xy;
  std::string computer;  ///< Type of the vendor's computer tool that the model is made for, or "".
  ImageRule image;
  std::string source, date;  ///< Where the facts are from, and when they were read there.
};

class ModelTable {
 public:
  /// Reads {"rows": [{models: [ids and globs], vision, structured, tools, max_output, max_tokens_field, system_role,
  /// forbidden: [], space, order, computer, image: {rule, base, per_tile, max_tokens, max_edge, multiplier: "1.62"},
  /// source, date}]}. type_mismatch names the row and the field.
  static Result<ModelTable> parse(std::string_view json);

  /// The rows of `over` are asked before those that are here.
  void overlay(const ModelTable& over);

  /// The first row whose id equals `model`, else whose glob matches; nullopt when there is none.
  std::optional<ModelRow> find(std::string_view model) const;

  const std::vector<ModelRow>& rows() const { return rows_; }

 private:
  std::vector<ModelRow> rows_;  ///< In the order in which they are asked.
};

}  // namespace qa
