// qa.image.load decode, and image:size crop grid diff save close. CPU work runs on the pool.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "bindings/files.h"
#include "host/image/diff.h"
#include "host/image/image.h"

namespace qa::lua {
namespace {

/// Runs `job` on the pool and completes with what it returns.
template <class T>
void compute(EventLoop& loop, std::function<Result<T>()> job, Callback<T> done) {
  auto result = std::make_shared<std::optional<Result<T>>>();
  loop.compute([result, job = std::move(job)] { result->emplace(job()); },
               [result, done = std::move(done)] { done(std::move(**result)); });
}

auto image_pusher(Call& call) {
  return [vm = &call.vm](lua_State* L, ImagePtr& image) {
    vm->handles.push_image(L, image);
    return 1;
  };
}

int image_load(Call& call) {
  const std::string path(string_at(call, 1, "path"));
  const auto job = [path]() -> Result<ImagePtr> {
    const auto bytes = read_file(path);
    if (!bytes) return bytes.error();
    return decode_image(*bytes);
  };
  return await<ImagePtr>(
      call, [&](auto done) { compute<ImagePtr>(call.vm.loop, job, done); }, image_pusher(call));
}

int image_decode(Call& call) {
  const std::string bytes(string_at(call, 1, "bytes"));
  const auto job = [bytes] { return decode_image(bytes); };
  return await<ImagePtr>(
      call, [&](auto done) { compute<ImagePtr>(call.vm.loop, job, done); }, image_pusher(call));
}

int image_size(Call& call) {
  const ImagePtr image = image_self(call);
  lua_pushinteger(call.L, image->width);
  lua_pushinteger(call.L, image->height);
  return 2;
}

int image_crop(Call& call) {
  const ImagePtr image = image_self(call);
  constexpr int kFar = 1 << 20;
  const Rect part{integer_at(call, 2, "x", -kFar, kFar), integer_at(call, 3, "y", -kFar, kFar),
                  integer_at(call, 4, "width", 1, kFar), integer_at(call, 5, "height", 1, kFar)};
  const auto job = [image, part] { return crop_image(*image, part); };
  return await<ImagePtr>(
      call, [&](auto done) { compute<ImagePtr>(call.vm.loop, job, done); }, image_pusher(call));
}

int image_grid(Call& call) {
  const ImagePtr image = image_self(call);
  const int columns = lua_isnoneornil(call.L, 2) ? 64 : integer_at(call, 2, "columns", 1, 1024);
  const int rows = lua_isnoneornil(call.L, 3) ? 36 : integer_at(call, 3, "rows", 1, 1024);
  push_text(call.L, luma_grid(*image, columns, rows));
  return 1;
}

int push_diff(lua_State* L, DiffResult& diff) {
  Json regions = Json::array();
  for (const Rect& r : diff.regions) {
    regions.push_back({{"x", r.x}, {"y", r.y}, {"width", r.width}, {"height", r.height}});
  }
  push_json(L, Json{{"identical", diff.identical},
                    {"changed_pixels", diff.changed_pixels},
                    {"changed_ratio", diff.changed_ratio},
                    {"regions", std::move(regions)}});
  return 1;
}

int image_diff(Call& call) {
  const ImagePtr image = image_self(call);
  const ImagePtr other = image_at(call, 2, "other");
  OptionTable options(call, 3, {"metric"});
  options.one_of("metric", "exact", {"exact"});
  const auto job = [image, other] { return diff_exact(*image, *other); };
  return await<DiffResult>(
      call, [&](auto done) { compute<DiffResult>(call.vm.loop, job, done); }, push_diff);
}

int image_save(Call& call) {
  const ImagePtr image = image_self(call);
  std::string path(string_at(call, 2, "path"));
  const bool inside = call.vm.journal.is_open() && !path.empty() && path[0] != '/';
  if (inside && (path.find("..") != std::string::npos))
    throw Misuse("path must stay inside the run directory, got '" + path + "'");
  if (inside) {
    call.file = path;
    path = call.vm.journal.run().path() + "/" + path;
  }
  const auto job = [image, path] {
    return write_file(path, image->source_png.empty() ? encode_png(*image) : image->source_png);
  };
  return await<Unit>(
      call, [&](auto done) { compute<Unit>(call.vm.loop, job, done); }, push_true);
}

int image_close(Call& call) {
  call.vm.handles.drop_image(handle_id(call, 1, "image"));
  return 0;
}

const luaL_Reg module_waits[] = {{"load", bound<image_load>}, {"decode", bound<image_decode>}, {nullptr, nullptr}};
const luaL_Reg image_waits[] = {
    {"crop", bound<image_crop>}, {"diff", bound<image_diff>}, {"save", bound<image_save>}, {nullptr, nullptr}};
const luaL_Reg image_methods[] = {
    {"size", bound<image_size>}, {"grid", bound<image_grid>}, {"close", bound<image_close>}, {nullptr, nullptr}};

}  // namespace

void add_image(lua_State* L) {
  add_functions(L, "image_module_waits", "qa.image.", module_waits, true);
  add_functions(L, "image_waits", "image:", image_waits, true);
  add_functions(L, "image", "image:", image_methods, false);
}

}  // namespace qa::lua
