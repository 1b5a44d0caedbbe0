#include "host/trust.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "host/files.h"

using namespace qa;
namespace fs = std::filesystem;

namespace {

/// A project and a state folder; the working folder is the project meanwhile.
struct Folders {
  Folders() : before(fs::current_path()) {
    char name[] = "/tmp/qa-trust-XXXXXX";
    root = mkdtemp(name);
    project = root + "/project";
    state = root + "/state";
    write("strategies/mine.lua", "return {}");
    fs::current_path(project);
  }
  ~Folders() {
    fs::current_path(before);
    fs::remove_all(root);
  }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(project + "/" + name).parent_path());
    std::ofstream(project + "/" + name) << text;
  }
  TrustDecision decide(const std::string& named = "") const { return *decide_trust(named, state, root + "/share"); }
  Result<Project> record() const { return record_trust(state, project, root + "/share"); }

  fs::path before;
  std::string root, project, state;
};

}  // namespace

TEST_CASE("project files are left out and named until the folder is trusted", "[trust]") {
  Folders folders;
  CHECK(folders.decide().project.folder.empty());
  CHECK_THAT(folders.decide().left_out, Catch::StartsWith("not used: ./strategies: the folder is not trusted; "));
  CHECK(folders.decide().left_out.find("qa-host.lua") == std::string::npos);
  REQUIRE(folders.record());
  const TrustDecision decision = folders.decide();
  CHECK(decision.left_out.empty());
  CHECK(decision.project.path_of("strategies") == "./strategies");
  CHECK(decision.project.path_of("qa-host.lua").empty());
  CHECK(fs::status(folders.state + "/trust.json").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(*revoke_trust(folders.state, folders.project));
  CHECK_FALSE(*revoke_trust(folders.state, folders.project));
  CHECK_FALSE(folders.decide().left_out.empty());
}

TEST_CASE("any change takes the trust away: content, a new file, one that is gone", "[trust]") {
  Folders folders;
  folders.write("strategies/parts/one.lua", "return 1");
  REQUIRE(folders.record());
  REQUIRE(folders.decide().left_out.empty());
  SECTION("content") { folders.write("strategies/parts/one.lua", "return 2"); }
  SECTION("a new file") { folders.write("scripts/commands/new.lua", ""); }
  SECTION("a new name") { fs::rename("strategies/mine.lua", "strategies/other.lua"); }
  SECTION("a file less") { fs::remove("strategies/parts/one.lua"); }
  CHECK_THAT(folders.decide().left_out, Catch::Contains("(it changed since it was trusted)"));
  CHECK(folders.decide().project.folder.empty());
}

TEST_CASE("a file that changes between the decision and its use is refused", "[trust]") {
  Folders folders;
  REQUIRE(folders.record());
  const Project project = folders.decide().project;
  CHECK(project.refusal("./strategies/mine.lua", "return {}").empty());
  CHECK_THAT(project.refusal("./strategies/mine.lua", "return { }"), Catch::Contains("is not as it was"));
  CHECK_THAT(project.refusal("./strategies/new.lua", ""), Catch::Contains("was not there"));
  CHECK_THAT(project.refusal("./strategies/../strategies/mine.lua", "return {}"), Catch::Contains("was not there"));
  CHECK(project.refusal("./game/index.html", "").empty());
  CHECK(project.refusal("/elsewhere/strategies/mine.lua", "").empty());
  // For one run the user edits what they trust.
  CHECK(folders.decide(".").project.refusal("./strategies/mine.lua", "edited").empty());
}

TEST_CASE("--trust names the folder whose project files are used", "[trust]") {
  Folders folders;
  fs::create_directories(folders.root + "/other/strategies");
  const TrustDecision decision = folders.decide(folders.root + "/other");
  CHECK(decision.project.path_of("strategies") == folders.root + "/other/strategies");
  CHECK_THAT(decision.left_out, Catch::Contains("./strategies"));
  CHECK(folders.decide(".").left_out.empty());
  CHECK(decide_trust(folders.root + "/nowhere", folders.state, folders.root + "/share").error().kind ==
        ErrorKind::io_error);
}

TEST_CASE("what nobody can trust is refused, with its path", "[trust]") {
  Folders folders;
  const auto refused = [&](const std::string& why) {
    const auto recorded = folders.record();
    REQUIRE_FALSE(recorded);
    CHECK_THAT(recorded.error().message, Catch::Contains(why));
    CHECK_FALSE(decide_trust(".", folders.state, folders.root + "/share"));
  };
  SECTION("a link to elsewhere") {
    fs::create_symlink("/etc/passwd", "strategies/passwd");
    refused("strategies/passwd: is a link");
  }
  SECTION("a folder that is a link") {
    fs::create_directory_symlink("/etc", "strategies/etc");
    refused("strategies/etc: is a link");
  }
  SECTION("a link above the commands") {
    fs::create_directories(folders.root + "/elsewhere/commands");
    fs::create_directory_symlink(folders.root + "/elsewhere", "scripts");
    refused("/scripts: is a link");
  }
  SECTION("a named pipe") {
    REQUIRE(mkfifo("strategies/pipe", 0600) == 0);
    refused("strategies/pipe: is neither a file nor a folder");
  }
  SECTION("too many files") {
    for (int i = 0; i < 2001; ++i) folders.write("strategies/" + std::to_string(i), "");
    refused("more than 2000 project files");
  }
  SECTION("too many bytes") {
    folders.write("strategies/large", "");
    fs::resize_file("strategies/large", std::uintmax_t{33} << 20);
    refused("more than 32 MiB");
  }
}

TEST_CASE("a state folder inside the project cannot vouch for it", "[trust]") {
  Folders folders;
  REQUIRE(folders.record());
  fs::rename(folders.state, folders.project + "/state");
  folders.state = folders.project + "/state";
  CHECK_THAT(folders.decide().left_out, Catch::Contains("the state folder lies in it"));
  CHECK_FALSE(folders.record());
}

TEST_CASE("a list of trusted folders that is none is an error, and trusts nothing", "[trust]") {
  for (const char* text : {"", "[]", "{\"/a\": 1}", "{"}) {
    Folders folders;
    REQUIRE(write_file(folders.state + "/trust.json", text));
    CHECK(trust_records(folders.state).error().kind == ErrorKind::io_error);
    CHECK_FALSE(folders.record());
    CHECK_THAT(folders.decide().left_out, Catch::Contains("is no list of trusted folders"));
  }
}

TEST_CASE("the shipped folders are neither used nor named where they are the working folder's", "[trust]") {
  Folders folders;
  const auto decision = decide_trust("", folders.state, folders.project);
  REQUIRE(decision);
  CHECK(decision->left_out.empty());
}
