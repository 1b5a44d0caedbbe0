#include "host/llm/models.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>

using qa::best_size;
using qa::image_tokens;
using qa::ImageRule;
using qa::ImageRuleKind;
using qa::ImageSize;
using qa::ModelTable;

namespace {

const ImageRule kGpt4o = {ImageRuleKind::tiles512, 85, 170};
const ImageRule kPatches = {ImageRuleKind::patch32, 0, 0, 1536};
const ImageRule kClaude = {ImageRuleKind::claude28, 0, 0, 1568, 1568};
const ImageRule kClaudeLarge = {ImageRuleKind::claude28, 0, 0, 4784, 2576};
const ImageRule kQwen25 = {ImageRuleKind::qwen28};
const ImageRule kQwen3 = {ImageRuleKind::qwen32};

std::int64_t tokens(const ImageRule& rule, ImageSize size, qa::ImageDetail detail = qa::ImageDetail::high) {
  const auto counted = image_tokens(rule, size, detail);
  REQUIRE(counted);
  return *counted;
}

std::string file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(std::string(QA_SOURCE_DIR) + "/" + path).rdbuf();
  return text.str();
}

std::string failure_of(const std::string& row) {
  const auto table = ModelTable::parse("{\"rows\": [" + row + "]}");
  REQUIRE_FALSE(table);
  CHECK(table.error().kind == qa::ErrorKind::type_mismatch);
  return table.error().message;
}

ModelTable table_of(const std::string& rows) {
  const auto table = ModelTable::parse("{\"rows\": [" + rows + "]}");
  REQUIRE(table);
  return *table;
}

}  // namespace

