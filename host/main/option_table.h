#pragma once
// What the command line understands, as tables: options and commands with the sentences that describe them. The parser
// (cli.cpp), help texts, the manual page and the completions of shells are made from these tables. A new option is one
// row here, and a field of Invocation.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/main/cli.h"

namespace CLI {
class App;
}

namespace qa {

/// What was typed, before it is checked: fields of the run that are words as they are, and words that become numbers,
/// durations or lists.
struct ParsedOptions {
  Invocation run;
  std::string code, max_duration, seed, jobs, allow_process, metric = "exact", threshold;
  std::string port, service_jobs, queue;
  std::vector<std::string> settings;
  bool help = false, version = false, unsupervised = false;
};

/// Where the words of an option go: a flag, the last value, or every value.
using OptionTarget = std::variant<bool*, std::string*, std::vector<std::string>*>;

struct OptionRow {
  /// shared and top: in front of a script or command; behind the name of a command those of its row.
  enum class Place { shared, top, test, diff, trust, serve, event } place;
  const char* names;  ///< As CLI11 reads them: "-j,--jobs"; help shows the first.
  const char* value;  ///< What stands for its value: "FILE", "DIR", "list|json" (one of these); "" for a flag.
  const char* help;   ///< One line, at most 90 characters.
  OptionTarget target;
};

struct CommandRow {
  const char* name;
  const char* arguments;  ///< "TARGET...", or "".
  const char* help;
  std::vector<OptionRow::Place> places = {};  ///< Of the options behind its name; command files read their own words.
};

/// All options; their values go into `parsed`.
std::vector<OptionRow> option_rows(ParsedOptions& parsed);
/// Every command that is shipped, the native ones included, in the order of the help.
const std::vector<CommandRow>& command_rows();

/// Teaches `app` the options of a place; their values go into `parsed`.
void add_options(CLI::App& app, OptionRow::Place place, ParsedOptions& parsed);

/// The same for all options behind the name of a command.
void add_options_of(CLI::App& app, std::string_view command, ParsedOptions& parsed);

/// The options of a place that were given, as words: "--name=value". Files and folders come as absolute paths.
std::vector<std::string> given_words(OptionRow::Place place, ParsedOptions& parsed);

/// The lines of a help text that describe the options of a place.
std::string option_lines(OptionRow::Place place);
std::string command_lines();
/// "--budget, --model, ...": the long names of the options of a place, in lines of at most 120 columns.
std::string option_names_text(OptionRow::Place place);

/// `qa-host help --tables`, for packaging/documents.lua: a line a row, with tabs between "option", place, names, value
/// and help, or between "command", name, arguments, help and the places of its options, with spaces between them.
std::string tables_text();

}  // namespace qa
