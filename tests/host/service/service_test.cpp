#include "host/service/service.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "host/sha256.h"
#include "tests/support/fault_server.h"
#include "tests/support/http_fixture.h"
#include "tests/support/raw_client.h"

using namespace qa;
using namespace qa::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string kToken = "a-token-of-the-tests";

// What plays a run here: a shell in place of `qa-host test`, called with --out DIR --event FILE. `tests/e2e` has the
// real one.
const std::string kFails =
    R"(echo "[ 0.0 s] playing" >&2; mkdir "$2/run"; echo '{"status":"fail"}' > "$2/run/report.json";
  echo x > "$2/run/trace.jsonl"; exit 1)";
const std::string kCrashes = "kill -SEGV $$";
const std::string kRefuses = R"(echo '{"statusCode":400,"body":"{\"error\":\"no strategy nonesuch\"}"}'; exit 3)";
/// Goes on until it is told to end, and then leaves a report.
const std::string kWaits = R"(trap 'kill $!; mkdir "$2/run"; echo {} > "$2/run/report.json"; exit 143' TERM
  sleep 600 & echo waiting >&2; wait)";

struct Site {
  fs::path folder;
  EventLoop loop;
  ServiceOptions options;
  std::unique_ptr<Service> service;
  std::thread thread;
  std::promise<void> drained;

