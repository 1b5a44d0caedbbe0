#pragma once
// Handles: userdata for browser, page, image and task are weak views by id; the Vm owns the objects. Dropping the Lua
// variable does not close a browser or page; images are freed with their last handle. Use after close raises "page is
// closed".

#include <cstdint>
#include <lua.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bindings/journal.h"
#include "bindings/task.h"
#include "bindings/trampoline.h"
#include "host/browser/browser.h"
#include "host/browser/page.h"
#include "host/browser/tape.h"
#include "host/image/picture.h"

namespace qa::lua {

class OptionTable;
using HandleId = std::uint64_t;
inline constexpr HandleId kTaskHandles = HandleId{1} << 40;  ///< Task handles are numbered from here.

struct BrowserEntry {
  std::shared_ptr<Browser> browser;
  std::string directory;  ///< Of the run's browsers; "" for a remote one.
};

class Handles {
 public:
  HandleId add_browser(std::shared_ptr<Browser> browser, std::string directory);
  void push_browser(lua_State* L, HandleId id);
  void push_page(lua_State* L, const std::shared_ptr<Page>& page);
  void push_image(lua_State* L, const PicturePtr& image);
  void push_task(lua_State* L, Task& task);

  void push_tape(lua_State* L, const std::shared_ptr<Tape>& tape);
  /// An input of a page on game time: its place in the log of that page. `args` is JSON text.
  void log_input(const GamePlace& place, const std::string& op, const std::string& args, bool failed);

  /// Forgets a browser and its pages; their handles are closed from now on.
  void drop_browser(HandleId id);

  std::map<HandleId, BrowserEntry> browsers;
  std::map<HandleId, std::shared_ptr<Page>> pages;
  std::map<HandleId, PicturePtr> images;
  std::map<HandleId, std::shared_ptr<Tape>> tapes;
  std::map<HandleId, std::vector<std::string>> input_logs;  ///< By page; each entry is JSON text.

 private:
  HandleId next_ = 1;
  std::size_t image_bytes_ = 0;  ///< Taken since the last collection: the collector sees 16 bytes an image.
};

/// The object behind `self` (argument 1). Misuse when it is something else or closed; Raised when its browser is lost.
std::shared_ptr<Browser> browser_self(Call& call);
std::shared_ptr<Page> page_self(Call& call);
PicturePtr image_self(Call& call);
std::shared_ptr<Tape> tape_self(Call& call);
/// A tape in a table of options, or nullptr.
std::shared_ptr<Tape> tape_option(Call& call, OptionTable& options);
TaskPtr task_self(Call& call);
/// An image argument that is not self.
PicturePtr image_at(Call& call, int index, const char* what);
/// The id behind self when it is a handle of this type ("page"), closed or not; Misuse otherwise.
HandleId handle_id(Call& call, int index, const char* type);

/// "page", "image", "userdata" ...
std::string handle_word(lua_State* L, int index);
/// Makes the metatables and leaves on the stack a table {browser = mt, page = mt, image = mt, task = mt}.
void push_metatables(lua_State* L);

}  // namespace qa::lua
