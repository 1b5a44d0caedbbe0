// qa.image.load decode, and image:size crop resize mark grid hash diff find text save close. CPU work runs on the pool.

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "host/files.h"
#include "host/folder.h"
#include "host/image/contact_sheet.h"
#include "host/image/diff.h"
#include "host/image/image.h"
#include "host/image/marks.h"
#include "host/image/ocr.h"
#include "host/image/picture.h"
#include "host/image/template_match.h"

namespace qa::lua {
namespace {

constexpr int kFar = 1 << 20, kMostLabel = 9999;

/// Runs `job` on the pool over the pixels of a picture, which are made there.
template <class T, class Job>
std::function<Result<T>()> over(PicturePtr picture, Job job) {
  return [picture = std::move(picture), job]() -> Result<T> {
    const auto image = picture->image();
    if (!image) return image.error();
    return job(**image);
  };
}

/// The same over two pictures.
template <class T, class Job>
std::function<Result<T>()> over(PicturePtr first, PicturePtr second, Job job) {
  return over<T>(std::move(first), [second = std::move(second), job](const Image& image) -> Result<T> {
    const auto other = second->image();
    if (!other) return other.error();
    return job(image, **other);
  });
}

/// The picture that `job` makes of the pixels.
template <class Job>
int redrawn(Call& call, PicturePtr picture, Job job) {
  return on_pool(call, over<PicturePtr>(std::move(picture), [job](const Image& image) -> Result<PicturePtr> {
                   const Result<ImagePtr> made = job(image);
                   if (!made) return made.error();
                   return PicturePtr(std::make_shared<Picture>(*made));
                 }));
}

/// A picture whose pixels are there: what cannot be decoded is told at once.
Result<PicturePtr> decoded(std::string bytes) {
  auto picture = Picture::of(std::move(bytes));
  if (!picture) return picture.error();
  if (const auto image = (*picture)->image(); !image) return image.error();
  return picture;
}

int image_load(Call& call) {
  const std::string path(string_at(call, 1, "path"));
  const auto job = [path]() -> Result<PicturePtr> {
    auto bytes = read_file(path);
    if (!bytes) return bytes.error();
    return decoded(std::move(*bytes));
  };
  return on_pool<PicturePtr>(call, job);
}

int image_decode(Call& call) {
  const auto bytes = std::make_shared<std::string>(string_at(call, 1, "bytes"));
  const auto job = [bytes] { return decoded(std::move(*bytes)); };
  return on_pool<PicturePtr>(call, job);
}

int image_size(Call& call) {
  const PicturePtr picture = image_self(call);
  lua_pushinteger(call.L, picture->size().width);
  lua_pushinteger(call.L, picture->size().height);
  return 2;
}

int image_crop(Call& call) {
  const PicturePtr picture = image_self(call);
  const Rect part{integer_at(call, 2, "x", -kFar, kFar), integer_at(call, 3, "y", -kFar, kFar),
                  integer_at(call, 4, "width", 1, kFar), integer_at(call, 5, "height", 1, kFar)};
  return redrawn(call, picture, [part](const Image& image) { return crop_image(image, part); });
}

int image_resize(Call& call) {
  const PicturePtr picture = image_self(call);
  const Size size{integer_at(call, 2, "width", 1, kFar), integer_at(call, 3, "height", 1, kFar)};
  return redrawn(call, picture, [size](const Image& image) { return resize_image(image, size); });
}

constexpr int kMostOfSheet = 400;

/// image.sheet(images, {columns, width}).
int image_sheet(Call& call) {
  table_at(call, 1, "images");
  const auto count = static_cast<int>(lua_objlen(call.L, 1));
  if (count < 1 || count > kMostOfSheet)
    throw Misuse(fmt::format("a sheet has 1 to {} images, got {}", kMostOfSheet, count));
  std::vector<PicturePtr> pictures;
  each_item(call, 1, "images", [&](int i) {
    pictures.push_back(image_at(call, lua_gettop(call.L), fmt::format("images[{}]", i).c_str()));
  });
  OptionTable options(call, 2, {"columns", "width"});
  const int columns = options.integer("columns", std::min(count, 5), 1, count),
            width = options.integer("width", 320, 8, 4096);
  return on_pool<PicturePtr>(call, [pictures, columns, width]() -> Result<PicturePtr> {
    std::vector<ImagePtr> images;
    for (const PicturePtr& picture : pictures) images.push_back(QA_TRY(picture->image()));
    return PicturePtr(std::make_shared<Picture>(QA_TRY(contact_sheet(images, columns, width))));
  });
}

/// A number of marks[i]; without a fallback it must be there.
int mark_number(const Json& mark, std::size_t i, const char* name, int low, int high,
                std::optional<int> fallback = {}) {
  const auto found = mark.is_object() ? mark.find(name) : mark.end();
  if (found == mark.end() && fallback) return *fallback;
  const double value = found != mark.end() && found->is_number() ? found->get<double>() : low - 1.0;
  if (!(value >= low && value <= high))
    throw Misuse(fmt::format("marks[{}].{} must be a number from {} to {}", i, name, low, high));
  return static_cast<int>(std::lround(value));
}

std::vector<Mark> marks_at(Call& call, int index) {
  table_at(call, index, "marks");
  std::vector<Mark> marks;
  for (const Json& mark : to_json(call.L, index)) {
    const std::size_t i = marks.size() + 1;
    const Rect box{mark_number(mark, i, "x", -kFar, kFar), mark_number(mark, i, "y", -kFar, kFar),
                   mark_number(mark, i, "width", 0, kFar), mark_number(mark, i, "height", 0, kFar)};
    marks.push_back({box, mark_number(mark, i, "label", 0, kMostLabel, static_cast<int>(i))});
  }
  return marks;
}

int image_mark(Call& call) {
  const PicturePtr picture = image_self(call);
  const std::vector<Mark> marks = marks_at(call, 2);
  OptionTable options(call, 3, {"digit_height"});
  const int digits = options.integer("digit_height", kDigitHeight, 7, 256);
  return redrawn(call, picture, [marks, digits](const Image& image) { return draw_marks(image, marks, digits); });
}

int image_grid(Call& call) {
  const PicturePtr picture = image_self(call);
  const int columns = lua_isnoneornil(call.L, 2) ? 64 : integer_at(call, 2, "columns", 1, 1024);
  const int rows = lua_isnoneornil(call.L, 3) ? 36 : integer_at(call, 3, "rows", 1, 1024);
  return on_pool(call, over<std::string>(
                           picture, [columns, rows](const Image& image) { return luma_grid(image, columns, rows); }));
}

int image_hash(Call& call) {
  const auto hash = [](const Image& image) { return fmt::format("{:016x}", difference_hash(image)); };
  return on_pool(call, over<std::string>(image_self(call), hash));
}

Json box_json(const Rect& box) { return {{"x", box.x}, {"y", box.y}, {"width", box.width}, {"height", box.height}}; }

int push_diff(lua_State* L, DiffResult& diff) {
  Json regions = Json::array();
  for (const Rect& r : diff.regions) regions.push_back(box_json(r));
  push_json(L, Json{{"identical", diff.identical},
                    {"changed_pixels", diff.changed_pixels},
                    {"changed_ratio", diff.changed_ratio},
                    {"regions", std::move(regions)}});
  if (diff.highlight) {
    push_result(L, std::make_shared<Picture>(diff.highlight));
    lua_setfield(L, -2, "highlight");
  }
  return 1;
}

int image_diff(Call& call) {
  const PicturePtr picture = image_self(call);
  const PicturePtr other = image_at(call, 2, "other");
  OptionTable options(call, 3, {"metric", "threshold", "antialias", "ignore", "highlight"});
  DiffOptions wanted;
  wanted.metric = options.one_of("metric", "exact", {"exact", "yiq"}) == "yiq" ? Metric::yiq : Metric::exact;
  wanted.threshold = options.number("threshold", wanted.threshold, 0, 1);
  wanted.antialias = options.boolean("antialias", false);
  if (wanted.antialias && wanted.metric == Metric::exact) throw Misuse("antialias belongs to metric = \"yiq\"");
  wanted.ignore = options.rects("ignore");
  wanted.highlight = options.boolean("highlight", false);
  // Equal bytes are equal pictures.
  const bool is_same = !picture->source().empty() && picture->source() == other->source() && !wanted.highlight;
  const auto same = []() -> Result<DiffResult> {
    DiffResult result;
    result.identical = true;
    return result;
  };
  if (is_same) return on_pool<DiffResult>(call, same, push_diff);
  const auto diff = [wanted](const Image& a, const Image& b) { return diff_images(a, b, wanted); };
  return on_pool(call, over<DiffResult>(picture, other, diff), push_diff);
}

using Matches = std::vector<TemplateMatch>;

Json match_json(const TemplateMatch& match) {
  Json out = box_json(match.box);
  out["scale"] = match.scale;
  out["score"] = match.score;
  return out;
}

int image_find(Call& call) {
  const PicturePtr picture = image_self(call);
  const PicturePtr pattern = image_at(call, 2, "template");
  OptionTable options(call, 3, {"scale", "threshold", "all"});
  FindOptions wanted;
  constexpr double kSmallest = 0.1, kLargest = 10;
  std::tie(wanted.smallest_scale, wanted.largest_scale) = options.range("scale", 1, 1, kSmallest, kLargest);
  wanted.threshold = options.number("threshold", wanted.threshold, 0, 1);
  wanted.all = options.boolean("all", false);
  const auto job =
      over<Matches>(picture, pattern, [wanted](const Image& a, const Image& b) { return find_template(a, b, wanted); });
  return on_pool<Matches>(call, job, [all = wanted.all](lua_State* L, Matches& found) {
    if (!all) return push_result(L, found.empty() ? Json() : match_json(found[0]));
    Json list = Json::array();
    for (const TemplateMatch& match : found) list.push_back(match_json(match));
    return push_result(L, list);
  });
}

OcrMask mask_of(Call& call, const std::string& name) {
  if (name == "bright") return OcrMask::bright;
  if (name == "luma") return OcrMask::luma;
  if (name == "dark") return OcrMask::dark;
  if (name == "distance") return OcrMask::distance;
  throw Misuse(std::string(call.name) + "(): a mask is bright, luma, dark or distance, got '" + name + "'", true);
}

using Words = std::vector<OcrWord>;

int image_text(Call& call) {
  const PicturePtr picture = image_self(call);
  OptionTable options(call, 2, {"masks", "language", "allowed", "line", "confidence"});
  OcrOptions wanted;
  for (const std::string& name : options.strings("masks")) wanted.masks.push_back(mask_of(call, name));
  wanted.language = options.string("language", wanted.language);
  wanted.allowed = options.string("allowed", "");
  wanted.is_line = options.boolean("line", false);
  wanted.confidence = options.number("confidence", wanted.confidence, 0, 100);
  const ShareJob share = [&loop = call.vm.loop](std::function<void()> part) { loop.compute(std::move(part), [] {}); };
  const auto job =
      over<Words>(picture, [wanted, share](const Image& image) { return read_text(image, wanted, share); });
  return on_pool<Words>(call, job, [](lua_State* L, Words& words) {
    Json list = Json::array();
    for (const OcrWord& word : words) {
      Json out = box_json(word.box);
      out["text"] = word.text;
      out["confidence"] = word.confidence;
      list.push_back(std::move(out));
    }
    return push_result(L, list);
  });
}

int image_save(Call& call) {
  const PicturePtr picture = image_self(call);
  std::string path(string_at(call, 2, "path"));
  const bool inside = call.vm.journal.is_open() && !path.empty() && path[0] != '/';
  if (inside && ("/" + path + "/").find("/../") != std::string::npos)
    throw Misuse("path must stay inside the run directory, got '" + path + "'");
  if (inside) call.file = path = std::filesystem::path(path).lexically_normal().string();
  const auto job = [picture, path, root = inside ? call.vm.journal.run().path() : ""]() -> Result<Unit> {
    const auto png = picture->png();
    if (!png) return png.error();
    if (root.empty()) return write_file(path, *png);
    // Not through a link that somebody put into the run.
    const auto folder = Folder::open(root);
    return folder ? folder->write(path, *png) : folder.error();
  };
  return on_pool<Unit>(call, job);
}

int image_close(Call& call) {
  call.vm.handles.images.erase(handle_id(call, 1, "image"));
  return 0;
}

}  // namespace

void add_image(lua_State* L) {
  add_functions(L, "image_module_waits", "qa.image.",
                {{"load", bound<image_load>}, {"decode", bound<image_decode>}, {"sheet", bound<image_sheet>}});
  add_functions(L, "image_waits", "image:",
                {{"crop", bound<image_crop>},
                 {"resize", bound<image_resize>},
                 {"mark", bound<image_mark>},
                 {"grid", bound<image_grid>},
                 {"hash", bound<image_hash>},
                 {"diff", bound<image_diff>},
                 {"find", bound<image_find>},
                 {"text", bound<image_text>},
                 {"save", bound<image_save>}});
  add_functions(L, "image", "image:", {{"size", bound<image_size>}, {"close", bound<image_close>}});
}

}  // namespace qa::lua
