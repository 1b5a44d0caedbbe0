#include "host/browser/tape.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>

#include "host/files.h"
#include "host/sha256.h"
#include "tests/support/live_page.h"

using namespace qa;
using namespace qa::test;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

TapeResponse answer(const std::string& body, HttpHeaders headers = {}, int status = 200) {
  TapeResponse response;
  response.status = status;
  response.headers = std::move(headers);
  response.body = std::make_shared<const std::string>(body);
  return response;
}

std::shared_ptr<Tape> open_tape(const TapeOptions& options) {
  auto tape = Tape::open(options);
  if (!tape) FAIL(tape.error().message);
  return *tape;
}

struct Disk {
  TempFolder above;
  std::string folder = above.path() + "/tape", index = folder + "/tape.jsonl";

  std::shared_ptr<Tape> open() const { return open_tape({folder}); }
  std::string text(const std::string& path) const {
    const auto read = read_file(path);
    return read ? *read : "";
  }
  void write(const std::string& path, const std::string& bytes) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  /// Three answers, of which the second and the third have one body.
  void fill() const {
    const auto tape = open();
    REQUIRE(tape->keep({"GET", "http://a.test/1", ""}, 1, answer("one")));
    REQUIRE(tape->keep({"GET", "http://a.test/2", ""}, 1, answer("two")));
    REQUIRE(tape->keep({"GET", "http://a.test/2", ""}, 2, answer("two")));
  }
  /// What opening says, "" when it works.
  std::string refusal() const {
    const auto tape = Tape::open({folder});
    if (tape) return "";
    CHECK(tape.error().kind == ErrorKind::trace_mismatch);
    return tape.error().message;
  }
  static mode_t mode(const std::string& path) {
    struct stat found {};
    REQUIRE(::stat(path.c_str(), &found) == 0);
    return found.st_mode & 0777;
  }
};

std::shared_ptr<const TapeResponse> known(const std::shared_ptr<Tape>& tape, const TapeRequest& request, int count) {
  return tape->slot(Tape::key_of(request), count).response;
}

}  // namespace

TEST_CASE("a tape that is read has what was put on it", "[tape]") {
  const Disk disk;
  const std::string bytes("\0\1\r\n\xff", 5);
  const TapeRequest picture{"GET", "http://a.test/p?x=1", ""}, post{"POST", "http://a.test/p?x=1", "score=3"};
  std::string sum, files;
  {
    const auto tape = disk.open();
    CHECK_FALSE(tape->was_there());
    CHECK(tape->asks_network());
    REQUIRE(tape->keep(picture, 1, answer(bytes, {{"X-A", "1"}, {"X-A", "2"}})));
    REQUIRE(tape->keep(picture, 2, answer("", {}, 404)));
    REQUIRE(tape->keep(post, 1, answer("posted")));
    TapeResponse failed;
    failed.failure = "ConnectionReset";
    REQUIRE(tape->keep({"GET", "http://a.test/gone", ""}, 1, failed));
    REQUIRE(tape->keep_file("http://127.0.0.1:8000/game.js", answer("let a")));
    sum = tape->sum();
    files = tape->files_sha256();
    CHECK(tape->entries() == 5);
    CHECK(tape->bytes() == 5 + 6 + 5);
  }
  const auto tape = disk.open();
  CHECK(tape->was_there());
  CHECK_FALSE(tape->asks_network());
  CHECK(tape->entries() == 5);
  CHECK(tape->bytes() == 5 + 6 + 5);
  CHECK(tape->answers() == 4);
  CHECK(tape->sum() == sum);
  CHECK(tape->files_sha256() == files);
  const auto first = known(tape, picture, 1);
  REQUIRE(first);
  CHECK(*first->body == bytes);
  CHECK(first->headers == HttpHeaders{{"X-A", "1"}, {"X-A", "2"}});
  CHECK(known(tape, picture, 2)->status == 404);
  CHECK_FALSE(known(tape, picture, 3));
  CHECK(*known(tape, post, 1)->body == "posted");
  CHECK_FALSE(known(tape, {"POST", post.url, "score=4"}, 1));
  CHECK(known(tape, {"GET", "http://a.test/gone", ""}, 1)->failure == "ConnectionReset");
  CHECK(*tape->file("http://127.0.0.1:8000/game.js")->body == "let a");
}

