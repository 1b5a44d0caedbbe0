#include "bindings/handle.h"

#include "bindings/args.h"
#include "bindings/vm_state.h"
#include "host/json_text.h"

namespace qa::lua {
namespace {

constexpr const char* kTypes[] = {"browser", "page", "image", "task", "tape"};
constexpr const char* kCache = "qa.handles";                  ///< Registry: id -> userdata, weak.
constexpr std::size_t kCollectAfter = std::size_t{24} << 20;  ///< Bytes of pixels between two full collections.

std::string registry_name(const char* type) { return std::string("qa.handle.") + type; }

const HandleId* payload(lua_State* L, int index, const char* type) {
  return static_cast<const HandleId*>(luaL_testudata(L, index, registry_name(type).c_str()));
}

/// Pushes the userdata of an id, made when there is none. The same id gives the same userdata while one lives.
void push_handle(lua_State* L, HandleId id, const char* type) {
  luaL_checkstack(L, 6, "handle");
  lua_getfield(L, LUA_REGISTRYINDEX, kCache);
  lua_pushnumber(L, static_cast<lua_Number>(id));
  lua_rawget(L, -2);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    *static_cast<HandleId*>(lua_newuserdata(L, sizeof(HandleId))) = id;
    lua_getfield(L, LUA_REGISTRYINDEX, registry_name(type).c_str());
    lua_setmetatable(L, -2);
    lua_pushnumber(L, static_cast<lua_Number>(id));
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
  }
  lua_remove(L, -2);
}

int image_collected(lua_State* L) {
  if (const HandleId* id = payload(L, 1, "image")) VmState::of(L).handles.images.erase(*id);
  return 0;
}

int tape_collected(lua_State* L) {
  if (const HandleId* id = payload(L, 1, "tape")) VmState::of(L).handles.tapes.erase(*id);
  return 0;
}

int task_collected(lua_State* L) {
  VmState& vm = VmState::of(L);
  const HandleId* id = payload(L, 1, "task");
  if (id && vm.scheduler) vm.scheduler->release_handle(*id - kTaskHandles);
  return 0;
}

int handle_tostring(lua_State* L) {
  for (const char* type : kTypes) {
    if (const HandleId* id = payload(L, 1, type)) {
      lua_pushfstring(L, "%s %d", type, static_cast<int>(*id % kTaskHandles));
      return 1;
    }
  }
  lua_pushliteral(L, "userdata");
  return 1;
}

[[noreturn]] void refuse_closed(const char* type) { throw Misuse(std::string(type) + " is closed"); }

PicturePtr image_of(Call& call, HandleId id) {
  const auto found = call.vm.handles.images.find(id);
  if (found == call.vm.handles.images.end()) refuse_closed("image");
  return found->second;
}

void refuse_lost(Call& call, const Browser& browser) {
  if (!browser.lost()) return;
  Error error = browser.loss();
  error.op = call.name;
  throw Raised(std::move(error));
}

}  // namespace

HandleId Handles::add_browser(std::shared_ptr<Browser> browser, std::string directory) {
  browsers.emplace(next_, BrowserEntry{std::move(browser), std::move(directory)});
  return next_++;
}

void Handles::push_browser(lua_State* L, HandleId id) { push_handle(L, id, "browser"); }

void Handles::push_page(lua_State* L, const std::shared_ptr<Page>& page) {
  for (const auto& [id, known] : pages) {
    if (known == page) return push_handle(L, id, "page");
  }
  const HandleId id = next_++;
  pages.emplace(id, page);
  push_handle(L, id, "page");
}

void Handles::push_image(lua_State* L, const PicturePtr& image) {
  image_bytes_ += image->weight();
  if (image_bytes_ > kCollectAfter) {
    image_bytes_ = 0;
    lua_gc(L, LUA_GCCOLLECT, 0);
  }
  const HandleId id = next_++;
  images.emplace(id, image);
  push_handle(L, id, "image");
}

void Handles::push_tape(lua_State* L, const std::shared_ptr<Tape>& tape) {
  const HandleId id = next_++;
  tapes.emplace(id, tape);
  push_handle(L, id, "tape");
}

