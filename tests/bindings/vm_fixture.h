#pragma once
// VmFixture: a Vm on a loop of its own that runs one piece of Lua to its end. print() and log lines are kept.

#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <lua.hpp>
#include <string>

#include "bindings/vm.h"
#include "bindings/vm_state.h"

namespace qa::lua {

class VmFixture {
 public:
  explicit VmFixture(VmOptions options = {}) {
    char name[] = "/tmp/qa-bindings-XXXXXX";
    folder = mkdtemp(name);
    options.share = QA_SOURCE_DIR;
    options.out = folder + "/runs";
    options.print = [this](std::string_view text) { printed += std::string(text) + "\n"; };
    options.log = [this](std::string_view level, std::string_view text) {
      logged += std::string(level) + ": " + std::string(text) + "\n";
    };
    options.on_run_directory = [this](const std::string& path) { run_directory = path; };
    vm = std::make_unique<Vm>(loop, std::move(options));
  }
  ~VmFixture() {
    vm.reset();
    std::filesystem::remove_all(folder);
  }

  /// Runs Lua code as a root task.
  RunOutcome run(const std::string& code) {
    RunOutcome result = not_ended();
    vm->run_code(code, [&](RunOutcome outcome) {
      result = std::move(outcome);
      loop.stop();
    });
    loop.run();
    restart();
    return result;
  }

  RunOutcome run_file(const std::string& path) {
    RunOutcome result = not_ended();
    vm->run_file(path, [&](RunOutcome outcome) {
      result = std::move(outcome);
      loop.stop();
    });
    loop.run();
    restart();
    return result;
  }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder + "/" + name) << text;
    return folder + "/" + name;
  }

  EventLoop loop;
  std::unique_ptr<Vm> vm;
  std::string folder, printed, logged, run_directory;

 private:
  static RunOutcome not_ended() {
    RunOutcome outcome;
    outcome.exit_code = -1;
    outcome.error = "the task did not end";
    return outcome;
  }
  void restart();
};

/// A script whose asserts hold: exit code 0 and no error.
#define REQUIRE_RUNS(fixture, code)                     \
  do {                                                  \
    const auto outcome_ = (fixture).run(code);          \
    INFO(outcome_.error << "\n" << outcome_.traceback); \
    REQUIRE(outcome_.exit_code == 0);                   \
  } while (false)

}  // namespace qa::lua
