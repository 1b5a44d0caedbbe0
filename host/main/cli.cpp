#include "host/main/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

#include "host/llm/cassette.h"
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

/// Option values as typed; checked after CLI11 has split the words.
struct RawOptions {
  std::string code, max_duration, seed, jobs, allow_process;
  std::vector<std::string> settings;
  bool help = false, version = false, unsupervised = false;
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

void add_shared_options(CLI::App& app, Invocation& run, RawOptions& raw) {
  app.set_help_flag();
  app.add_flag("-h,--help", raw.help);
  app.add_option("--browser", run.browser);
  app.add_flag("--headed", run.headed);
  app.add_option("--out", run.out);
  app.add_option("--max-duration", raw.max_duration);
  app.add_flag("--jit", run.jit);
  app.add_option("--budget", run.budget);
  app.add_option("--model", run.model);
  app.add_option("--endpoint", run.endpoint);
  app.add_option("--cassette", run.cassette);
  app.add_option("--cassette-mode", run.cassette_mode);
  app.add_option("--ca-file", run.ca_file);
  app.add_option("--state", run.state);
  app.add_option("--share", run.share);
  app.add_flag("--no-supervisor", raw.unsupervised);
  app.add_flag("--allow-process{*}", raw.allow_process);
}

void add_test_options(CLI::App& app, Invocation& run, RawOptions& raw) {
  app.add_option("targets", run.targets);
  app.add_option("-j,--jobs", raw.jobs);
  app.add_option("--strategy", run.strategy);
  app.add_option("--metadata", run.metadata);
  app.add_option("--set", raw.settings)->allow_extra_args(false);
  app.add_option("--seed", raw.seed);
  app.add_option("--reporter", run.reporter);
  app.add_flag("--watch", run.watch);
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

/// "*" allows any program, else names with commas between them.
void allow_programs(Invocation& run, const std::string& names) {
  run.allow_process.emplace();
  for (std::size_t begin = 0; names != "*" && begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    if (end == begin) throw UsageError("--allow-process: expected names with commas between them, got '" + names + "'");
    run.allow_process->push_back(names.substr(begin, end - begin));
    begin = end + 1;
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

void check_shared_options(Invocation& run, const RawOptions& raw) {
  run.supervised = !raw.unsupervised;
  if (!raw.allow_process.empty()) allow_programs(run, raw.allow_process);
  check_models(run);
  if (raw.max_duration.empty()) return;
  run.max_duration_ms = parse_duration_ms(raw.max_duration);
  if (!run.max_duration_ms) {
    throw UsageError("--max-duration: expected a time like 90s, 4m or 250ms, got '" + raw.max_duration + "'");
  }
}

void check_test_options(Invocation& run, const RawOptions& raw) {
  if (run.targets.empty()) throw UsageError("test: name a target: a URL, a folder or an .html file");
  if (run.reporter != "list" && run.reporter != "json") {
    throw UsageError("--reporter: expected 'list' or 'json', got '" + run.reporter + "'");
  }
  if (!raw.jobs.empty()) run.jobs = static_cast<int>(parse_number("-j", raw.jobs, 1, kMostJobs));
  if (!raw.seed.empty()) run.seed = parse_number("--seed", raw.seed, 0, kLargestSeed);
  for (const std::string& setting : raw.settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError("--set: expected key=value, got '" + setting + "'");
    }
    run.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  if (!run.max_duration_ms) run.max_duration_ms = kTestDurationMs;
}

/// `test WORDS`. `run` holds what options before the word said.
CommandLine parse_test(Invocation run, const std::vector<std::string>& words, const RawOptions& before) {
  CLI::App app;
  RawOptions raw;
  raw.unsupervised = before.unsupervised;
  raw.max_duration = before.max_duration;
  raw.allow_process = before.allow_process;
  app.allow_extras();
  add_shared_options(app, run, raw);
  add_test_options(app, run, raw);
  parse_words(app, words);
  if (raw.help) return EarlyExit{0, help_text("test")};
  for (const std::string& extra : app.remaining()) {
    throw UsageError("test: unknown option '" + extra + "'" + did_you_mean(extra, option_names(app)));
  }
  run.action = Invocation::Action::test;
  run.name = "test";
  check_shared_options(run, raw);
  check_test_options(run, raw);
  return run;
}

bool asks_for_help(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](const auto& word) { return word == "--help" || word == "-h"; });
}

CommandLine parse_diff(Invocation run) {
  CLI::App app;
  app.set_help_flag();
  std::vector<std::string> files;
  std::string metric = "exact", threshold;
  app.add_option("files", files);
  app.add_option("--metric", metric);
  app.add_option("--threshold", threshold);
  app.add_flag("--antialias", run.diff.antialias);
  app.add_option("--highlight", run.diff.highlight);
  parse_words(app, run.arguments);
  if (files.size() != 2) throw UsageError("diff: expected two image files: qa-host diff A B");
  if (metric != "exact" && metric != "yiq") throw UsageError("--metric is exact or yiq, got '" + metric + "'");
  if (!threshold.empty()) {
    const auto value = parse_share(threshold);
    if (!value) throw UsageError("--threshold is a number from 0 to 1, got '" + threshold + "'");
    run.diff.threshold = *value;
  }
  run.diff.perceived = metric == "yiq";
  if (!run.diff.perceived && (!threshold.empty() || run.diff.antialias)) {
    throw UsageError("--threshold and --antialias belong to --metric yiq");
  }
  run.diff.a = files[0];
  run.diff.b = files[1];
  run.action = Invocation::Action::diff;
  run.supervised = false;
  return run;
}

UsageError unknown_word(const std::string& word, const std::string& share) {
  if (word.find("://") != std::string::npos || exists(word)) {
    return UsageError("'" + word + "' is not a command or a Lua file (to play it: qa-host test " + word + ")");
  }
  return UsageError("unknown command '" + word + "'" + did_you_mean(word, command_names(share)) +
                    "; see qa-host --help");
}

/// The first word that is no option decides: test, diff, a Lua file, or a command file.
CommandLine parse_word(Invocation run, std::vector<std::string> words, const RawOptions& raw) {
  const std::string word = words.front();
  words.erase(words.begin());
  if (word == "test") return parse_test(std::move(run), words, raw);
  run.name = word;
  run.arguments = std::move(words);
  if (word == "help" && run.arguments.empty()) return EarlyExit{0, help_text("")};
  if (word == "help") return parse_word(run, {run.arguments.front(), "--help"}, raw);
  const bool is_path = word.find('/') != std::string::npos || word.ends_with(".lua");
  if (is_path && word.find("://") == std::string::npos && !exists(word)) throw UsageError(word + ": no such file");
  if (is_path && is_file(word)) return run;
  if (word == "diff" && asks_for_help(run.arguments)) return EarlyExit{0, help_text(word)};
  if (word == "diff") return parse_diff(std::move(run));
  const std::string file = "scripts/commands/" + word + ".lua";
  if (!is_path && (is_file(run.share + "/" + file) || is_file(file))) {
    run.action = Invocation::Action::command;
    take_allow_process(run);
    if (word == "check" || word == "doctor") run.supervised = false;
    return run;
  }
  if (is_file(word)) return run;
  throw unknown_word(word, run.share);
}

CommandLine parse_all(std::vector<std::string> words, const std::string& share) {
  CLI::App app;
  Invocation run;
  RawOptions raw;
  add_shared_options(app, run, raw);
  app.add_flag("--version", raw.version);
  CLI::Option* code = app.add_option("-e", raw.code)->allow_extra_args(false);
  app.prefix_command();
  parse_words(app, std::move(words));
  if (run.share.empty()) run.share = share;
  if (raw.help) return EarlyExit{0, help_text("")};
  if (raw.version) return EarlyExit{0, "qa-host " QA_VERSION "\n"};
  check_shared_options(run, raw);
  std::vector<std::string> rest = app.remaining();
  if (code->count() > 0) {
    run.action = Invocation::Action::code;
    run.name = raw.code;
    run.arguments = std::move(rest);
    run.supervised = false;
    return run;
  }
  if (rest.empty()) return EarlyExit{3, help_text("")};
  if (rest.front().starts_with("-")) {
    throw UsageError("unknown option '" + rest.front() + "'" + did_you_mean(rest.front(), option_names(app)) +
                     "; see qa-host --help");
  }
  return parse_word(std::move(run), std::move(rest), raw);
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

CommandLine parse_command_line(std::vector<std::string> words, const std::string& share) {
  try {
    return parse_all(std::move(words), share);
  } catch (const UsageError& error) {
    return EarlyExit{3, "qa-host: " + terminal_safe(error.what()) + "\n"};
  }
}

}  // namespace qa
