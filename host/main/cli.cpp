#include "host/main/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "host/llm/cassette.h"
#include "host/llm/model_options.h"
#include "host/main/option_table.h"
#include "host/money/money.h"
#include "host/text.h"

namespace qa {
namespace {

constexpr std::int64_t kDayMs = 24 * 3600 * 1000LL;
constexpr std::int64_t kTestDurationMs = 240 * 1000;
constexpr std::int64_t kLargestSeed = 1LL << 53;  // Lua numbers are doubles.
constexpr int kMostJobs = 64;

/// A usage error: travels to parse_command_line, which turns it into exit code 3.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(word, known.data(), known.size());
  return nearest.empty() ? "" : " (did you mean '" + nearest + "'?)";
}

bool is_file(const std::string& path) {
  std::error_code failed;
  return std::filesystem::is_regular_file(path, failed);
}

bool exists(const std::string& path) {
  std::error_code failed;
  return std::filesystem::exists(path, failed);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

void parse_words(CLI::App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back.
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
}

std::int64_t parse_number(const std::string& option, const std::string& text, std::int64_t least, std::int64_t most) {
  const bool digits = !text.empty() && text.size() <= 16 &&
                      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  const std::int64_t value = digits ? std::strtoll(text.c_str(), nullptr, 10) : -1;
  if (value < least || value > most) {
    throw UsageError(option + ": expected a number from " + std::to_string(least) + " to " + std::to_string(most) +
                     ", got '" + text + "'");
  }
  return value;
}

/// A number from 0 to 1.
std::optional<double> parse_share(const std::string& text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 1)) return std::nullopt;
  return value;
}

void check_models(const Invocation& run) {
  if (!run.budget.empty() && !parse_dollars(run.budget)) {
    throw UsageError("--budget: expected dollars such as 0.50, got '" + run.budget + "'");
  }
  if (!run.cassette_mode.empty() && !cassette_mode_named(run.cassette_mode)) {
    throw UsageError("--cassette-mode is record, replay or refresh, got '" + run.cassette_mode + "'");
  }
  if (!run.cassette_mode.empty() && run.cassette.empty()) throw UsageError("--cassette-mode needs --cassette DIR");
}

/// What can be said before files are read. The values themselves are in no message.
void check_credentials(const CredentialWords& words) {
  for (const std::string& word : words.headers) {
    if (const std::string why = header_fault(word); !why.empty()) throw UsageError("--header: " + why);
  }
  const std::string& basic = words.basic_auth;
  if (!basic.empty() && !basic.starts_with('@') && basic.find(':', 1) == basic.npos) {
    throw UsageError("--basic-auth: expected USER:PASSWORD or @FILE");
  }
}

/// "*" allows any program, else names with commas between them.
void allow_programs(Invocation& run, const std::string& names) {
  run.allow_process.emplace();
  if (names == "*") return;
  for (const std::string_view name : split(names, ',')) {
    if (name.empty()) throw UsageError("--allow-process: expected names with commas between them, got '" + names + "'");
    run.allow_process->emplace_back(name);
  }
}

/// Behind the name of a command the option counts as well; scripts keep every word behind theirs.
void take_allow_process(Invocation& run) {
  const std::string flag = "--allow-process";
  std::erase_if(run.arguments, [&](const std::string& word) {
    if (word != flag && !word.starts_with(flag + "=")) return false;
    allow_programs(run, word == flag ? "*" : word.substr(flag.size() + 1));
    return true;
  });
}

/// Which project files the run may use. Needs --trust, --state and --share.
void decide_project(Invocation& run) {
  auto decided = decide_trust(run.trusted, state_folder(run.state), run.share);
  if (!decided) throw UsageError("--trust: " + decided.error().message);
  run.project = std::move(*decided);
}

