#include "host/main/cli.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "host/main/option_table.h"
#include "host/main/supervisor.h"

namespace {

const std::string kShare = QA_SOURCE_DIR;

qa::Invocation accepted(std::vector<std::string> words) {
  const auto parsed = qa::parse_command_line(std::move(words), kShare);
  const auto* early = std::get_if<qa::EarlyExit>(&parsed);
  INFO((early ? early->text : ""));
  REQUIRE(early == nullptr);
  return std::get<qa::Invocation>(parsed);
}

std::string refused(std::vector<std::string> words) {
  const auto parsed = qa::parse_command_line(std::move(words), kShare);
  REQUIRE(std::holds_alternative<qa::EarlyExit>(parsed));
  CHECK(std::get<qa::EarlyExit>(parsed).code == 3);
  return std::get<qa::EarlyExit>(parsed).text;
}

}  // namespace

TEST_CASE("durations have a unit", "[cli]") {
  CHECK(qa::parse_duration_ms("250ms") == 250);
  CHECK(qa::parse_duration_ms("90s") == 90000);
  CHECK(qa::parse_duration_ms("4m") == 240000);
  CHECK(qa::parse_duration_ms("1h") == 3600000);
  for (const char* wrong : {"", "90", "s", "-5s", "0s", "1.5s", "5 s", "9999999999s", "25h", "5sec"}) {
    CAPTURE(wrong);
    CHECK_FALSE(qa::parse_duration_ms(wrong));
  }
}

TEST_CASE("credentials are taken as they are, and no refusal quotes a value", "[cli]") {
  const auto run = accepted({"test", "--header", "X-A: 1", "http://a/", "--header", "@file", "--cookie-file", "jar",
                             "--basic-auth", "anna:pass:word"});
  CHECK(run.credentials.headers == std::vector<std::string>{"X-A: 1", "@file"});
  CHECK(run.credentials.cookie_file == "jar");
  CHECK(run.credentials.basic_auth == "anna:pass:word");
  CHECK(run.targets == std::vector<std::string>{"http://a/"});
  CHECK_FALSE(accepted({"--header", "X-A: 1", "test", "http://a/"}).credentials.empty());
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--header", "X-A:", "sesame"},
                                                {"--header", "sesame"},
                                                {"--header", "Content-Length: sesame"},
                                                {"--basic-auth", "sesame"}}) {
    auto all = words;
    all.insert(all.begin(), "test");
    all.emplace_back("http://a/");
    CHECK(refused(all).find("sesame") == std::string::npos);
  }
}

TEST_CASE("C-001: test takes targets and options in any order", "[cli]") {
  const auto run = accepted({"test", "a", "--set", "x=1", "b", "-j", "3", "--set", "y=2=3", "--seed", "7", "--headed"});
  CHECK(run.targets == std::vector<std::string>{"a", "b"});
  CHECK(run.settings == std::vector<std::pair<std::string, std::string>>{{"x", "1"}, {"y", "2=3"}});
  CHECK(run.jobs == 3);
  CHECK(run.seed == 7);
  CHECK(run.headed);
  CHECK(run.supervised);
}

TEST_CASE("C-004: a test has a limit of 240 s unless another is given", "[cli]") {
  CHECK(accepted({"test", "a"}).max_duration_ms == 240000);
  CHECK(accepted({"test", "a", "--max-duration", "5s"}).max_duration_ms == 5000);
  CHECK_FALSE(accepted({"-e", "print(1)"}).max_duration_ms);
}

TEST_CASE("words after a script belong to the script", "[cli]") {
  const std::string script = std::string(QA_SOURCE_DIR) + "/scripts/types/qa.lua";
  const auto run = accepted({"--browser", "/b", script, "--headed", "-e", "x"});
  CHECK(run.action == qa::Invocation::Action::script);
  CHECK(run.browser == "/b");
  CHECK_FALSE(run.headed);
  CHECK(run.arguments == std::vector<std::string>{"--headed", "-e", "x"});
}

