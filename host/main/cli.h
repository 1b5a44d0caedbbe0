#pragma once
// The command line: argument words to one Invocation. Reads nothing but its
// arguments, the environment, which command files exist and whether the working
// folder is trusted; starts nothing.
// Supervisor and worker both parse the same words, so that no second format
// describes a run between them.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "host/image/diff.h"
#include "host/net/target_credentials.h"
#include "host/service/service.h"
#include "host/trust.h"

namespace qa {

/// What `diff A B` is asked for.
struct DiffRequest {
  std::string a, b;
  std::string highlight;  ///< PNG file to write, "" for none.
  DiffOptions options;
};

/// What `trust [DIR]` is asked for.
struct TrustRequest {
  std::string folder = ".";
  bool list = false, revoke = false;
};

struct Invocation {
  enum class Action { script, code, command, test, diff, serve, lambda, trust };

  Action action = Action::script;
  std::string name;                                           ///< Script path, code text, or command name.
  std::vector<std::string> arguments;                         ///< What the script or command sees as qa.args.
  std::vector<std::string> targets;                           ///< `test` only.
  std::vector<std::pair<std::string, std::string>> settings;  ///< --set key=value, in order.
  std::string strategy, metadata, out, browser, share;        ///< "" when not given.
  std::string cdp, grid, browserbase;   ///< Addresses of a remote browser; a region, "*" for the default one.
  std::string budget, model, endpoint;  ///< What models may cost, and who answers; "" when not given.
  std::string cassette, cassette_mode, ca_file, state;
  CredentialWords credentials;  ///< What opens the target, unread.
  std::string reporter = "list";
  std::string clock, tape = "disk";                       ///< Of `test`; clock: "" for that of the strategy.
  std::optional<std::vector<std::string>> allow_process;  ///< Programs that scripts may start; empty for any.
  std::string trusted;                                    ///< --trust DIR.
  TrustDecision project;  ///< Which project files the run may use, and what is left out.
  DiffRequest diff;
  TrustRequest trust;
  ServiceOptions service;                    ///< What `serve` was told; the rest of it is for the command.
  std::vector<std::string> run_words;        ///< Shared options as they were given, paths made absolute, for each run.
  std::string event;                         ///< --event FILE of `test`; "" without.
  std::vector<std::string> allowed_origins;  ///< --allow-origin, for what events name.
  std::optional<std::int64_t> seed, max_duration_ms;
  int jobs = 1;
  bool report_debug_url = false, headed = false, watch = false, jit = false, supervised = true;
};

/// The command line asks for no run: print `text` (stdout for code 0, else stderr) and exit.
struct EarlyExit {
  int code = 0;
  std::string text;
};

using CommandLine = std::variant<Invocation, EarlyExit>;

/// Parses the words after the program name. `share` is where shipped scripts are unless --share says otherwise.
CommandLine parse_command_line(std::vector<std::string> words, const std::string& share);

/// "90s", "4m", "250ms" or "1h" as milliseconds; nothing for other text, zero, or more than a day.
std::optional<std::int64_t> parse_duration_ms(const std::string& text);

/// The state folder: as given, else QA_STATE, else $XDG_STATE_HOME/qa-host or $HOME/.local/state/qa-host.
std::string state_folder(const std::string& given);

/// Help texts (cli_help.cpp). `topic` is "test", "diff", "serve", "lambda", "trust", or "" for the overview. Command
/// files have their own.
std::string help_text(const std::string& topic);

/// Names of all commands: the built-in ones and every scripts/commands/NAME.lua of `share` and of a trusted project.
std::vector<std::string> command_names(const std::string& share, const Project& project);

}  // namespace qa
