#include "host/net/target_credentials.h"

#include <catch2/catch.hpp>

#include "tests/support/live_page.h"

using namespace qa;
using qa::test::TempFolder;

namespace {

constexpr double kNow = 1.8e9;

TargetCredentials read(const CredentialWords& words, const std::string& target = "https://game.example/play") {
  auto found = read_credentials(words, target, kNow);
  if (!found) FAIL(found.error().message);
  return *found;
}

std::string refusal(const CredentialWords& words, const std::string& target = "https://game.example/play") {
  const auto found = read_credentials(words, target, kNow);
  return found ? "" : found.error().message;
}

std::vector<std::string> names(const TargetCredentials& found) {
  std::vector<std::string> list;
  for (const auto& cookie : found.cookies) list.push_back(cookie.name);
  return list;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("credentials are bound to the origin of the target", "[credentials]") {
  const CredentialWords words{{"X-Key: 1"}, "", ""};
  CHECK(read(words, "HTTPS://Game.Example:443/a?b").origin == "https://game.example");
  CHECK(read(words, "http://127.0.0.1:8080").origin == "http://127.0.0.1:8080");
  CHECK(read(words, "http://[::1]:80/x").origin == "http://[::1]");
  CHECK(read({}, "examples/games/clicker").origin.empty());
  for (const char* target : {"", "examples/games/clicker", "file:///etc/passwd", "https://user@game.example/"}) {
    CHECK_THAT(refusal(words, target), Catch::Contains("for an http or https URL"));
  }
}

TEST_CASE("a target without encryption is named, unless it is on this machine", "[credentials]") {
  const CredentialWords words{{}, "", "anna:sesame-opens"};
  CHECK(read(words, "http://127.0.0.1:1/").notes.empty());
  CHECK(read(words, "http://localhost:1/").notes.empty());
  CHECK(read(words, "https://game.example/").notes.empty());
  for (const char* target : {"http://game.example/", "http://127.game.example/"}) {
    REQUIRE(read(words, target).notes.size() == 1);
    CHECK_THAT(read(words, target).notes[0], Catch::Contains("unencrypted"));
  }
}

TEST_CASE("headers come from words and files", "[credentials]") {
  TempFolder folder;
  folder.write("headers", "# of the staging gate\r\nX-Gate:  a b \r\n\nAuthorization: Bearer tok:en\n");
  const auto found = read({{"X-One: 1", "@" + folder.path() + "/headers"}, "", ""});
  CHECK(found.headers == HttpHeaders{{"X-One", "1"}, {"X-Gate", "a b"}, {"Authorization", "Bearer tok:en"}});
}

TEST_CASE("what is wrong with a header is said without its value", "[credentials]") {
  TempFolder folder;
  folder.write("headers", "X-Good: 1\nsesame-opens\n");
  const std::string file = "@" + folder.path() + "/headers";
  for (const std::string& word :
       std::vector<std::string>{"X-Key", "X Key: sesame-opens", ": sesame-opens", "X-Key: sesame-opens\nX: y",
                                "X-Key:", "Cookie: sesame-opens", "host: sesame-opens", "@", "@/nowhere", file}) {
    const std::string said = refusal({{word}, "", ""});
    INFO(word);
    CHECK_THAT(said, Catch::StartsWith("--header: "));
    CHECK(said.find("sesame") == said.npos);
  }
  CHECK_THAT(refusal({{file}, "", ""}), Catch::Contains("headers:2: "));
  CHECK_THAT(refusal({{"Cookie: a=b"}, "", ""}), Catch::Contains("--cookie-file"));
}

TEST_CASE("a user and password come from the word or a file", "[credentials]") {
  TempFolder folder;
  folder.write("auth", "anna:se:same\r\nmore\n");
  folder.write("bad", "sesame-opens\n");
  CHECK(read({{}, "", "anna:"}).basic == std::make_pair(std::string("anna"), std::string()));
  CHECK(read({{}, "", "@" + folder.path() + "/auth"}).basic ==
        std::make_pair(std::string("anna"), std::string("se:same")));
  for (const std::string& word : std::vector<std::string>{"sesame-opens", ":sesame-opens", "@" + folder.path() + "/bad",
                                                          "@" + folder.path() + "/none", "@" + folder.path()}) {
    const std::string said = refusal({{}, "", word});
    CHECK_THAT(said, Catch::StartsWith("--basic-auth: "));
    CHECK(said.find("sesame") == said.npos);
  }
}

TEST_CASE("a cookie jar gives the cookies that the target's host would get", "[credentials]") {
  TempFolder folder;
  folder.write("jar",
               "# Netscape HTTP Cookie File\n"
               "game.example\tFALSE\t/\tTRUE\t0\thost\tv1\n"
               "#HttpOnly_.example\tTRUE\t/play\tFALSE\t1900000000\twide\tv2\n"
               ".game.example\tTRUE\t/\tFALSE\t0\tdotted\t\n"
               "example\tFALSE\t/\tFALSE\t0\tparent_only\tx\n"
               "other.game.example\tTRUE\t/\tFALSE\t0\tbelow\tx\n"
               "evilgame.example\tTRUE\t/\tFALSE\t0\tbeside\tx\n"
               "game.example\tFALSE\t/\tFALSE\t1700000000\told\tx\n");
  const auto found = read({{}, folder.path() + "/jar", ""});
  CHECK(names(found) == Words{"host", "wide", "dotted"});
  CHECK(found.cookies[1].is_http_only);
  CHECK(found.cookies[1].path == "/play");
  CHECK(found.cookies[1].expires_s == 1.9e9);
  CHECK_FALSE(found.cookies[0].expires_s);
  CHECK(found.notes ==
        Words{"--cookie-file: 3 of 7 cookies are for https://game.example; left out: of another host: 3, "
              "expired: 1, for https only: 0"});
  CHECK(names(read({{}, folder.path() + "/jar", ""}, "http://game.example")) == Words{"wide", "dotted"});
  CHECK_THAT(refusal({{}, folder.path() + "/jar", ""}, "https://nobody.test"),
             Catch::Contains("no cookie for https://nobody.test"));
  folder.write("address", ".1\tTRUE\t/\tFALSE\t0\ta\tx\n");
  CHECK_THAT(refusal({{}, folder.path() + "/address", ""}, "http://127.0.0.1"), Catch::Contains("of another host: 1"));
}

TEST_CASE("a JSON list of cookies is read as browsers' tools write it", "[credentials]") {
  TempFolder folder;
  folder.write("extension", R"([{"domain":".example","expirationDate":1900000000.5,"hostOnly":false,"httpOnly":true,
    "name":"wide","path":"/","sameSite":"no_restriction","secure":true,"session":false,"value":"v1"},
    {"domain":"example","hostOnly":true,"name":"parent_only","value":"x"}])");
  folder.write("state", R"( {"cookies":[{"name":"a","value":"v","domain":"game.example","path":"/p","expires":-1,
    "httpOnly":false,"secure":false,"sameSite":"Lax"}],"origins":[]})");
  const auto found = read({{}, folder.path() + "/extension", ""});
  REQUIRE(names(found) == Words{"wide"});
  CHECK(found.cookies[0].same_site == "None");
  CHECK(found.cookies[0].expires_s == 1900000000.5);
  const auto state = read({{}, folder.path() + "/state", ""});
  REQUIRE(names(state) == Words{"a"});
  CHECK(state.cookies[0].same_site == "Lax");
  CHECK(state.cookies[0].path == "/p");
  CHECK_FALSE(state.cookies[0].expires_s);
}

