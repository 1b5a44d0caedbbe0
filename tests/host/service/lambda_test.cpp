#include "host/service/lambda.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/folder.h"
#include "host/net/static_files.h"
#include "host/service/run_queue.h"
#include "tests/support/fault_server.h"
#include "tests/support/http_fixture.h"

using namespace qa;
using namespace qa::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string kRoot = "/2018-06-01/runtime/invocation/";
const std::string kEvent = R"({"gameUrl": "http://game.example/"})";

struct Posted {
  std::string path, head;
  json body;
};

/// The runtime interface of Lambda: hands out events in order and keeps what is posted.
class RuntimeInterface {
 public:
  void add(const std::string& event, std::chrono::milliseconds left) {
    events_.push_back(
        answer_with(event, "Lambda-Runtime-Aws-Request-Id: id-" + std::to_string(events_.size() + 1) +
                               "\r\nLambda-Runtime-Deadline-Ms: " + std::to_string(unix_ms() + left.count()) + "\r\n"));
  }

  /// Plays all events with a program, until each has its answer.
  std::vector<Posted> play(std::vector<std::string> words, EventLoop& loop) {
    const std::size_t wanted = events_.size();
    FaultServer server([&](Peer& peer) {
      for (std::string request = peer.request(); !request.empty(); request = peer.request()) {
        if (request.starts_with("GET " + kRoot + "next ")) {
          if (events_.empty()) return peer.hold();
          peer.send(events_.front());
          events_.pop_front();
          continue;
        }
        const std::size_t end = request.find("\r\n\r\n");
        posted_.push_back({request.substr(5, request.find(' ', 5) - 5), request.substr(0, end + 2),
                           json::parse(request.substr(end + 4))});
        peer.send("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
        if (posted_.size() == wanted) loop.post([&] { loop.stop(); });
      }
    });
    const fs::path folder = fs::temp_directory_path() / ("qa-lambda-" + random_hex(4));
    LambdaOptions options;
    options.api = "127.0.0.1:" + std::to_string(server.port());
    options.folder = folder.string();
    options.words = std::move(words);
    options.limit = std::chrono::minutes(4);
    {
      const auto lambda = play_lambda_events(loop, options, [&](const std::string& why) {
        UNSCOPED_INFO(why);
        loop.stop();
      });
      loop.run();
    }
    fs::remove_all(folder);
    fs::remove_all(folder.string() + "-state");
    REQUIRE(posted_.size() == wanted);
    return posted_;
  }

 private:
  std::deque<std::string> events_;
  std::vector<Posted> posted_;
};

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script, "sh"}; }

}  // namespace

TEST_CASE("a bad request, a verdict, a crash: the loop answers each and goes on", "[lambda]") {
  EventLoop loop;
  RuntimeInterface api;
  api.add("{\"gameUrl\": 7}", std::chrono::minutes(2));
  api.add(kEvent, std::chrono::minutes(2));
  api.add(R"({"gameUrl": "http://crash.example/"})", std::chrono::minutes(2));
  api.add(kEvent, std::chrono::seconds(5));
  api.add(R"({"gameUrl": "http://garbage.example/"})", std::chrono::minutes(2));
  api.add(kEvent, std::chrono::minutes(2));
  // Called with --max-duration TIME --out DIR --event FILE.
  const std::string script = R"sh(case $(cat "$6") in *crash*) kill -SEGV $$ ;; *garbage*) echo '{"status' ;; esac
    printf '{"statusCode":200,"body":"%s %s"}\n' "$2" "$(ls "$4")")sh";
  const auto posted = api.play(shell(script), loop);
  CHECK(posted[0].path == kRoot + "id-1/response");
  CHECK(posted[0].body.at("statusCode") == 400);
  CHECK_THAT(posted[0].body.at("body").get<std::string>(), Catch::Contains("gameUrl"));
  CHECK(posted[1].path == kRoot + "id-2/response");
  CHECK(posted[1].body.at("statusCode") == 200);
  // The play ends before Lambda does; nothing of an earlier run is left.
  const auto said = posted[1].body.at("body").get<std::string>();
  CHECK(std::stoi(said) <= 112'000);
  CHECK(std::stoi(said) >= 60'000);
  CHECK_THAT(said, Catch::EndsWith("ms event.json"));
  for (const auto& [index, type] : std::vector<std::pair<std::size_t, std::string>>{
           {2, "QaHost.Crash"}, {3, "QaHost.Deadline"}, {4, "QaHost.Crash"}}) {
    CAPTURE(index);
    CHECK(posted[index].path == kRoot + "id-" + std::to_string(index + 1) + "/error");
    CHECK(posted[index].body.at("errorType") == type);
    CHECK_THAT(posted[index].head, Catch::Contains("\r\nLambda-Runtime-Function-Error-Type: " + type + "\r\n"));
  }
  CHECK(posted[5].body.at("statusCode") == 200);
}

TEST_CASE("a run that outlasts its time is killed before Lambda's deadline", "[lambda]") {
  EventLoop loop;
  RuntimeInterface api;
  api.add(kEvent, std::chrono::milliseconds(10'500));
  const auto posted = api.play(shell("sleep 600"), loop);
  CHECK(posted[0].path == kRoot + "id-1/error");
  CHECK(posted[0].body.at("errorType") == "QaHost.Deadline");
}

TEST_CASE("C-002: a game is played by the real program, and its report is the body", "[lambda]") {
  EventLoop loop;
  auto server = StaticServer::start(loop, std::string(QA_SOURCE_DIR) + "/examples/games/blank");
  REQUIRE(server);
  RuntimeInterface api;
  api.add(R"({"gameUrl": ")" + (*server)->origin() + R"(/", "config": {"options": {"ready_ms": 1500}}})",
          std::chrono::minutes(2));
  const std::string program = (fs::read_symlink("/proc/self/exe").parent_path() / "qa-host").string();
  REQUIRE(fs::exists(program));
  const auto posted = api.play({program, "test", "--allow-origin", (*server)->origin()}, loop);
  CHECK(posted[0].path == kRoot + "id-1/response");
  CHECK(posted[0].body.at("statusCode") == 200);
  const json report = json::parse(posted[0].body.at("body").get<std::string>());
  CHECK(report.at("status") == "fail");
  CHECK(report.at("metadata").at("gameUrl") == (*server)->origin() + "/");
}