TEST_CASE("a tape that is read goes on where somebody wants more", "[tape]") {
  const Disk disk;
  disk.fill();
  {
    TapeOptions options{disk.folder};
    options.asks_network = true;
    const auto tape = open_tape(options);
    REQUIRE(tape->keep({"GET", "http://a.test/3", ""}, 1, answer("three")));
  }
  const auto tape = disk.open();
  CHECK(tape->entries() == 4);
  CHECK(known(tape, {"GET", "http://a.test/3", ""}, 1)->order == 3);
}

TEST_CASE("which build of a game was served does not depend on the port", "[tape]") {
  const auto served = [](const std::string& origin, const std::string& text) {
    const auto tape = open_tape({});
    tape->keep_file(origin + "/", answer("<script src=a.js>"));
    tape->keep_file(origin + "/a.js", answer(text));
    return tape->files_sha256();
  };
  CHECK(served("http://127.0.0.1:4000", "1") == served("http://127.0.0.1:5000", "1"));
  CHECK(served("http://127.0.0.1:4000", "1") != served("http://127.0.0.1:4000", "2"));
}

TEST_CASE("a tape on disk is for its owner alone", "[tape]") {
  const Disk disk;
  disk.fill();
  CHECK(Disk::mode(disk.folder) == 0700);
  CHECK(Disk::mode(disk.folder + "/bodies") == 0700);
  CHECK(Disk::mode(disk.index) == 0600);
  CHECK(Disk::mode(disk.folder + "/bodies/" + sha256_hex("one")) == 0600);
  CHECK(std::distance(fs::directory_iterator(disk.folder + "/bodies"), fs::directory_iterator()) == 2);
}

TEST_CASE("credentials of a game's own are not on the disk, and their entries are marked", "[tape]") {
  const Disk disk;
  const TapeRequest keyed{"GET", "http://a.test/p?x=visible&api_key=planted1&Token=planted2", ""};
  const auto tape = disk.open();
  REQUIRE(tape->keep(keyed, 1, answer("a")));
  REQUIRE(tape->keep({"GET", "http://a.test/login", ""}, 1,
                     answer("b", {{"set-cookie", "sid=planted3; Path=/; HttpOnly"}, {"Set-Cookie", "t=planted4"}})));
  REQUIRE(tape->keep({"GET", "http://a.test/mine", "", true}, 1, answer("c")));
  REQUIRE(tape->keep({"GET", "http://a.test/on", ""}, 1, answer("", {{"Location", "/next?token=kept"}}, 302)));
  REQUIRE(tape->keep({"GET", "http://a.test/open?level=3", ""}, 1, answer("d")));
  tape->note_gap(keyed.url, "it did not end");
  CHECK_THAT(tape->gaps().at(0).first, !Contains("planted"));
  const std::string text = disk.text(disk.index);
  CHECK_THAT(text, !Contains("planted"));
  CHECK_THAT(text, Contains("x=visible&api_key=left-out&Token=left-out"));
  CHECK_THAT(text, Contains("sid=left-out; Path=/; HttpOnly"));
  std::vector<bool> is_private;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) is_private.push_back(line.find("\"private\":true") != line.npos);
  CHECK(is_private == std::vector<bool>{true, true, true, true, false});
  // Those of this run get all of it, and it is found again.
  CHECK(known(tape, {"GET", "http://a.test/login", ""}, 1)->headers.at(1).second == "t=planted4");
  const auto read = disk.open();
  CHECK(known(read, keyed, 1));
  CHECK(known(read, {"GET", "http://a.test/on", ""}, 1)->headers.at(0).second == "/next?token=kept");
}