/// A run has one browser: of this machine, or a remote one.
void check_browser(const Invocation& run) {
  std::string given;
  for (const auto& [name, is_given] : {std::pair{"--browser", !run.browser.empty()},
                                       {"--headed", run.headed && run.browser.empty()},
                                       {"--cdp", !run.cdp.empty()},
                                       {"--grid", !run.grid.empty()},
                                       {"--browserbase", !run.browserbase.empty()}}) {
    if (!is_given) continue;
    if (!given.empty()) throw UsageError(given + " and " + name + ": a run has one browser, name one of them");
    given = name;
  }
}

void check_shared_options(ParsedOptions& parsed) {
  Invocation& run = parsed.run;
  run.supervised = !parsed.unsupervised;
  if (!parsed.allow_process.empty()) allow_programs(run, parsed.allow_process);
  check_models(run);
  check_browser(run);
  check_credentials(run.credentials);
  if (parsed.max_duration.empty()) return;
  run.max_duration_ms = parse_duration_ms(parsed.max_duration);
  if (!run.max_duration_ms) {
    throw UsageError("--max-duration: expected a time like 90s, 4m or 250ms, got '" + parsed.max_duration + "'");
  }
}

/// What an event says, flags do not say again.
void check_event(const ParsedOptions& parsed) {
  const Invocation& run = parsed.run;
  const bool is_alone = run.targets.empty() && run.strategy.empty() && run.metadata.empty() && parsed.seed.empty() &&
                        parsed.settings.empty();
  if (!is_alone) throw UsageError("--event: the event names target, strategy, metadata, seed and options");
  if (!run.supervised) throw UsageError("--event needs its supervisor; leave out --no-supervisor");
}

void check_test_options(ParsedOptions& parsed) {
  Invocation& run = parsed.run;
  if (!run.event.empty()) check_event(parsed);
  if (run.event.empty() && run.targets.empty())
    throw UsageError("test: name a target: a URL, a folder or an .html file");
  if (run.reporter != "list" && run.reporter != "json") {
    throw UsageError("--reporter: expected 'list' or 'json', got '" + run.reporter + "'");
  }
  if (!run.clock.empty() && run.clock != "real" && run.clock != "game" && run.clock != "auto") {
    throw UsageError("--clock: expected 'real', 'game' or 'auto', got '" + run.clock + "'");
  }
  if (run.tape != "disk" && run.tape != "memory") {
    throw UsageError("--tape: expected 'disk' or 'memory', got '" + run.tape + "'");
  }
  if (!parsed.jobs.empty()) run.jobs = static_cast<int>(parse_number("-j", parsed.jobs, 1, kMostJobs));
  if (!parsed.seed.empty()) run.seed = parse_number("--seed", parsed.seed, 0, kLargestSeed);
  for (const std::string& setting : parsed.settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError("--set: expected key=value, got '" + setting + "'");
    }
    run.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  if (!run.max_duration_ms) run.max_duration_ms = kTestDurationMs;
}

/// The shared options for the runs that a command starts; each has a folder and a time of its own.
std::vector<std::string> words_for_runs(ParsedOptions parsed) {
  parsed.run.out.clear();
  parsed.max_duration.clear();
  return given_words(OptionRow::Place::shared, parsed);
}

/// Reads the words behind the name of a command that plays; true when it is asked for help.
bool read_words(const std::string& command, const std::vector<std::string>& words, ParsedOptions& parsed) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  if (command == "test") app.add_option("targets", parsed.run.targets);
  add_options_of(app, command, parsed);
  parse_words(app, words);
  if (parsed.help) return true;
  for (const std::string& extra : app.remaining()) {
    throw UsageError(command + ": unknown option '" + extra + "'" + did_you_mean(extra, option_names(app)));
  }
  check_shared_options(parsed);
  parsed.run.name = command;
  return false;
}

/// `test WORDS`. `parsed` holds what options before the word said.
CommandLine parse_test(ParsedOptions parsed, const std::vector<std::string>& words) {
  if (read_words("test", words, parsed)) return EarlyExit{0, help_text("test")};
  parsed.run.action = Invocation::Action::test;
  check_test_options(parsed);
  decide_project(parsed.run);
  if (!parsed.run.event.empty()) parsed.run.run_words = words_for_runs(parsed);
  return parsed.run;
}

