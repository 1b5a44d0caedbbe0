#include "host/service/run_event.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "host/service/origin_gate.h"

using namespace qa;

namespace {

std::string refused(const std::string& text) {
  const auto event = parse_run_event(text);
  REQUIRE_FALSE(event);
  return event.error().message;
}

std::string with_config(const std::string& config) {
  return R"({"gameUrl": "https://game.example/", "config": )" + config + "}";
}

std::string fault_of(const std::string& url, const std::vector<std::string>& allowed = {}) {
  const auto gate = OriginGate::make(allowed);
  REQUIRE(gate);
  const auto parsed = parse_http_url(url);
  REQUIRE(parsed);
  return gate->fault(*parsed);
}

}  // namespace

TEST_CASE("C-002: an event becomes words of qa-host test", "[run_event]") {
  const auto event = parse_run_event(R"({"gameUrl": "HTTPS://Game.Example:443/play?level=2#start",
    "metadata": {"id": "clicker", "inputSchema": {"type": "semantic", "content": "Click."}},
    "config": {"strategy": "adaptive", "maxDuration": 90000, "maxActions": 12, "maxBudget": 0.25, "seed": 7,
               "screenshotStrategy": "fixed", "llmCallStrategy": "eager",
               "options": {"interaction_ms": 3000, "isolate": true, "goal": "win / lose, score 1/2"},
               "webhook": "https://ci.example/hook"}})");
  if (!event) FAIL(event.error().message);
  CHECK(event->webhook == "https://ci.example/hook");
  CHECK(nlohmann::json::parse(event->metadata).at("id") == "clicker");
  CHECK(words_of(*event, 240'000) ==
        std::vector<std::string>{"https://game.example/play?level=2#start", "--max-duration=90000ms",
                                 "--strategy=adaptive", "--seed=7", "--set=model_calls=eager",
                                 "--set=limits.actions=12", "--set=limits.usd=0.25", "--set=goal=win / lose, score 1/2",
                                 "--set=interaction_ms=3000", "--set=isolate=true", "--set=screenshots=fixed"});
  CHECK(words_of(*event, 60'000).at(1) == "--max-duration=60000ms");
  const auto least = parse_run_event(R"({"gameUrl": "http://game.example"})");
  REQUIRE(least);
  CHECK(words_of(*least, 1000) == std::vector<std::string>{"http://game.example/", "--max-duration=1000ms"});
}

TEST_CASE("an event of API Gateway holds the event as text", "[run_event]") {
  const auto plain = parse_run_event(R"({"httpMethod": "POST", "body": "{\"gameUrl\": \"http://a.example/\"}"})");
  REQUIRE(plain);
  CHECK(plain->game_url == "http://a.example/");
  const auto coded = parse_run_event(
      R"({"isBase64Encoded": true, "body": "eyJnYW1lVXJsIjogImh0dHA6Ly9hLmV4YW1wbGUvIn0=", "headers": {}})");
  REQUIRE(coded);
  CHECK(coded->game_url == "http://a.example/");
  CHECK_THAT(refused(R"({"isBase64Encoded": true, "body": "%"})"), Catch::Contains("base64"));
  CHECK_THAT(refused(R"({"body": "not json"})"), Catch::Contains("JSON"));
}

TEST_CASE("a bad event is refused with the place of its fault", "[run_event]") {
  CHECK_THAT(refused(""), Catch::Contains("empty"));
  CHECK_THAT(refused("{"), Catch::Contains("JSON"));
  CHECK_THAT(refused("[]"), Catch::Contains("no JSON object"));
  CHECK_THAT(refused(std::string(100'000, '[')), Catch::Contains("deep"));
  CHECK_THAT(refused("{}"), Catch::Contains("gameUrl is missing"));
  CHECK_THAT(refused(R"({"gameURL": "http://a/"})"), Catch::Contains("did you mean 'gameUrl'"));
  for (const char* url :
       {"\"\"", "7", "null", "\"file:///etc/passwd\"", "\"examples/games/clicker\"", "\"chrome://gpu\"",
        "\"http://user:secret@a/\"", "\"http://127.0.0.1\\\\@a.example/\"", "\"http://a b/\"", "\"http:///127.0.0.1/\"",
        "\"http://%31%32%37.0.0.1/\"", "\"--help\"", "\"my_game.lua\""}) {
    CAPTURE(url);
    CHECK_THAT(refused(R"({"gameUrl": )" + std::string(url) + "}"), Catch::StartsWith("gameUrl"));
  }
  CHECK_THAT(refused(R"({"gameUrl": "http://a/", "metadata": "game.json"})"), Catch::Contains("metadata"));
  CHECK_THAT(refused(with_config(R"({"strategy": "../evil"})")), Catch::StartsWith("config.strategy"));
  CHECK_THAT(refused(with_config(R"({"strategy": "evil.lua"})")), Catch::StartsWith("config.strategy"));
  CHECK_THAT(refused(with_config(R"({"maxDuration": "90s"})")), Catch::StartsWith("config.maxDuration"));
  CHECK_THAT(refused(with_config(R"({"maxDuration": 1e300})")), Catch::StartsWith("config.maxDuration"));
  CHECK_THAT(refused(with_config(R"({"maxBudget": -1})")), Catch::StartsWith("config.maxBudget"));
  CHECK_THAT(refused(with_config(R"({"maxActoins": 1})")), Catch::Contains("did you mean 'maxActions'"));
  CHECK_THAT(refused(with_config(R"({"webhook": "ftp://a/"})")), Catch::StartsWith("config.webhook"));
  for (const char* value : {"\"/tmp/x\"", "\"standard, ./x\"", "\"x.lua\"", "\"a/../b\"", "\"~/x\"", "{}", "null"}) {
    CAPTURE(value);
    CHECK_THAT(refused(with_config(R"({"options": {"strategies": )" + std::string(value) + "}}")),
               Catch::StartsWith("config.options.strategies"));
  }
  CHECK_THAT(refused(with_config(R"({"options": {"a=b": 1}})")), Catch::StartsWith("config.options"));
}

TEST_CASE("private addresses are known in every spelling", "[origin_gate]") {
  for (const char* host : {"127.0.0.1",    "127.1",
                           "2130706433",   "0x7f000001",
                           "0177.0.0.1",   "10.1.2.3",
                           "172.16.0.1",   "172.31.255.255",
                           "192.168.1.1",  "169.254.169.254",
                           "100.64.0.1",   "0.0.0.0",
                           "224.0.0.1",    "255.255.255.255",
                           "::1",          "::",
                           "fe80::1",      "fc00::1",
                           "fd12::1",      "ff02::1",
                           "fec0::1",      "::ffff:127.0.0.1",
                           "::ffff:a00:1", "64:ff9b::7f00:1",
                           "2002:7f00:1::"}) {
    CAPTURE(host);
    CHECK(is_private_address(host));
  }
  for (const char* host : {"8.8.8.8", "172.32.0.1", "100.128.0.1", "11.0.0.1", "2606:4700::1111", "64:ff9b::808:808",
                           "2002:808:808::", "example.com", "localhost"}) {
    CAPTURE(host);
    CHECK_FALSE(is_private_address(host));
  }
}

TEST_CASE("private origins need leave, by scheme, host and port", "[origin_gate]") {
  CHECK(fault_of("https://example.com/").empty());
  CHECK_THAT(fault_of("http://localhost:8080/"), Catch::Contains("--allow-origin http://localhost:8080"));
  CHECK_FALSE(fault_of("http://LOCALHOST./").empty());
  CHECK_FALSE(fault_of("http://game.localhost/").empty());
  CHECK_FALSE(fault_of("http://[::1]:80/").empty());
  CHECK(fault_of("http://10.0.0.5:8080/game/", {"http://10.0.0.5:8080"}).empty());
  CHECK(fault_of("http://127.0.0.1/", {"http://127.0.0.1:80/"}).empty());
  CHECK_FALSE(fault_of("http://10.0.0.5:8081/", {"http://10.0.0.5:8080"}).empty());
  CHECK_FALSE(fault_of("https://10.0.0.5:8080/", {"http://10.0.0.5:8080"}).empty());
  for (const char* origin : {"10.0.0.5", "http://10.0.0.5/game", "http://u:p@10.0.0.5", ""}) {
    CAPTURE(origin);
    CHECK_FALSE(OriginGate::make({origin}));
  }
}

TEST_CASE("a name that means a private address is found when it is looked up", "[origin_gate]") {
  const auto gate = OriginGate::make({});
  // Resolvers answer this host's own name, or do not know it; a literal address needs no resolver.
  CHECK_THAT(gate->fault_now(*parse_http_url("http://127.0.0.1/")), Catch::Contains("private address"));
  CHECK(gate->fault_now(*parse_http_url("http://no-such-name.invalid/")).empty());
}
