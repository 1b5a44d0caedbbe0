#pragma once
// Journal: the open run of a Vm: its directory, the line counter and the current step. One JSON line per finished
// primitive or event, in the kernel before Lua goes on.

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "host/error.h"
#include "host/event_loop.h"
#include "host/line_chain.h"
#include "host/redaction.h"
#include "host/run_directory.h"

namespace qa::lua {

/// Where a page on game time stood.
struct GamePlace {
  std::uint64_t page = 0;  ///< Its handle.
  int frame = 0;
  double game_ms = 0;
  bool is_input = false;  ///< It moved or changed the page.
};

class Journal {
 public:
  using Json = nlohmann::json;

  /// `hidden` is taken out of messages of errors; everything else of a line comes from Lua.
  Journal(EventLoop& loop, const Redaction& hidden) : loop_(loop), hidden_(hidden) {}

  /// Makes a run directory below `parent`; it replaces the open one.
  Result<Unit> open(const std::string& parent, const std::string& slug);
  /// Opens the directory of an earlier run, whose journal is not appended to.
  Result<Unit> reopen(const std::string& path);
  bool is_open() const { return run_ != nullptr; }
  RunDirectory& run() { return *run_; }
  void set_step(int step) { step_ = step; }

  /// A line of op "event"; the line as it was written.
  Result<Json> append_event(const std::string& name, const Json& data);
  /// A finished primitive. `args` is JSON text. A line that cannot be written is reported once through on_failure.
  void append_operation(const std::string& op, const std::string& args, const std::string& file, const Error* error,
                        double ms, const std::optional<GamePlace>& place);

  std::function<void(const Error&)> on_failure;

 private:
  /// `args`, `error` and `file` are JSON text; the latter two "" for none.
  std::string line(const std::string& op, const std::string& args, double ms, const std::string& error,
                   const std::string& file, const std::optional<GamePlace>& place);

  EventLoop& loop_;
  const Redaction& hidden_;
  std::unique_ptr<RunDirectory> run_;
  LineChain chain_;
  double opened_ms_ = 0;
  int seq_ = 0, step_ = 0;
  bool reopened_ = false, failed_ = false;
};

}  // namespace qa::lua