/// `serve WORDS` and `lambda WORDS`.
CommandLine parse_service(ParsedOptions parsed, const std::string& word, const std::vector<std::string>& words) {
  if (read_words(word, words, parsed)) return EarlyExit{0, help_text(word)};
  const bool is_serve = word == "serve";
  Invocation& run = parsed.run;
  if (!run.supervised) throw UsageError(word + " plays each run in a process of its own; leave out --no-supervisor");
  if (is_serve && parsed.port.empty()) throw UsageError("serve: say where to listen with --port");
  if (is_serve && run.service.token_file.empty()) throw UsageError("serve: name the --token-file");
  if (is_serve) run.service.port = static_cast<int>(parse_number("--port", parsed.port, 0, 65535));
  if (!parsed.service_jobs.empty()) {
    run.service.jobs = static_cast<std::size_t>(parse_number("--jobs", parsed.service_jobs, 1, kMostJobs));
  }
  if (!parsed.queue.empty())
    run.service.queue = static_cast<std::size_t>(parse_number("--queue", parsed.queue, 1, 10'000));
  if (!run.max_duration_ms) run.max_duration_ms = kTestDurationMs;
  run.run_words = words_for_runs(parsed);
  run.action = is_serve ? Invocation::Action::serve : Invocation::Action::lambda;
  run.supervised = false;
  return run;
}

bool asks_for_help(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](const auto& word) { return word == "--help" || word == "-h"; });
}

CommandLine parse_diff(ParsedOptions parsed) {
  CLI::App app;
  app.set_help_flag();
  Invocation& run = parsed.run;
  std::vector<std::string> files;
  app.add_option("files", files);
  add_options_of(app, "diff", parsed);
  parse_words(app, run.arguments);
  if (files.size() != 2) throw UsageError("diff: expected two image files: qa-host diff A B");
  if (parsed.metric != "exact" && parsed.metric != "yiq")
    throw UsageError("--metric is exact or yiq, got '" + parsed.metric + "'");
  if (!parsed.threshold.empty()) {
    const auto value = parse_share(parsed.threshold);
    if (!value) throw UsageError("--threshold is a number from 0 to 1, got '" + parsed.threshold + "'");
    run.diff.options.threshold = *value;
  }
  if (parsed.metric == "yiq") run.diff.options.metric = Metric::yiq;
  if (run.diff.options.metric == Metric::exact && (!parsed.threshold.empty() || run.diff.options.antialias)) {
    throw UsageError("--threshold and --antialias belong to --metric yiq");
  }
  run.diff.options.highlight = !run.diff.highlight.empty();
  run.diff.a = files[0];
  run.diff.b = files[1];
  run.action = Invocation::Action::diff;
  run.supervised = false;
  return run;
}

CommandLine parse_trust(ParsedOptions parsed) {
  CLI::App app;
  app.set_help_flag();
  Invocation& run = parsed.run;
  std::vector<std::string> folders;
  app.add_option("folder", folders);
  add_options_of(app, "trust", parsed);
  parse_words(app, run.arguments);
  if (folders.size() > 1 || (run.trust.list && (run.trust.revoke || !folders.empty()))) {
    throw UsageError("trust: expected one folder, or --list alone; see qa-host trust --help");
  }
  if (!folders.empty()) run.trust.folder = folders[0];
  run.action = Invocation::Action::trust;
  run.supervised = false;
  return run;
}

UsageError unknown_word(const std::string& word, const Invocation& run) {
  if (word.find("://") != std::string::npos || exists(word)) {
    return UsageError("'" + word + "' is not a command or a Lua file (to play it: qa-host test " + word + ")");
  }
  const std::string hint = did_you_mean(word, command_names(run.share, run.project.project));
  const std::string& left_out = run.project.left_out;
  return UsageError("unknown command '" + word + "'" + hint + "; see qa-host --help" +
                    (left_out.empty() ? "" : "; " + left_out));
}

