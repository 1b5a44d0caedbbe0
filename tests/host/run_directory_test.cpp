#include "host/run_directory.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace fs = std::filesystem;
using qa::RunDirectory;

namespace {

/// A temporary folder that goes away with the test.
struct Scratch {
  fs::path path;
  Scratch() {
    std::string name = (fs::temp_directory_path() / "qa-run-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()));
    path = fs::canonical(name);
  }
  ~Scratch() { fs::remove_all(path); }
};

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

int mode_of(const fs::path& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return info.st_mode & 0777;
}

std::unique_ptr<RunDirectory> make(const fs::path& parent) {
  auto run = RunDirectory::create(parent.string(), "My Game!");
  REQUIRE(run);
  return std::move(*run);
}

bool is_io_error(const qa::Result<qa::Unit>& result) {
  return !result && result.error().kind == qa::ErrorKind::io_error && !result.error().message.empty();
}

}  // namespace

TEST_CASE("a run gets a private folder named by time, game and chance", "[run_directory]") {
  const Scratch scratch;
  const auto run = make(scratch.path / "made" / "on the way");
  const auto other = make(scratch.path / "made" / "on the way");
  const fs::path path = run->path();
  CHECK(path.is_absolute());
  CHECK(path.parent_path() == scratch.path / "made" / "on the way");
  CHECK(std::regex_match(path.filename().string(), std::regex("\\d{8}T\\d{6}Z-my-game-[0-9a-f]{6}")));
  CHECK(run->path() != other->path());
  CHECK(mode_of(path) == 0700);
  CHECK(mode_of(path / "trace.jsonl") == 0600);
  CHECK_FALSE(fs::exists(path / "browser"));
  CHECK(run->browser_path() == path / "browser");
  CHECK(mode_of(run->browser_path()) == 0700);
}

TEST_CASE("a run cannot be kept where nothing can be written", "[run_directory]") {
  const Scratch scratch;
  std::ofstream(scratch.path / "file") << "x";
  for (const std::string& parent : {std::string("/"), std::string("/tmp/.."), (scratch.path / "file").string(),
                                    (scratch.path / "file" / "below").string(), std::string("/proc/nowhere")}) {
    const auto run = RunDirectory::create(parent, "game");
    INFO(parent);
    REQUIRE_FALSE(run);
    CHECK(run.error().kind == qa::ErrorKind::io_error);
  }
}

TEST_CASE("journal lines are read back in order without a torn last one", "[run_directory]") {
  const Scratch scratch;
  const auto run = make(scratch.path);
  REQUIRE(run->append(R"({"seq":1})"));
  REQUIRE(run->append(R"({"seq":2})"));
  std::ofstream(fs::path(run->path()) / "trace.jsonl", std::ios::app) << R"({"seq":3,"to)";
  const auto reopened = RunDirectory::open(run->path());
  REQUIRE(reopened);
  CHECK((*reopened)->path() == run->path());
  CHECK(*(*reopened)->read_journal() == "{\"seq\":1}\n{\"seq\":2}\n");
  CHECK(is_io_error((*reopened)->append("{}")));
  CHECK(is_io_error(run->append("{}\n{}")));
}

TEST_CASE("the journal survives a killed process", "[run_directory]") {
  const Scratch scratch;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    auto run = RunDirectory::create(scratch.path.string(), "killed");
    if (run) (*run)->append(R"({"seq":1})");
    if (run) (*run)->append(R"({"seq":2})");
    ::raise(SIGKILL);
  }
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  const auto run = RunDirectory::open(fs::directory_iterator(scratch.path)->path().string());
  REQUIRE(run);
  CHECK(*(*run)->read_journal() == "{\"seq\":1}\n{\"seq\":2}\n");
}

TEST_CASE("what is not a run directory is not opened", "[run_directory]") {
  const Scratch scratch;
  CHECK_FALSE(RunDirectory::open(scratch.path.string()));
  CHECK_FALSE(RunDirectory::open((scratch.path / "missing").string()));
}

TEST_CASE("publishing replaces a file as a whole and leaves nothing else", "[run_directory]") {
  const Scratch scratch;
  const auto run = make(scratch.path);
  REQUIRE(run->publish("report.json", std::string(100000, 'a')));
  REQUIRE(run->publish("report.json", "{}"));
  REQUIRE(run->publish("shots/deep/1.png", std::string_view("\x89P\0G", 4)));
  const fs::path path = run->path();
  CHECK(read(path / "report.json") == "{}");
  CHECK(read(path / "shots/deep/1.png") == std::string("\x89P\0G", 4));
  CHECK(mode_of(path / "report.json") == 0600);
  CHECK(mode_of(path / "shots/deep") == 0700);
  CHECK(std::distance(fs::recursive_directory_iterator(path), {}) == 5);
}

TEST_CASE("publishing never leaves the run directory nor touches the journal", "[run_directory]") {
  const Scratch scratch;
  const auto run = make(scratch.path);
  const std::string zero("a\0b", 3);
  for (const std::string& name : {std::string(), std::string("/etc/x"), std::string("../x"), std::string("a/../../x"),
                                  std::string("a//b"), std::string("a/"), std::string("."), std::string("./x"), zero,
                                  std::string("trace.jsonl"), std::string(300, 'n')}) {
    INFO(name);
    CHECK(is_io_error(run->publish(name, "x")));
  }
  fs::create_directory(scratch.path / "outside");
  fs::create_directory_symlink(scratch.path / "outside", fs::path(run->path()) / "link");
  CHECK(is_io_error(run->publish("link/x", "x")));
  CHECK(fs::is_empty(scratch.path / "outside"));
  std::ofstream(scratch.path / "victim") << "kept";
  fs::create_symlink(scratch.path / "victim", fs::path(run->path()) / "report.json");
  REQUIRE(run->publish("report.json", "new"));
  CHECK(read(scratch.path / "victim") == "kept");
}

TEST_CASE("a failed publication leaves no temporary file", "[run_directory]") {
  const Scratch scratch;
  const auto run = make(scratch.path);
  fs::create_directories(fs::path(run->path()) / "report.json" / "in_the_way");
  CHECK(is_io_error(run->publish("report.json", "x")));
  CHECK(std::distance(fs::directory_iterator(run->path()), {}) == 2);
}

TEST_CASE("a full disk leaves whole journal lines only", "[run_directory]") {
  const Scratch scratch;
  const pid_t child = ::fork();  // A file size limit stands in for the disk; it is for a process of its own.
  REQUIRE(child >= 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    auto run = RunDirectory::create(scratch.path.string(), "full");
    if (!run || !(*run)->append(std::string(20, '1'))) ::_exit(1);
    const rlimit limit = {100, 100};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(3);
    if ((*run)->append(std::string(200, '2'))) ::_exit(4);
    if (!(*run)->append(std::string(20, '3'))) ::_exit(5);
    ::_exit(*(*run)->read_journal() == std::string(20, '1') + "\n" + std::string(20, '3') + "\n" ? 0 : 6);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("a slug is short, plain and never empty", "[run_directory]") {
  CHECK(qa::slug("2048: The Game") == "2048-the-game");
  CHECK(qa::slug("http://127.0.0.1:8080/a_b/") == "http-127-0-0-1-8080-a-b");
  CHECK(qa::slug("../../etc") == "etc");
  CHECK(qa::slug("日本語") == "game");
  CHECK(qa::slug("") == "game");
  CHECK(qa::slug(std::string(50, 'x')) == std::string(40, 'x'));
  CHECK(qa::slug(std::string(39, 'x') + "-y") == std::string(39, 'x'));
}