TEST_CASE("pictures cost the tokens that the vendors' rules say", "[models]") {
  struct Row {
    ImageSize size;
    std::int64_t gpt4o, patches, claude, claude_large, qwen25, qwen3;
  };
  const Row rows[] = {
      {{1920, 1080}, 1105, 1508, 1560, 2691, 2691, 2040}, {{1280, 720}, 1105, 920, 1196, 1196, 1196, 920},
      {{1024, 576}, 765, 576, 777, 777, 777, 576},        {{768, 432}, 425, 336, 448, 448, 405, 336},
      {{640, 360}, 425, 240, 299, 299, 299, 220},         {{512, 288}, 255, 144, 209, 209, 180, 144},
  };
  for (const Row& row : rows) {
    INFO(row.size.width << "x" << row.size.height);
    CHECK(tokens(kGpt4o, row.size) == row.gpt4o);
    CHECK(tokens(kGpt4o, row.size, qa::ImageDetail::low) == 85);
    CHECK(tokens(kPatches, row.size) == row.patches);
    CHECK(tokens(kPatches, row.size, qa::ImageDetail::low) == row.patches);
    CHECK(tokens(kClaude, row.size) == row.claude);
    CHECK(tokens(kClaudeLarge, row.size) == row.claude_large);
    CHECK(tokens(kQwen25, row.size) == row.qwen25);
    CHECK(tokens(kQwen3, row.size) == row.qwen3);
  }
  CHECK(tokens(kGpt4o, {513, 513}) == 765);
  CHECK(tokens(kGpt4o, {512, 512}) == 255);
  CHECK(tokens({ImageRuleKind::tiles512, 2833, 5667}, {1280, 720}) == 36835);
  CHECK(tokens({ImageRuleKind::patch32, 0, 0, 1536, 0, 1'620'000'000}, {1280, 720}) == 1491);  // 1490.4
  CHECK(tokens({ImageRuleKind::patch32, 0, 0, 0}, {1920, 1080}) == 2040);
  CHECK(tokens({ImageRuleKind::fixed, 1120}, {64, 64}) == 1120);
  const ImageRule gemini = {ImageRuleKind::gemini768, 258};
  CHECK(tokens(gemini, {384, 384}) == 258);
  CHECK(tokens(gemini, {1280, 720}) == 6 * 258);
  CHECK(tokens(gemini, {385, 100}) == 2 * 258);
  CHECK(tokens(gemini, {4000, 3000}) == 6 * 4 * 258);
  CHECK(tokens(kClaude, {0, -1}) == 1);
  CHECK_FALSE(image_tokens({}, {1280, 720}));
}

TEST_CASE("the size to send has a side on a boundary of the rule", "[models]") {
  CHECK(best_size(kGpt4o, {513, 513}) == ImageSize{512, 512});
  CHECK(best_size(kGpt4o, {1280, 720}) == ImageSize{1024, 576});
  CHECK(best_size(kGpt4o, {800, 600}) == ImageSize{683, 512});
  CHECK(best_size(kGpt4o, {600, 800}) == ImageSize{512, 683});
  CHECK(best_size(kGpt4o, {1920, 1080}) == ImageSize{1024, 576});
  CHECK(best_size(kGpt4o, {1280, 720}, 640) == ImageSize{512, 288});
  CHECK(best_size(kGpt4o, {320, 200}) == ImageSize{320, 200});
  CHECK(best_size(kQwen3, {1280, 720}) == ImageSize{1280, 720});
  CHECK(best_size(kQwen3, {1000, 562}) == ImageSize{992, 558});
  CHECK(best_size(kQwen25, {1000, 1000}, 513) == ImageSize{504, 504});
  CHECK(best_size(kClaude, {1920, 1080}) == ImageSize{1456, 819});
  CHECK(best_size(kClaude, {3000, 30}) == ImageSize{1568, 16});
  CHECK(best_size({}, {1280, 721}, 640) == ImageSize{640, 361});
  CHECK(best_size(kGpt4o, {1, 5000}) == ImageSize{1, 2048});
  CHECK(best_size(kGpt4o, {0, 0}) == ImageSize{1, 1});
}

TEST_CASE("a size to send is never larger than asked, and never dearer", "[models]") {
  for (const ImageRule& rule : {kGpt4o, kPatches, kClaude, kClaudeLarge, kQwen25, kQwen3}) {
    for (int width = 1; width < 4000; width += 97) {
      for (int height = 1; height < 4000; height += 101) {
        const ImageSize best = best_size(rule, {width, height});
        REQUIRE((best.width >= 1 && best.width <= width && best.height >= 1 && best.height <= height));
        REQUIRE(tokens(rule, best) <= tokens(rule, {width, height}));
      }
    }
  }
}

TEST_CASE("facts of a model are found by exact id or written glob", "[models]") {
  ModelTable table = table_of(R"(
    {"models": ["family-*"], "vision": true, "source": "x", "date": "2026-11-21"},
    {"models": ["family-2", "other"], "structured": "json_schema", "tools": true, "max_output": 4096,
     "max_tokens_field": "max_completion_tokens", "system_role": "developer", "forbidden": ["temperature"],
     "space": "norm1000", "order": "yx", "computer": "computer_x", "image": {"rule": "patch32", "max_tokens": 1536, "multiplier": "1.62"},
     "source": "y", "date": "2026-11-22"})");
  const auto row = table.find("family-2");
  REQUIRE(row);
  CHECK(row->model == "family-2");
  CHECK_FALSE(row->vision);
  CHECK(row->structured == qa::StructuredOutput::json_schema);
  CHECK(row->tools);
  CHECK(row->max_output == 4096);
  CHECK(row->max_tokens_field == "max_completion_tokens");
  CHECK(row->system_role == "developer");
  CHECK(row->forbidden == std::vector<std::string>{"temperature"});
  CHECK(row->space == qa::CoordinateSpace::norm1000);
  CHECK(row->order == qa::CoordinateOrder::yx);
  CHECK(row->computer == "computer_x");
  CHECK(row->image.kind == ImageRuleKind::patch32);
  CHECK(row->image.multiplier == 1'620'000'000);
  CHECK(row->source == "y");
  REQUIRE(table.find("family-3"));
  CHECK(table.find("family-3")->model == "family-*");
  CHECK(table.find("family-3")->max_tokens_field == "max_tokens");
  CHECK(table.find("family-3")->system_role == "system");
  CHECK_FALSE(table.find("other-2"));
  CHECK_FALSE(table.find("family"));
  table.overlay(table_of(R"({"models": ["family-*"], "tools": true, "source": "me", "date": "2026-11-22"})"));
  CHECK(table.find("family-2")->source == "me");
  CHECK(table.find("other")->source == "y");
}

TEST_CASE("a table of models that is not understood is refused by row and field", "[models]") {
  CHECK(failure_of(R"({"vision": true})").find("row 1: models") != std::string::npos);
  const std::string good = R"({"models": ["m"], "source": "s", "date": "d")";
  CHECK(failure_of(good + R"(, "vison": true})").find("did you mean vision?") != std::string::npos);
  CHECK(failure_of(good + R"(, "vision": 1})").find("row 1 (m): vision") != std::string::npos);
  CHECK(failure_of(good + R"(, "space": "percent"})").find("px, norm1000") != std::string::npos);
  CHECK(failure_of(good + R"(, "max_output": -1})").find("max_output") != std::string::npos);
  CHECK(failure_of(good + R"(, "max_output": 1.5})").find("max_output") != std::string::npos);
  CHECK(failure_of(good + R"(, "forbidden": "temperature"})").find("forbidden") != std::string::npos);
  CHECK(failure_of(good + R"(, "image": {"rule": "tiles"}})").find("rule") != std::string::npos);
  CHECK(failure_of(good + R"(, "image": {"rule": "patch32", "multiplier": 1.62}})").find("multiplier") !=
        std::string::npos);
  CHECK(failure_of(R"({"models": ["m"], "date": "d"})").find("source") != std::string::npos);
}

TEST_CASE("the shipped table of models is sound", "[models]") {
  const auto table = ModelTable::parse(file("scripts/data/models.json"));
  if (!table) FAIL(table.error().message);
  std::set<std::string> seen;
  for (const qa::ModelRow& row : table->rows()) {
    INFO(row.model);
    CHECK(seen.insert(row.model).second);
    CHECK(row.date.size() == 10);
    if (row.vision) CHECK(row.image.kind != ImageRuleKind::none);
  }
  REQUIRE(table->find("gpt-4o"));
  CHECK(table->find("gpt-4o")->vision);
  CHECK(tokens(table->find("gpt-4o")->image, {1280, 720}) == 1105);
  CHECK(tokens(table->find("gpt-4o-mini")->image, {1280, 720}) == 36835);
  CHECK(table->find("computer-use-preview")->computer == "computer_use_preview");
  CHECK(table->find("gpt-4o")->computer.empty());
}