/// The first word that is no option decides: test, diff, trust, a Lua file, or a command file.
CommandLine parse_word(ParsedOptions parsed, std::vector<std::string> words) {
  Invocation& run = parsed.run;
  const std::string word = words.front();
  words.erase(words.begin());
  if (word == "test") return parse_test(std::move(parsed), words);
  if (word == "serve" || word == "lambda") return parse_service(std::move(parsed), word, words);
  run.name = word;
  run.arguments = std::move(words);
  if (word == "help" && run.arguments.empty()) return EarlyExit{0, help_text("")};
  if (word == "help" && run.arguments.front() == "--tables") return EarlyExit{0, tables_text()};
  if (word == "help") return parse_word(parsed, {run.arguments.front(), "--help"});
  const bool is_path = word.find('/') != std::string::npos || word.ends_with(".lua");
  if (is_path && word.find("://") == std::string::npos && !exists(word)) throw UsageError(word + ": no such file");
  if ((word == "diff" || word == "trust") && asks_for_help(run.arguments)) return EarlyExit{0, help_text(word)};
  if (word == "diff") return parse_diff(std::move(parsed));
  if (word == "trust") return parse_trust(std::move(parsed));
  decide_project(run);
  if (is_path && is_file(word)) return run;
  const std::string own = run.project.project.path_of("scripts/commands"), file = "/" + word + ".lua";
  if (!is_path && (is_file(run.share + "/scripts/commands" + file) || (!own.empty() && is_file(own + file)))) {
    run.action = Invocation::Action::command;
    take_allow_process(run);
    if (word == "check" || word == "doctor") run.supervised = false;
    return run;
  }
  if (is_file(word)) return run;
  throw unknown_word(word, run);
}

CommandLine parse_all(std::vector<std::string> words, const std::string& share) {
  CLI::App app;
  ParsedOptions parsed;
  Invocation& run = parsed.run;
  app.set_help_flag();
  add_options(app, OptionRow::Place::shared, parsed);
  add_options(app, OptionRow::Place::top, parsed);
  app.prefix_command();
  parse_words(app, std::move(words));
  if (run.share.empty()) run.share = share;
  if (parsed.help) return EarlyExit{0, help_text("")};
  if (parsed.version) return EarlyExit{0, "qa-host " QA_VERSION "\n"};
  check_shared_options(parsed);
  std::vector<std::string> rest = app.remaining();
  if (app.count("-e") > 0) {
    run.action = Invocation::Action::code;
    run.name = parsed.code;
    run.arguments = std::move(rest);
    run.supervised = false;
    decide_project(run);
    return run;
  }
  if (rest.empty()) return EarlyExit{3, help_text("")};
  if (rest.front().starts_with("-")) {
    throw UsageError("unknown option '" + rest.front() + "'" + did_you_mean(rest.front(), option_names(app)) +
                     "; see qa-host --help");
  }
  return parse_word(std::move(parsed), std::move(rest));
}

}  // namespace

std::optional<std::int64_t> parse_duration_ms(const std::string& text) {
  const auto digits = static_cast<std::size_t>(
      std::find_if(text.begin(), text.end(), [](char c) { return c < '0' || c > '9'; }) - text.begin());
  if (digits == 0 || digits > 9) return std::nullopt;
  const std::string unit = text.substr(digits);
  const std::int64_t factor = unit == "ms" ? 1 : unit == "s" ? 1000 : unit == "m" ? 60000 : unit == "h" ? 3600000 : 0;
  const std::int64_t value = std::strtoll(text.c_str(), nullptr, 10) * factor;
  if (value <= 0 || value > kDayMs) return std::nullopt;
  return value;
}

std::string state_folder(const std::string& given) {
  const auto value = [](const std::string& name) {
    const char* text = std::getenv(name.c_str());
    return std::string(text == nullptr ? "" : text);
  };
  return given.empty() ? model_options_from(value).state : given;
}

CommandLine parse_command_line(std::vector<std::string> words, const std::string& share) {
  try {
    return parse_all(std::move(words), share);
  } catch (const UsageError& error) {
    return EarlyExit{3, "qa-host: " + terminal_safe(error.what()) + "\n"};
  }
}

}  // namespace qa
