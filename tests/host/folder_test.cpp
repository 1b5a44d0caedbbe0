#include "host/folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/tree_snapshot.h"
#include "tests/support/live_page.h"

using namespace qa;
using namespace qa::test;
namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void put(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::size_t count_of(const fs::path& folder) {
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) count += entry.is_regular_file() ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a file is written whole, keeps its mode, and leaves nothing else", "[folder]") {
  TempFolder scratch;
  const fs::path root = scratch.path();
  put(root / "run.sh", "old");
  fs::permissions(root / "run.sh", fs::perms(0755));
  const auto folder = Folder::open(root);
  REQUIRE(folder);
  CHECK(folder->write("run.sh", "new", 0));
  CHECK(folder->write("deep/er/file", std::string("a\0b", 3)));
  CHECK(read(root / "run.sh") == "new");
  CHECK((fs::status(root / "run.sh").permissions() & fs::perms(0777)) == fs::perms(0755));
  CHECK(read(root / "deep/er/file") == std::string("a\0b", 3));
  CHECK(count_of(root) == 2);
  fs::create_directory(root / "taken");
  CHECK(folder->write("taken", "a file now"));
  CHECK(read(root / "taken") == "a file now");
  CHECK_FALSE(folder->write("deep", "not over a folder that holds something"));
  CHECK(count_of(root) == 3);
}

TEST_CASE("names lead nowhere else, and no link is followed", "[folder]") {
  TempFolder scratch, elsewhere;
  const auto folder = Folder::open(scratch.path());
  REQUIRE(folder);
  fs::create_directory_symlink(elsewhere.path(), fs::path(scratch.path()) / "out");
  for (const char* name : {"", "..", "../x", "/etc/x", "a/../x", "a//x", "out/x"}) {
    CAPTURE(name);
    CHECK_FALSE(folder->write(name, "x"));
    CHECK_FALSE(folder->append(name, "x"));
  }
  CHECK(count_of(elsewhere.path()) == 0);
  put(fs::path(elsewhere.path()) / "kept", "k");
  CHECK_FALSE(folder->remove("out/kept"));
  CHECK(read(fs::path(elsewhere.path()) / "kept") == "k");
}

TEST_CASE("lines are appended, files removed, and a lock keeps others out", "[folder]") {
  TempFolder scratch;
  const auto folder = Folder::open(scratch.path() + "/new/one", true);
  REQUIRE(folder);
  CHECK(folder->append("journal", "one\n"));
  CHECK(folder->append("journal", "two\n"));
  CHECK(read(scratch.path() + "/new/one/journal") == "one\ntwo\n");
  CHECK(folder->remove("journal"));
  CHECK(folder->remove("journal"));
  CHECK(folder->remove("no/such"));
  {
    const auto lock = folder->lock("lock");
    REQUIRE(lock);
    const auto second = folder->lock("lock");
    REQUIRE_FALSE(second);
    CHECK(second.error().kind == ErrorKind::store_locked);
  }
  CHECK(folder->lock("lock"));
}

TEST_CASE("a snapshot names what is there, and gives it back", "[folder]") {
  TempFolder scratch;
  const fs::path root = fs::path(scratch.path()) / "project";
  const std::string objects = scratch.path() + "/objects";
  put(root / "src/a.txt", "a");
  put(root / "tests/run.sh", "exit 1\n");
  fs::permissions(root / "tests/run.sh", fs::perms(0755));
  put(root / "node_modules/x", "left out");
  put(root / "src/a.pyc", "left out");
  fs::create_symlink("a.txt", root / "src/link");
  const auto before = snapshot_tree(root, objects, {"node_modules", "*.pyc"});
  REQUIRE(before);
  REQUIRE(before->size() == 3);
  CHECK(before->at(0).path == "src/a.txt");
  CHECK(before->at(1).is_link);
  CHECK(before->at(2).mode == 0755);

  fs::remove_all(root / "tests");
  fs::create_directory_symlink("/tmp", root / "tests");
  put(root / "src/a.txt", "changed");
  fs::remove(root / "src/link");
  CHECK_FALSE(restore_entry(root, objects, before->at(2)));  // Not through a link to somewhere else.
  fs::remove(root / "tests");
  for (const TreeEntry& entry : *before) CHECK(restore_entry(root, objects, entry));
  const auto after = snapshot_tree(root, objects, {"node_modules", "*.pyc"});
  REQUIRE(after);
  REQUIRE(after->size() == before->size());
  for (std::size_t i = 0; i < before->size(); ++i) {
    CHECK(after->at(i).path == before->at(i).path);
    CHECK(after->at(i).sha256 == before->at(i).sha256);
    CHECK(after->at(i).mode == before->at(i).mode);
  }
}

TEST_CASE("bytes that are not what they were are not given back", "[folder]") {
  TempFolder scratch;
  const fs::path root = fs::path(scratch.path()) / "project";
  const std::string objects = scratch.path() + "/objects";
  put(root / "a", "a");
  const auto before = snapshot_tree(root, objects, {});
  REQUIRE(before);
  put(fs::path(objects) / before->at(0).sha256, "b");
  CHECK_FALSE(restore_entry(root, objects, before->at(0)));
  TreeEntry odd = before->at(0);
  odd.sha256 = "../../etc/passwd";
  CHECK_FALSE(restore_entry(root, objects, odd));
}
