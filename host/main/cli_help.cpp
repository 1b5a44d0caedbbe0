#include <filesystem>
#include <set>

#include "host/main/cli.h"

namespace qa {
namespace {

constexpr const char* kOverview = R"(qa-host plays a browser game in a real Chromium and judges whether it works.

usage: qa-host test TARGET...          play a game and judge it: a URL, a folder or an .html file
       qa-host [options] FILE.lua [args]   run a script, or a strategy on a target
       qa-host -e CODE                 run one line of Lua
       qa-host COMMAND [args]          run scripts/commands/COMMAND.lua

commands:
  test TARGET...   play and judge; `qa-host test --help` lists its options
  check FILE       load a strategy, a script or metadata and say what is wrong with it; no browser
  recover DIR      write the report of a run that was cut short, from its journal
  diff A B         compare two images; exit 0 same, 1 different, 3 error
  doctor           say whether this machine has what a run needs
  prompt TARGET    print what models would be asked about a game, and what that costs at most; nothing is sent
  budget           list what models have cost
  memory           show, export, import or forget what runs have taught about games
  plan             make, run and watch a project whose tasks are complete when their tests pass (docs/plans.md)
  spec DIR         run the Lua specs (*_spec.lua) of a folder

options before FILE.lua or COMMAND:
  -e CODE               run CODE; the words after it are its arguments
  --browser PATH        Chromium binary to use
  --headed              show the browser window
  --out DIR             parent folder of run directories (default: qa-runs)
  --max-duration TIME   end of a run: 90s, 4m, 250ms; what still goes on 10 s later is killed (exit code 3)
  --budget USD          what models may cost this run (QA_BUDGET; default 0.50)
  --model NAME          who answers: a model, or ENDPOINT/MODEL (QA_MODEL)
  --endpoint NAME       a preset or one of qa-host.lua (QA_ENDPOINT)
  --cassette DIR        replay models' answers from DIR; with --cassette-mode record, refresh: record them
  --ca-file FILE        certificates to trust beside the system's
  --allow-process[=A,B] scripts may start programs: any, or those named
  --state DIR           where ledgers and memories are kept (QA_STATE)
  --jit                 compile Lua; endless compiled loops are stopped by killing the worker
  --share DIR           where scripts/ and strategies/ are
  --no-supervisor       run in this process, for debuggers
  --help, --version

examples:
  qa-host test https://example.com/game/
  qa-host test examples/games/clicker --reporter json
  qa-host test build/ --strategy my_game.lua --set interaction_ms=10000 --watch
  qa-host examples/01_open_and_look.lua
  qa-host diff before.png after.png

exit codes: 0 pass, 1 fail, 2 inconclusive, 3 usage or Lua error, 4 environment (browser, network),
            70 the worker crashed, 128+N stopped by signal N
)";

constexpr const char* kTest = R"(usage: qa-host test TARGET... [options]

Opens each TARGET in a real browser, waits until it is ready, starts it, plays it and prints a verdict.
A TARGET is an http or https URL, a folder with an index.html, or an .html file (both are served on loopback).

options:
  -j N                  targets at the same time (default 1)
  --strategy NAME|FILE  how to play (default: standard)
  --metadata FILE       what is known about the game: controls, indicators (JSON or Lua)
  --set KEY=VALUE       set an option of the strategy, e.g. interaction_ms=10000; may be repeated
  --seed N              seed of what is random in a strategy
  --headed              show the browser window
  --out DIR             parent folder of run directories (default: qa-runs)
  --reporter list|json  what is printed on stdout (default: list)
  --max-duration TIME   end of a run: 90s, 4m, 250ms (default: 4m)
  --browser PATH        Chromium binary to use
  --watch               take an edited strategy into use between two steps
  --budget, --model, --endpoint, --cassette, --cassette-mode, --ca-file, --allow-process, --state, --jit, --share,
  --no-supervisor       as `qa-host --help` has them

environment: LOG_LEVEL=trace|debug|info|warn|error, DEBUG=true, ENABLE_SCREENSHOT_CLEANUP=true,
  ENABLE_ADAPTIVE_QA=true, ENABLE_STAGEHAND_AGENT=true (name a --strategy: adaptive, agent), NO_COLOR

The verdict decides the exit code: 0 pass, 1 fail, 2 inconclusive, 3 or 4 error. Several targets: the worst.
)";

constexpr const char* kDiff = R"(usage: qa-host diff A B [options]

Compares two PNG or JPEG files pixel by pixel; exit 0 same, 1 different, 3 error.

options:
  --metric exact|yiq   any difference counts (default), or what is seen, as pixelmatch counts it
  --threshold T        with yiq: 0 to 1, default 0.1
  --antialias          with yiq: leave out pixels that differ only by anti-aliasing
  --highlight FILE     write a PNG with what differs in red
)";

void add_commands(std::set<std::string>& names, const std::string& folder) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".lua") names.insert(entry.path().stem().string());
  }
}

}  // namespace

std::string help_text(const std::string& topic) {
  return topic == "test" ? kTest : topic == "diff" ? kDiff : kOverview;
}

std::vector<std::string> command_names(const std::string& share) {
  std::set<std::string> names{"test", "diff"};
  add_commands(names, share + "/scripts/commands");
  add_commands(names, "scripts/commands");
  return {names.begin(), names.end()};
}

}  // namespace qa
