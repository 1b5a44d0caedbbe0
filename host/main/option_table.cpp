#include "host/main/option_table.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

namespace qa {
namespace {

constexpr std::size_t kTextColumn = 24, kLineEnd = 116;

using Place = OptionRow::Place;

/// The name that a reader looks for: "-j" of "-j,--jobs", "--allow-process" of "--allow-process{*}".
std::string shown_name(const OptionRow& row) {
  const std::string names = row.names;
  return names.substr(0, names.find_first_of(",{"));
}

std::string long_name(const OptionRow& row) {
  const std::string names = row.names;
  const std::size_t begin = names.find("--");
  return begin == names.npos ? names : names.substr(begin, names.find('{') - begin);
}

constexpr const char* kPlaces[] = {"shared", "top", "test", "diff", "trust", "serve", "event"};
const char* name_of(Place place) { return kPlaces[static_cast<std::size_t>(place)]; }

/// Rows whose values go nowhere, to be described.
const std::vector<OptionRow>& shown_rows() {
  static ParsedOptions nowhere;
  static const std::vector<OptionRow> rows = option_rows(nowhere);
  return rows;
}

/// "  left                  text", on two lines where `left` is too long.
std::string described(const std::string& left, const char* text) {
  std::string line = "  " + left;
  line += line.size() + 2 > kTextColumn ? "\n" + std::string(kTextColumn, ' ')
                                        : std::string(kTextColumn - line.size(), ' ');
  return line + text + "\n";
}

}  // namespace

std::vector<OptionRow> option_rows(ParsedOptions& parsed) {
  Invocation& run = parsed.run;
  return {
      {Place::top, "-e", "CODE", "run CODE; the words after it are its arguments", &parsed.code},
      {Place::shared, "--browser", "PATH", "Chromium binary to use", &run.browser},
      {Place::shared, "--headed", "", "show the browser window", &run.headed},
      {Place::shared, "--cdp", "URL", "a remote Chromium: ws(s):// of a browser, http(s):// of its debugging port",
       &run.cdp},
      {Place::shared, "--grid", "URL", "a browser of this Selenium Grid 4", &run.grid},
      {Place::shared, "--browserbase{*}", "[=REGION]",
       "a browser of Browserbase (BROWSERBASE_API_KEY, BROWSERBASE_PROJECT_ID)", &run.browserbase},
      {Place::shared, "--report-debug-url", "", "reports hold the address that controls the remote session",
       &run.report_debug_url},
      {Place::shared, "--out", "DIR", "parent folder of run directories (default: qa-runs)", &run.out},
      {Place::shared, "--max-duration", "TIME",
       "end of a run: 90s, 4m, 250ms; killed 10 s later, exit code 3 (a test: 4m, a script: none)",
       &parsed.max_duration},
      {Place::shared, "--budget", "USD", "what models may cost this run (QA_BUDGET; default 0.50)", &run.budget},
      {Place::shared, "--model", "NAME", "who answers: a model, or ENDPOINT/MODEL (QA_MODEL)", &run.model},
      {Place::shared, "--endpoint", "NAME", "a preset, or one of your configuration (QA_ENDPOINT)", &run.endpoint},
      {Place::shared, "--cassette", "DIR", "replay answers of models from DIR", &run.cassette},
      {Place::shared, "--cassette-mode", "record|replay|refresh", "what happens with the cassette (default: replay)",
       &run.cassette_mode},
      {Place::shared, "--ca-file", "FILE", "certificates to trust beside the system's", &run.ca_file},
      {Place::shared, "--header", "NAME:VALUE|@FILE", "a header for requests to the target's origin; may be repeated",
       &run.credentials.headers},
      {Place::shared, "--cookie-file", "FILE", "cookies for the target's origin: a cookie jar, or a JSON list",
       &run.credentials.cookie_file},
      {Place::shared, "--basic-auth", "USER:PASSWORD|@FILE", "answers the target's origin when it asks for a password",
       &run.credentials.basic_auth},
      {Place::shared, "--allow-process{*}", "[=A,B]", "scripts may start programs: any, or those named",
       &parsed.allow_process},
      {Place::shared, "--trust", "DIR", "use the qa-host.lua, strategies/ and scripts/commands/ of DIR in this run",
       &run.trusted},
      {Place::shared, "--state", "DIR", "where ledgers, memories and trust are kept (QA_STATE)", &run.state},
      {Place::shared, "--jit", "", "compile Lua; endless compiled loops are stopped by killing the worker", &run.jit},
      {Place::shared, "--share", "DIR", "where scripts/ and strategies/ are", &run.share},
      {Place::shared, "--no-supervisor", "", "run in this process, for debuggers", &parsed.unsupervised},
      {Place::shared, "--help,-h", "", "what a command understands", &parsed.help},
      {Place::top, "--version", "", "print the version", &parsed.version},
      {Place::test, "-j,--jobs", "N", "targets at the same time (default 1)", &parsed.jobs},
      {Place::test, "--strategy", "NAME|FILE", "how to play (default: standard)", &run.strategy},
      {Place::test, "--metadata", "FILE", "what is known about the game: controls, indicators (JSON or Lua)",
       &run.metadata},
      {Place::test, "--set", "KEY=VALUE", "set an option of the strategy, e.g. interaction_ms=10000; may be repeated",
       &parsed.settings},
      {Place::test, "--seed", "N", "seed of what is random in a strategy, and in a game on game time", &parsed.seed},
      {Place::test, "--clock", "real|game|auto",
       "time of the game: auto (default): stepped by the host if the game repeats", &run.clock},
      {Place::test, "--tape", "disk|memory", "where a run on game time keeps what the network answered (default: disk)",
       &run.tape},
      {Place::test, "--reporter", "list|json", "what is printed on stdout (default: list)", &run.reporter},
      {Place::test, "--watch", "", "take an edited strategy into use between two steps", &run.watch},
      {Place::test, "--event", "FILE",
       "run an event {gameUrl, metadata?, config?} (-: stdin); prints {statusCode, body}", &run.event},
      {Place::event, "--allow-origin", "ORIGIN",
       "events may name this origin of a private network: http://10.0.0.5:8080; repeatable", &run.allowed_origins},
      {Place::serve, "--port", "N", "where to listen; 0 for a free port", &parsed.port},
      {Place::serve, "--listen", "ADDRESS", "IP address to listen at (default 127.0.0.1)", &run.service.address},
      {Place::serve, "--token-file", "FILE", "the secret that clients send as Authorization: Bearer; mode 0600",
       &run.service.token_file},
      {Place::serve, "--webhook-secret-file", "FILE", "signs webhooks; without it events name none; mode 0600",
       &run.service.webhook_secret_file},
      {Place::serve, "--jobs", "N", "runs at the same time (default 1)", &parsed.service_jobs},
      {Place::serve, "--queue", "N", "runs that wait (default 16); more are refused with 429", &parsed.queue},
      {Place::diff, "--metric", "exact|yiq",
       "any difference counts (default), or what is seen, as pixelmatch counts it", &parsed.metric},
      {Place::diff, "--threshold", "T", "with yiq: 0 to 1 (default 0.1)", &parsed.threshold},
      {Place::diff, "--antialias", "", "with yiq: leave out pixels that differ only by anti-aliasing",
       &run.diff.options.antialias},
      {Place::diff, "--highlight", "FILE", "write a PNG with what differs in red", &run.diff.highlight},
      {Place::trust, "--list", "", "print the trusted folders", &run.trust.list},
      {Place::trust, "--revoke", "", "forget that the folder was trusted", &run.trust.revoke},
  };
}

const std::vector<CommandRow>& command_rows() {
  static const std::vector<CommandRow> rows{
      {"test",
       "TARGET...",
       "play and judge; `qa-host test --help` lists its options",
       {Place::test, Place::event, Place::shared}},
      {"check", "FILE", "load a strategy, a script or metadata and say what is wrong with it; no browser"},
      {"recover", "DIR", "write the report of a run that was cut short, from its journal"},
      {"diff", "A B", "compare two images; exit 0 same, 1 different, 3 error", {Place::diff}},
      {"doctor", "", "say whether this machine has what a run needs"},
      {"clock", "TARGET", "say whether a game repeats exactly, and how fast its time can be stepped (docs/clock.md)"},
      {"replay", "RUN_DIR", "play a run of `test --clock game` again and compare its pictures (docs/clock.md)"},
      {"prompt", "TARGET", "print what models would be asked about a game, and its cost at most; nothing is sent"},
      {"budget", "", "list what models have cost"},
      {"memory", "", "show, export, import or forget what runs have taught about games"},
      {"plan", "", "make, run and watch a project whose tasks are complete when their tests pass (docs/plans.md)"},
      {"serve",
       "",
       "play runs that clients ask for over HTTP (docs/service.md)",
       {Place::serve, Place::event, Place::shared}},
      {"lambda", "", "play the events of an AWS Lambda function (docs/service.md)", {Place::event, Place::shared}},
      {"trust", "[DIR]", "use the project files of a folder from now on, as they are (docs/trust.md)", {Place::trust}},
      {"spec", "DIR", "run the Lua specs (*_spec.lua) of a folder"},
  };
  return rows;
}

void add_options(CLI::App& app, Place place, ParsedOptions& parsed) {
  for (const OptionRow& row : option_rows(parsed)) {
    if (row.place != place) continue;
    if (auto* const* flag = std::get_if<bool*>(&row.target)) {
      app.add_flag(row.names, **flag);
    } else if (auto* const* list = std::get_if<std::vector<std::string>*>(&row.target)) {
      app.add_option(row.names, **list)->allow_extra_args(false);
    } else if (std::string(row.names).find('{') != std::string::npos) {
      app.add_flag(row.names, *std::get<std::string*>(row.target));
    } else {
      app.add_option(row.names, *std::get<std::string*>(row.target))->allow_extra_args(false);
    }
  }
}

void add_options_of(CLI::App& app, std::string_view command, ParsedOptions& parsed) {
  for (const CommandRow& row : command_rows()) {
    if (row.name != command) continue;
    for (const Place place : row.places) add_options(app, place, parsed);
  }
}

std::vector<std::string> given_words(Place place, ParsedOptions& parsed) {
  std::vector<std::string> words;
  const auto add = [&](const OptionRow& row, const std::string& value) {
    if (value.empty()) return;
    const std::string kind = row.value;
    const bool is_path = kind == "DIR" || kind == "FILE" || kind == "PATH";
    const bool is_in_file = value.front() == '@' && kind.ends_with("|@FILE");
    std::string word = is_path ? std::filesystem::absolute(value).string() : value;
    if (is_in_file) word = "@" + std::filesystem::absolute(value.substr(1)).string();
    words.push_back(long_name(row) + "=" + word);
  };
  for (const OptionRow& row : option_rows(parsed)) {
    if (row.place != place) continue;
    if (auto* const* flag = std::get_if<bool*>(&row.target)) {
      if (**flag) words.push_back(long_name(row));
    } else if (auto* const* list = std::get_if<std::vector<std::string>*>(&row.target)) {
      for (const std::string& value : **list) add(row, value);
    } else {
      add(row, *std::get<std::string*>(row.target));
    }
  }
  return words;
}

std::string option_lines(Place place) {
  std::string lines;
  for (const OptionRow& row : shown_rows()) {
    if (row.place != place) continue;
    const std::string value = row.value;
    const bool attached = value.empty() || value.front() == '[';
    lines += described(shown_name(row) + (attached ? value : " " + value), row.help);
  }
  return lines;
}

std::string command_lines() {
  std::string lines;
  for (const CommandRow& row : command_rows()) {
    lines += described(row.name + std::string(*row.arguments ? " " : "") + row.arguments, row.help);
  }
  return lines;
}

std::string option_names_text(Place place) {
  std::string text, line = " ";
  for (const OptionRow& row : shown_rows()) {
    if (row.place != place) continue;
    const std::string name = " " + long_name(row) + ",";
    if (line.size() + name.size() > kLineEnd) text += std::exchange(line, " ") + "\n";
    line += name;
  }
  line.pop_back();
  return text + line + "\n";
}

std::string tables_text() {
  std::string text;
  for (const OptionRow& row : shown_rows()) {
    text += fmt::format("option\t{}\t{}\t{}\t{}\n", name_of(row.place), row.names, row.value, row.help);
  }
  for (const CommandRow& row : command_rows()) {
    text += fmt::format("command\t{}\t{}\t{}\t", row.name, row.arguments, row.help);
    for (const Place place : row.places) text += std::string(name_of(place)) + " ";
    text += "\n";
  }
  return text;
}

}  // namespace qa