  explicit Site(const std::string& script) {
    std::string name = (fs::temp_directory_path() / "qa-service-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()));
    folder = name;
    options.token_file = secret("token", kToken);
    options.folder = (folder / "runs").string();
    options.words = {"/bin/sh", "-c", script, "sh"};
    options.limit = std::chrono::seconds(60);
    options.queue = 2;
  }
  ~Site() {
    if (thread.joinable()) {
      loop.post([this] { loop.stop(); });
      thread.join();
    }
    service.reset();
    fs::remove_all(folder);
  }
  std::string secret(const std::string& name, const std::string& text, mode_t mode = 0600) const {
    std::ofstream(folder / name) << text << "\n";
    ::chmod((folder / name).c_str(), mode);
    return (folder / name).string();
  }
  void start() {
    auto started = Service::start(loop, options);
    if (!started) FAIL(started.error().message);
    service = std::move(*started);
    thread = std::thread([this] { loop.run(); });
  }
  std::string call(const std::string& method, const std::string& target, const std::string& body = "",
                   const std::string& fields = "Authorization: Bearer " + kToken + "\r\n") const {
    RawClient client(service->port());
    client.send(method + " " + target + " HTTP/1.1\r\n" + fields +
                "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\nConnection: close\r\n\r\n" + body);
    return client.read_all();
  }
  json fields(const std::string& answer) const { return json::parse(body_of(answer)); }
  std::string post(const std::string& config = "{}") const {
    const std::string answer =
        call("POST", "/runs", R"({"gameUrl": "http://game.example/", "config": )" + config + "}");
    return status_of(answer) == 202 ? fields(answer).at("id").get<std::string>() : answer;
  }
  /// Every event of the run, until it is over.
  std::string events(const std::string& id) const { return body_of(call("GET", "/runs/" + id + "/events")); }
  json record(const std::string& id) const { return fields(call("GET", "/runs/" + id)); }
  void drain() {
    loop.post([this] { service->drain([this] { drained.set_value(); }); });
  }
};

/// The events of a run up to the first that holds `mark`.
std::string watch(const Site& site, const std::string& id, const std::string& mark) {
  RawClient client(site.service->port());
  client.send("GET /runs/" + id + "/events HTTP/1.1\r\nAuthorization: Bearer " + kToken + "\r\n\r\n");
  return client.read_until(mark);
}

}  // namespace

TEST_CASE("a run is asked for, watched and fetched", "[service]") {
  Site site(kFails);
  site.start();
  const std::string id = site.post();
  const std::string events = site.events(id);
  CHECK_THAT(events, Catch::Contains("id: 1\nevent: state\ndata: {"));
  CHECK_THAT(events, Catch::Contains("event: progress\ndata: {\"line\":\"[ 0.0 s] playing\"}\n\n"));
  CHECK_THAT(events, Catch::Contains("id: end\nevent: state\n"));
  const json record = site.record(id);
  CHECK(record.at("state") == "done");
  CHECK(record.at("result").at("status") == "fail");
  CHECK(record.at("result").at("exit_code") == 1);
  CHECK_FALSE(record.contains("webhook"));
  CHECK(site.fields(site.call("GET", "/runs/" + id + "/report")).at("status") == "fail");
  CHECK(status_of(site.call("GET", "/runs/" + id + "/files/report.json")) == 200);
  for (const char* name : {"trace.jsonl", "./trace.jsonl", "../run.json", "%2e%2e/event.json", "", "nothing"}) {
    CAPTURE(name);
    CHECK(status_of(site.call("GET", "/runs/" + id + "/files/" + name)) == 404);
  }
  CHECK(status_of(site.call("GET", "/runs/" + id + "/events", "",
                            "Authorization: Bearer " + kToken + "\r\nLast-Event-ID: end\r\n")) == 204);
  CHECK(status_of(site.call("DELETE", "/runs/" + id)) == 200);
  const std::string metrics = body_of(site.call("GET", "/metrics"));
  CHECK_THAT(metrics, Catch::Contains("qa_host_runs_total{state=\"done\",status=\"fail\"} 1\n"));
  CHECK_THAT(metrics, Catch::Contains("qa_host_run_duration_seconds_count 1\n"));
  CHECK_THAT(metrics, Catch::Contains("qa_host_http_requests_total{code=\"202\"} 1\n"));
}

TEST_CASE("nobody gets in without the token", "[service]") {
  Site site(kFails);
  site.start();
  for (const char* target : {"/runs", "/runs/0123456789abcdef", "/metrics", "/"}) {
    for (const std::string fields :
         {"", "Authorization: Bearer wrong\r\n", "Authorization: Basic a-token-of-the-tests\r\n",
          "Authorization: Bearer a-token-of-the-test\r\n", "Authorization: Bearer a-token-of-the-testsx\r\n",
          "Authorization: Bearer \r\n"}) {
      CAPTURE(target, fields);
      const std::string answer = site.call("GET", target, "", fields);
      CHECK(status_of(answer) == 401);
      CHECK(has_line(answer, "WWW-Authenticate: Bearer"));
    }
  }
  CHECK(status_of(site.call("GET", "/healthz", "", "")) == 200);
  CHECK(status_of(site.call("GET", "/metrics", "", "authorization: bearer " + kToken + "\r\n")) == 200);
}

TEST_CASE("requests that are none are refused", "[service]") {
  Site site(kFails);
  site.start();
  const std::string bearer = "Authorization: Bearer " + kToken + "\r\n";
  CHECK(status_of(site.call("GET", "/nothing")) == 404);
  CHECK(status_of(site.call("GET", "/runs/0123456789abcdef")) == 404);
  CHECK(status_of(site.call("GET", "/runs/../runs")) == 404);
  CHECK(status_of(site.call("GET", "/runs/")) == 404);
  CHECK(has_line(site.call("GET", "/runs"), "Allow: POST"));
  CHECK(status_of(site.call("PUT", "/runs/" + site.post())) == 405);
  CHECK(status_of(site.call("POST", "/runs", "{\"gameUrl\": 1}")) == 400);
  CHECK(status_of(site.call("POST", "/runs", std::string(5000, '['))) == 400);
  CHECK_THAT(site.call("POST", "/runs", R"({"gameUrl": "http://169.254.169.254/latest"})"),
             Catch::Contains("--allow-origin http://169.254.169.254"));
  CHECK_THAT(site.post(R"({"webhook": "https://ci.example/"})"), Catch::Contains("--webhook-secret-file"));
  RawClient client(site.service->port());
  client.send("POST /runs HTTP/1.1\r\n" + bearer + "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}");
  CHECK(status_of(client.read_answer()) == 415);
  client.send("POST /runs HTTP/1.1\r\n" + bearer + "Content-Length: 1073741824\r\n\r\n");
  CHECK(status_of(client.read_answer()) == 413);
}

TEST_CASE("what does not fit into the queue is refused, and what waits can be cancelled", "[service]") {
  Site site(kWaits);
  site.start();
  const std::string first = site.post();
  watch(site, first, "waiting");
  const std::string second = site.post(), third = site.post(), fourth = site.post();
  CHECK(status_of(fourth) == 429);
  CHECK(has_line(fourth, "Retry-After: 5"));
  CHECK(site.record(second).at("state") == "queued");
  CHECK(status_of(site.call("GET", "/runs/" + first + "/report")) == 409);
  CHECK(site.fields(site.call("DELETE", "/runs/" + third)).at("state") == "not_run");
  CHECK(status_of(site.call("DELETE", "/runs/" + first)) == 202);
  CHECK_THAT(site.events(first), Catch::Contains("\"state\":\"cancelled\""));
  CHECK(status_of(site.call("GET", "/runs/" + first + "/report")) == 200);
  CHECK(status_of(site.call("GET", "/runs/" + third + "/report")) == 404);
  watch(site, second, "waiting");
  CHECK(site.record(second).at("state") == "running");
}

TEST_CASE("a run that crashes, or is refused, is not run; the service goes on", "[service]") {
  Site crash(kCrashes);
  crash.start();
  const std::string id = crash.post();
  crash.events(id);
  CHECK(crash.record(id).at("state") == "not_run");
  CHECK_THAT(crash.record(id).at("reason").get<std::string>(), Catch::Contains("exit code 139"));
  CHECK(status_of(crash.call("GET", "/healthz")) == 200);
  Site refusal(kRefuses);
  refusal.start();
  const std::string other = refusal.post();
  refusal.events(other);
  CHECK(refusal.record(other).at("reason") == "no strategy nonesuch");
}

TEST_CASE("a service that drains ends what runs and starts nothing", "[service]") {
  Site site(kWaits);
  site.start();
  const std::string running = site.post(), waiting = site.post();
  watch(site, running, "waiting");
  site.drain();
  CHECK_THAT(site.events(waiting), Catch::Contains("\"state\":\"not_run\""));
  CHECK(status_of(site.post()) == 503);
  CHECK(status_of(site.call("GET", "/healthz")) == 503);
  CHECK(site.drained.get_future().wait_for(std::chrono::seconds(0)) == std::future_status::timeout);
  site.loop.post([&] { site.service->cancel_all(); });
  CHECK_THAT(site.events(running), Catch::Contains("\"state\":\"cancelled\""));
}

TEST_CASE("a service that starts again reports what it had accepted", "[service]") {
  Site site(kWaits);
  site.start();
  const std::string running = site.post(), waiting = site.post();
  watch(site, running, "waiting");
  ServiceOptions second = site.options;
  const auto locked = Service::start(site.loop, second);
  REQUIRE_FALSE(locked);
  CHECK(locked.error().kind == ErrorKind::store_locked);
  site.loop.post([&] { site.loop.stop(); });
  site.thread.join();
  site.service.reset();
  Site again(kFails);
  again.options.folder = site.options.folder;
  again.start();
  for (const std::string& id : {running, waiting}) {
    CHECK(again.record(id).at("state") == "not_run");
    CHECK(again.record(id).at("reason") == "the service ended before the run did");
  }
}

TEST_CASE("the end of a run is told to its webhook, signed, until it is heard", "[service]") {
  std::vector<std::string> heads, bodies;
  FaultServer receiver([&](Peer& peer) {
    for (std::string request = peer.request(); !request.empty(); request = peer.request()) {
      const std::size_t end = request.find("\r\n\r\n");
      heads.push_back(request.substr(0, end + 4));
      bodies.push_back(request.substr(end + 4));
      peer.send(heads.size() == 1 ? "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n" : answer_with("{}"));
    }
  });
  Site site(kFails);
  site.options.webhook_secret_file = site.secret("webhook", "a-secret-of-the-tests");
  site.options.allowed_origins = {receiver.url("")};
  site.start();
  CHECK_THAT(site.post(R"({"webhook": "http://127.0.0.1:1/"})"), Catch::Contains("private address"));
  CHECK_THAT(site.post(R"({"webhook": "http://ci.example/"})"), Catch::Contains("https"));
  const std::string id = site.post(R"({"webhook": ")" + receiver.url("/hook") + "\"}");
  site.events(id);
  site.drain();
  site.drained.get_future().wait();
  REQUIRE(heads.size() == 2);
  CHECK(bodies[0] == bodies[1]);
  CHECK(json::parse(bodies[1]).at("state") == "done");
  const auto value = [&](const std::string& name) {
    const std::size_t at = heads[1].find(name + ": ") + name.size() + 2;
    return heads[1].substr(at, heads[1].find('\r', at) - at);
  };
  CHECK(value("X-QA-Host-Signature") ==
        "sha256=" + hmac_sha256_hex("a-secret-of-the-tests", value("X-QA-Host-Timestamp") + "." + bodies[1]));
}

TEST_CASE("secrets are kept by files that others cannot read", "[service]") {
  const Site site("");
  CHECK(*read_secret(site.options.token_file, "the token") == kToken);
  const auto fault = [&](const std::string& path) { return read_secret(path, "the token").error().message; };
  CHECK_THAT(fault(site.secret("open", kToken, 0644)), Catch::Contains("chmod 600"));
  CHECK_THAT(fault(site.secret("group", kToken, 0640)), Catch::Contains("chmod 600"));
  CHECK_THAT(fault(site.secret("short", "fifteen-bytes--")), Catch::Contains("16"));
  CHECK_THAT(fault(site.secret("blank", "two words of a secret")), Catch::Contains("blanks"));
  CHECK_THAT(fault(site.folder.string()), Catch::Contains("no file"));
  CHECK_THAT(fault((site.folder / "none").string()), Catch::Contains("cannot be read"));
}
