#include <filesystem>
#include <set>

#include "host/main/option_table.h"

namespace qa {
namespace {

constexpr const char* kOverview = R"(qa-host plays a browser game in a real Chromium and judges whether it works.

usage: qa-host test TARGET...          play a game and judge it: a URL, a folder or an .html file
       qa-host [options] FILE.lua [args]   run a script, or a strategy on a target
       qa-host -e CODE                 run one line of Lua
       qa-host COMMAND [args]          run scripts/commands/COMMAND.lua
)";

constexpr const char* kExamples = R"(
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
)";

constexpr const char* kTestEnd = R"(
environment: LOG_LEVEL=trace|debug|info|warn|error, DEBUG=true, ENABLE_SCREENSHOT_CLEANUP=true,
  ENABLE_ADAPTIVE_QA=true, ENABLE_STAGEHAND_AGENT=true (name a --strategy: adaptive, agent), NO_COLOR

The verdict decides the exit code: 0 pass, 1 fail, 2 inconclusive, 3 or 4 error. Several targets: the worst.
)";

constexpr const char* kServe = R"(usage: qa-host serve --port N --token-file FILE [options]

Plays runs that clients ask for over HTTP, each in a process of its own: POST /runs {gameUrl, metadata?, config?},
GET /runs/ID, /runs/ID/report, /runs/ID/files/..., /runs/ID/events, DELETE /runs/ID, /metrics, /healthz.
SIGTERM lets what runs end, and exits. TLS is the business of a proxy before it. See docs/service.md.
)";

constexpr const char* kLambda = R"(usage: qa-host lambda [options]

The loop of an AWS custom runtime: takes events {gameUrl, metadata?, config?} from AWS_LAMBDA_RUNTIME_API, plays each
and answers {statusCode, body}. Writes below /tmp only. See docs/service.md.
)";

constexpr const char* kDiff = R"(usage: qa-host diff A B [options]

Compares two PNG or JPEG files pixel by pixel; exit 0 same, 1 different, 3 error.
)";

constexpr const char* kTrust = R"(usage: qa-host trust [DIR]
       qa-host trust --list
       qa-host trust --revoke [DIR]

Lets qa-host use the project files of a folder (default: the working folder): qa-host.lua, strategies/ and
scripts/commands/. They are code. Read them first: whoever can write to the folder wrote them. They are recorded as they
are now in the state folder, and left out again as soon as one of them changes. --trust DIR is for one run.
)";

using Place = OptionRow::Place;

std::string overview() {
  return std::string(kOverview) + "\ncommands:\n" + command_lines() + "\noptions before FILE.lua or COMMAND:\n" +
         option_lines(Place::top) + option_lines(Place::shared) + kExamples;
}

std::string help_of_test() {
  return std::string(kTest) + "\noptions:\n" + option_lines(Place::test) + option_lines(Place::event) +
         "  as `qa-host --help` has them:\n" + option_names_text(Place::shared) + kTestEnd;
}

std::string help_of_service(bool is_serve) {
  return std::string(is_serve ? kServe : kLambda) + "\noptions:\n" +
         (is_serve ? option_lines(Place::serve) : std::string()) + option_lines(Place::event) +
         "  as `qa-host --help` has them, for each run (--max-duration and --budget: at most):\n" +
         option_names_text(Place::shared);
}

void add_commands(std::set<std::string>& names, const std::string& folder) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".lua") names.insert(entry.path().stem().string());
  }
}

}  // namespace

std::string help_text(const std::string& topic) {
  if (topic == "test") return help_of_test();
  if (topic == "serve" || topic == "lambda") return help_of_service(topic == "serve");
  if (topic == "diff") return std::string(kDiff) + "\noptions:\n" + option_lines(Place::diff);
  if (topic == "trust") return std::string(kTrust) + "\noptions:\n" + option_lines(Place::trust);
  return overview();
}

std::vector<std::string> command_names(const std::string& share, const Project& project) {
  std::set<std::string> names{"test", "diff", "serve", "lambda", "trust"};
  add_commands(names, share + "/scripts/commands");
  if (const auto own = project.path_of("scripts/commands"); !own.empty()) add_commands(names, own);
  return {names.begin(), names.end()};
}

}  // namespace qa