TEST_CASE("what is wrong with a cookie file is said without its values", "[credentials]") {
  TempFolder folder;
  folder.write("short", "game.example\tFALSE\t/\tTRUE\t0\tsesame-opens\n");
  folder.write("torn", R"([{"name":"a","value":"sesame-opens")");
  folder.write("nameless", R"([{"value":"sesame-opens","domain":"game.example"}])");
  folder.write("other", R"({"sesame-opens":1})");
  folder.write("empty", "");
  folder.write("large", std::string((1 << 20) + 1, '#'));
  for (const char* name : {"short", "torn", "nameless", "other", "empty", "large", "none"}) {
    const std::string said = refusal({{}, folder.path() + "/" + name, ""});
    INFO(name);
    CHECK_THAT(said, Catch::StartsWith("--cookie-file: " + folder.path() + "/" + name));
    CHECK(said.find("sesame") == said.npos);
  }
}

TEST_CASE("secrets are named in the forms in which a page may show them", "[credentials]") {
  TempFolder folder;
  folder.write("jar", "game.example\tFALSE\t/\tTRUE\t0\tsid\tcook/ie\n");
  const auto found = read({{"Authorization: Bearer tok+en"}, folder.path() + "/jar", "anna:pass word"});
  CHECK_THAT(found.secrets(), Catch::UnorderedEquals(Words{"Bearer tok+en", "Bearer%20tok%2Ben", "tok+en", "tok%2Ben",
                                                           "cook/ie", "cook%2Fie", "pass word", "pass%20word",
                                                           "YW5uYTpwYXNzIHdvcmQ=", "YW5uYTpwYXNzIHdvcmQ%3D"}));
}