TEST_CASE("a damaged tape is refused, and the entry named with its offset", "[tape]") {
  const Disk disk;
  disk.fill();
  REQUIRE(disk.refusal().empty());
  const std::string text = disk.text(disk.index);
  const std::size_t second = text.find('\n') + 1, third = text.find('\n', second) + 1;
  const std::string one = text.substr(0, second), two = text.substr(second, third - second), three = text.substr(third);
  const std::string place = "at offset " + std::to_string(second) + " of " + disk.folder;
  SECTION("a byte") {
    std::string changed = text;
    changed[second + 30] = static_cast<char>(changed[second + 30] ^ 1);
    disk.write(disk.index, changed);
    CHECK_THAT(disk.refusal(), Contains("entry 2 " + place));
  }
  SECTION("an entry that is missing") {
    disk.write(disk.index, one + three);
    CHECK_THAT(disk.refusal(), Contains("entry 2 " + place));
  }
  SECTION("entries exchanged") {
    disk.write(disk.index, one + three + two);
    CHECK_THAT(disk.refusal(), Contains("entry 2 " + place));
  }
  SECTION("a torn end") {
    disk.write(disk.index, text.substr(0, text.size() - 1));
    CHECK_THAT(disk.refusal(), Contains("entry 3 at offset " + std::to_string(third)));
  }
  SECTION("another file") {
    disk.write(disk.index, "hello\n" + text);
    CHECK_THAT(disk.refusal(), Contains("entry 1 at offset 0"));
  }
  SECTION("lines of something else") {
    LineChain chain;
    disk.write(disk.index, chain.seal(R"({"op":"page:press"})") + "\n");
    CHECK_THAT(disk.refusal(), Contains("entry 1 at offset 0") && Contains("no entry of a tape"));
  }
  SECTION("a body that was changed") {
    disk.write(disk.folder + "/bodies/" + sha256_hex("two"), "twp");
    CHECK_THAT(disk.refusal(), Contains("entry 2 " + place) && Contains("of http://a.test/2 is damaged"));
  }
  SECTION("a body that is gone") {
    fs::remove(disk.folder + "/bodies/" + sha256_hex("two"));
    CHECK_THAT(disk.refusal(), Contains("entry 2 " + place) && Contains("cannot be read"));
  }
}

TEST_CASE("a tape names no file outside of its folder", "[tape]") {
  const Disk disk;
  disk.fill();
  disk.write(disk.above.path() + "/secret", "secret");
  LineChain chain;
  const std::string entry = R"({"key":"k","method":"GET","url":"u","count":1,"status":200,"headers":[],"order":0,)";
  disk.write(disk.index, chain.seal(entry + R"("body":"../../secret"})") + "\n");
  CHECK_THAT(disk.refusal(), Contains("cannot be read"));
}

TEST_CASE("a full tape keeps no more, and says so", "[tape]") {
  const auto tape = open_tape({"", 10});
  CHECK(tape->keep({"GET", "http://a.test/1", ""}, 1, answer("12345")));
  CHECK_FALSE(tape->keep({"GET", "http://a.test/2", ""}, 1, answer("123456")));
  CHECK_FALSE(known(tape, {"GET", "http://a.test/2", ""}, 1));
  CHECK(tape->keep({"GET", "http://a.test/3", ""}, 1, answer("12346")));
  // A body that is there already takes no room.
  CHECK(tape->keep({"GET", "http://a.test/4", ""}, 1, answer("12345")));
  CHECK(tape->bytes() == 10);
  REQUIRE(tape->gaps().size() == 1);
  CHECK(tape->gaps()[0].first == "http://a.test/2");
  CHECK_THAT(tape->gaps()[0].second, Contains("full"));
}

TEST_CASE("whoever waits for an answer hears of it once", "[tape]") {
  const auto tape = open_tape({});
  int told = 0;
  Tape::Slot& slot = tape->slot(Tape::key_of({"GET", "http://a.test/1", ""}), 1);
  slot.is_asked = true;
  slot.watchers.emplace_back([&] { ++told; });
  SECTION("when it comes") {
    tape->keep({"GET", "http://a.test/1", ""}, 1, answer("1"));
    CHECK(slot.response);
  }
  SECTION("when nobody asks any more") { tape->give_up(slot); }
  CHECK(told == 1);
  CHECK_FALSE(slot.is_asked);
  tape->give_up(slot);
  CHECK(told == 1);
}

TEST_CASE("a range is cut from a whole answer", "[tape]") {
  const TapeResponse whole = answer("0123456789", {{"Content-Type", "audio/wav"}});
  const auto cut = [&](const std::string& range) {
    const TapePart part = cut_range(whole, range);
    std::string text = std::to_string(part.status) + " " + part.body;
    for (const auto& [name, value] : part.headers) text += name == "Content-Range" ? " " + value : "";
    return text;
  };
  CHECK(cut("") == "200 0123456789");
  CHECK(cut("bytes=2-4") == "206 234 bytes 2-4/10");
  CHECK(cut("bytes=7-") == "206 789 bytes 7-9/10");
  CHECK(cut("bytes=-2") == "206 89 bytes 8-9/10");
  CHECK(cut("bytes=0-99") == "206 0123456789 bytes 0-9/10");
  CHECK(cut("bytes=10-") == "416  bytes */10");
  CHECK(cut("lines=1-2") == "200 0123456789");
  CHECK(cut_range(answer("gone", {}, 404), "bytes=1-2").status == 404);
}