TEST_CASE("words after code are its arguments", "[cli]") {
  const auto run = accepted({"-e", "print(1)", "one", "--two"});
  CHECK(run.action == qa::Invocation::Action::code);
  CHECK(run.name == "print(1)");
  CHECK(run.arguments == std::vector<std::string>{"one", "--two"});
  CHECK_FALSE(run.supervised);
}

TEST_CASE("usage errors are one line that says what to write", "[cli]") {
  CHECK(refused({"tets"}) == "qa-host: unknown command 'tets' (did you mean 'test'?); see qa-host --help\n");
  CHECK(refused({"test", "a", "--haeded"}) == "qa-host: test: unknown option '--haeded' (did you mean '--headed'?)\n");
  CHECK_THAT(refused({"test", "a", "--set", "novalue"}), Catch::Contains("key=value"));
  CHECK_THAT(refused({"test", "a", "-j", "65"}), Catch::Contains("1 to 64"));
  CHECK_THAT(refused({"test", "a", "--seed", "9999999999999999"}), Catch::Contains("--seed"));
  CHECK_THAT(refused({"test", "a", "--strategy"}), Catch::Contains("--strategy"));
  CHECK_THAT(refused({"https://example.org/"}), Catch::Contains("qa-host test https://example.org/"));
  CHECK_THAT(refused({"nothing.lua"}), Catch::Contains("no such file"));
  CHECK_THAT(refused({"diff", "a"}), Catch::Contains("two image files"));
}

TEST_CASE("every command of scripts/commands can be named", "[cli]") {
  for (const auto& name : qa::command_names(kShare, {})) {
    CAPTURE(name);
    const std::set<std::string> native{"test", "diff", "trust", "serve", "lambda"};
    if (native.count(name) > 0) continue;
    CHECK(accepted({name, "x"}).action == qa::Invocation::Action::command);
  }
}

TEST_CASE("the help names every command that is shipped", "[cli]") {
  std::set<std::string> described;
  for (const auto& row : qa::command_rows()) described.insert(row.name);
  const auto names = qa::command_names(kShare, {});
  CHECK(described == std::set<std::string>(names.begin(), names.end()));
}

TEST_CASE("help has each option once, where it is understood", "[cli]") {
  std::set<std::string> seen;
  qa::ParsedOptions nowhere;
  for (const auto& row : qa::option_rows(nowhere)) {
    CAPTURE(row.names);
    CHECK(seen.insert(row.names).second);
    const std::string name = std::string(row.names).substr(0, std::string(row.names).find_first_of(",{"));
    using Place = qa::OptionRow::Place;
    const std::map<Place, const char*> topics{{Place::diff, "diff"},
                                              {Place::test, "test"},
                                              {Place::event, "test"},
                                              {Place::serve, "serve"},
                                              {Place::trust, "trust"}};
    const auto topic = topics.find(row.place);
    CHECK_THAT(qa::help_text(topic == topics.end() ? "" : topic->second), Catch::Contains("\n  " + name));
  }
  for (const char* topic : {"", "test", "diff", "trust", "serve", "lambda"}) {
    std::istringstream lines(qa::help_text(topic));
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 120);
  }
}

TEST_CASE("what completes words and fills the manual page has each row of the tables", "[cli]") {
  const auto parsed = qa::parse_command_line({"help", "--tables"}, kShare);
  const std::string text = "\n" + std::get<qa::EarlyExit>(parsed).text;
  qa::ParsedOptions nowhere;
  for (const auto& row : qa::option_rows(nowhere)) {
    CHECK_THAT(text, Catch::Contains(std::string("\t") + row.names + "\t" + row.value + "\t" + row.help + "\n"));
  }
  for (const auto& row : qa::command_rows()) {
    CHECK_THAT(text, Catch::Contains(std::string("\ncommand\t") + row.name + "\t" + row.arguments + "\t"));
  }
  CHECK_THAT(text, Catch::Contains("\noption\ttest\t--seed\t") && Catch::Contains("\noption\tshared\t--out\t"));
}