void Handles::log_input(const GamePlace& place, const std::string& op, const std::string& args, bool failed) {
  std::string entry;
  ObjectText object(entry);
  object.raw("args", args);
  object.raw("failed", failed ? "true" : "false");
  object.number("frame", place.frame);
  object.text("op", op);
  object.close();
  input_logs[place.page].push_back(std::move(entry));
}

void Handles::push_task(lua_State* L, Task& task) {
  push_handle(L, kTaskHandles + task.id, "task");
  task.has_handle = true;
}

void Handles::drop_browser(HandleId id) {
  const auto found = browsers.find(id);
  if (found == browsers.end()) return;
  std::erase_if(pages, [&](const auto& entry) { return entry.second->browser() == found->second.browser; });
  std::erase_if(input_logs, [&](const auto& entry) { return pages.count(entry.first) == 0; });
  browsers.erase(found);
}

HandleId handle_id(Call& call, int index, const char* type) {
  if (const HandleId* id = payload(call.L, index, type)) return *id;
  if (index == 1) throw Misuse(std::string("call it with ':' on a ") + type + ", got " + type_word(call.L, 1));
  throw Misuse(std::string("expected a ") + type + ", got " + type_word(call.L, index));
}

std::shared_ptr<Browser> browser_self(Call& call) {
  const auto found = call.vm.handles.browsers.find(handle_id(call, 1, "browser"));
  if (found == call.vm.handles.browsers.end()) refuse_closed("browser");
  refuse_lost(call, *found->second.browser);
  return found->second.browser;
}

std::shared_ptr<Page> page_self(Call& call) {
  const auto found = call.vm.handles.pages.find(handle_id(call, 1, "page"));
  if (found == call.vm.handles.pages.end()) refuse_closed("page");
  refuse_lost(call, *found->second->browser());
  if (found->second->closed()) refuse_closed("page");
  return found->second;
}

PicturePtr image_self(Call& call) { return image_of(call, handle_id(call, 1, "image")); }

PicturePtr image_at(Call& call, int index, const char* what) {
  const HandleId* id = payload(call.L, index, "image");
  if (!id) throw Misuse(std::string(what) + " must be an image, got " + type_word(call.L, index));
  return image_of(call, *id);
}

std::shared_ptr<Tape> tape_self(Call& call) {
  const auto found = call.vm.handles.tapes.find(handle_id(call, 1, "tape"));
  if (found == call.vm.handles.tapes.end()) refuse_closed("tape");
  return found->second;
}

std::shared_ptr<Tape> tape_option(Call& call, OptionTable& options) {
  if (!options.has("tape")) return nullptr;
  options.push("tape");
  const auto found = call.vm.handles.tapes.find(handle_id(call, lua_gettop(call.L), "tape"));
  lua_pop(call.L, 1);
  if (found == call.vm.handles.tapes.end()) refuse_closed("tape");
  return found->second;
}

TaskPtr task_self(Call& call) {
  TaskPtr task = call.vm.scheduler->find(handle_id(call, 1, "task") - kTaskHandles);
  if (!task) refuse_closed("task");
  return task;
}

std::string handle_word(lua_State* L, int index) {
  for (const char* type : kTypes) {
    if (payload(L, index, type)) return type;
  }
  return "userdata";
}

void push_metatables(lua_State* L) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_setfield(L, LUA_REGISTRYINDEX, kCache);

  lua_newtable(L);
  for (const char* type : kTypes) {
    luaL_newmetatable(L, registry_name(type).c_str());
    lua_pushcfunction(L, handle_tostring);
    lua_setfield(L, -2, "__tostring");
    lua_pushstring(L, type);
    lua_setfield(L, -2, "__metatable");
    lua_setfield(L, -2, type);
  }
  lua_getfield(L, -1, "image");
  lua_pushcfunction(L, image_collected);
  lua_setfield(L, -2, "__gc");
  lua_getfield(L, -2, "tape");
  lua_pushcfunction(L, tape_collected);
  lua_setfield(L, -2, "__gc");
  lua_getfield(L, -3, "task");
  lua_pushcfunction(L, task_collected);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 3);
}

}  // namespace qa::lua