TEST_CASE("serve and lambda hand options on to their runs, paths made absolute", "[cli]") {
  const auto serve =
      accepted({"--budget", "0.20", "serve", "--port", "0", "--token-file", "t", "--out", "runs", "--jobs", "3",
                "--state", "s", "--max-duration", "60s", "--allow-origin", "http://10.0.0.5"});
  CHECK(serve.action == qa::Invocation::Action::serve);
  CHECK(serve.service.jobs == 3);
  CHECK(serve.out == "runs");
  CHECK(serve.allowed_origins == std::vector<std::string>{"http://10.0.0.5"});
  const auto with_header = accepted({"lambda", "--header", "@h", "--header", "A: b"}).run_words;
  CHECK(std::count(with_header.begin(), with_header.end(), "--header=@" + std::filesystem::absolute("h").string()) ==
        1);
  CHECK(std::count(with_header.begin(), with_header.end(), "--header=A: b") == 1);
  const auto& words = serve.run_words;
  CHECK(std::count(words.begin(), words.end(), "--budget=0.20") == 1);
  CHECK(std::count(words.begin(), words.end(), "--state=" + std::filesystem::absolute("s").string()) == 1);
  for (const auto& word : words) CHECK_FALSE((word.starts_with("--out") || word.starts_with("--max-duration")));
  CHECK(accepted({"lambda"}).action == qa::Invocation::Action::lambda);
  CHECK_THAT(refused({"serve", "--token-file", "t"}), Catch::Contains("--port"));
  CHECK_THAT(refused({"serve", "--port", "80"}), Catch::Contains("--token-file"));
  CHECK_THAT(refused({"serve", "--port", "65536", "--token-file", "t"}), Catch::Contains("65535"));
  CHECK_THAT(refused({"lambda", "--port", "1"}), Catch::Contains("unknown option"));
  CHECK(accepted({"test", "--event", "e.json"}).event == "e.json");
  CHECK_THAT(refused({"test", "--event", "e.json", "a"}), Catch::Contains("the event names"));
  CHECK_THAT(refused({"test", "--event", "e.json", "--set", "a=1"}), Catch::Contains("the event names"));
}

TEST_CASE("the worst of several exit codes follows 70, 4, 3, 1, 2, 0", "[supervisor]") {
  CHECK(qa::worse_exit_code(0, 2) == 2);
  CHECK(qa::worse_exit_code(2, 1) == 1);
  CHECK(qa::worse_exit_code(1, 2) == 1);
  CHECK(qa::worse_exit_code(3, 1) == 3);
  CHECK(qa::worse_exit_code(3, 4) == 4);
  CHECK(qa::worse_exit_code(70, 4) == 70);
  CHECK(qa::worse_exit_code(130, 70) == 130);
}

TEST_CASE("E-X6: --allow-process allows any program, or those named, also behind a command", "[cli]") {
  CHECK_FALSE(accepted({"doctor"}).allow_process);
  CHECK(accepted({"--allow-process", "doctor"}).allow_process == std::vector<std::string>{});
  CHECK(accepted({"--allow-process=make,pytest", "doctor"}).allow_process ==
        std::vector<std::string>{"make", "pytest"});
  const auto command = accepted({"doctor", "a", "--allow-process", "b"});
  CHECK(command.allow_process == std::vector<std::string>{});
  CHECK(command.arguments == std::vector<std::string>{"a", "b"});
  CHECK(accepted({"test", "x", "--allow-process"}).allow_process);
  CHECK(accepted({"--allow-process", "test", "x"}).allow_process);
  const auto code = accepted({"-e", "print(1)", "--allow-process"});
  CHECK(code.allow_process == std::vector<std::string>{});
  CHECK(refused({"--allow-process=a,,b", "doctor"}).find("--allow-process") != std::string::npos);
}
