#include "host/llm/key_hosts.h"

#include <catch2/catch.hpp>
#include <map>

using namespace qa;

namespace {

constexpr const char* kPresets = R"({
  "openai": {"base_url": "https://api.openai.com/v1", "base_url_env": "OPENAI_BASE_URL", "key_env": "OPENAI_API_KEY"},
  "azure": {"key_env": "AZURE_KEY"},
  "local": {"base_url": "http://127.0.0.1:8000/v1"}})";

using Variables = std::map<std::string, std::string>;

struct Keys {
  explicit Keys(Variables more = {}, const std::string& own = "{}") : variables(std::move(more)) {
    for (const char* name : {"OPENAI_API_KEY", "AZURE_KEY", "OTHER"})
      variables.emplace(name, std::string("value of ") + name);
    hosts = std::make_unique<KeyHosts>([this](const std::string& name) {
      const auto found = variables.find(name);
      return found == variables.end() ? "" : found->second;
    });
    REQUIRE(hosts->add_presets(kPresets));
    REQUIRE(hosts->add_own(own));
  }
  std::string refusal(const std::string& name, const std::string& url) const {
    const auto key = hosts->key_for(name, url);
    if (key) return "";
    CHECK(key.error().kind == ErrorKind::llm_unavailable);
    CHECK(key.error().message.find("value of") == std::string::npos);
    return key.error().message;
  }
  Variables variables;
  std::unique_ptr<KeyHosts> hosts;
};

}  // namespace

TEST_CASE("a preset's key goes to its own server alone", "[key_hosts]") {
  const Keys keys;
  CHECK(*keys.hosts->key_for("OPENAI_API_KEY", "https://api.openai.com/v1/chat/completions") ==
        "value of OPENAI_API_KEY");
  CHECK(*keys.hosts->key_for("OPENAI_API_KEY", "https://API.openai.com:443/v1/x") == "value of OPENAI_API_KEY");
  for (const char* elsewhere : {"https://api.openai.com.evil.example/v1", "https://evil.example/api.openai.com",
                                "https://api.openai.com:8443/v1", "https://api.openai.com@evil.example/v1",
                                "https://evil.example/?https://api.openai.com", "http://127.0.0.1/v1",
                                "https://openai.com/v1", "https://api.openai.com./v1"}) {
    CAPTURE(elsewhere);
    CHECK_THAT(keys.refusal("OPENAI_API_KEY", elsewhere), Catch::Contains("it belongs to api.openai.com:443"));
  }
  CHECK_THAT(keys.refusal("OPENAI_API_KEY", "https://api.openai.com /"), Catch::Contains("is no address"));
  CHECK_THAT(keys.refusal("OPENAI_API_KEY", "http://api.openai.com:443/v1"), Catch::Contains("over http://"));
}

TEST_CASE("a key that no endpoint of the user's has goes nowhere", "[key_hosts]") {
  const Keys keys;
  CHECK_THAT(keys.refusal("OTHER", "http://127.0.0.1:8000/v1"), Catch::Contains("no endpoint of your configuration"));
  CHECK_THAT(keys.refusal("AZURE_KEY", "https://our.openai.azure.com"), Catch::Contains("no endpoint"));
  CHECK(keys.hosts->key_for("", "https://evil.example")->empty());
}

TEST_CASE("the user's own variable moves a preset's key, and the old server gets it no more", "[key_hosts]") {
  const Keys keys(Variables{{"OPENAI_BASE_URL", "https://gateway.example/openai"}});
  CHECK(keys.hosts->key_for("OPENAI_API_KEY", "https://gateway.example/openai/chat/completions"));
  CHECK_THAT(keys.refusal("OPENAI_API_KEY", "https://api.openai.com/v1"),
             Catch::Contains("belongs to gateway.example:443"));
}

TEST_CASE("the user's own endpoints bind keys to their servers", "[key_hosts]") {
  const Keys keys({}, R"({
    "work": {"preset": "azure", "base_url": "https://our.openai.azure.com"},
    "proxy": {"preset": "openai", "base_url": "https://proxy.example/v1"},
    "renamed": {"preset": "openai", "key_env": "OTHER"},
    "odd": 3, "free": {"base_url": "http://10.0.0.5/v1"}})");
  CHECK(keys.hosts->key_for("AZURE_KEY", "https://our.openai.azure.com/openai/deployments/x"));
  CHECK_FALSE(keys.hosts->key_for("AZURE_KEY", "https://their.openai.azure.com/"));
  CHECK(keys.hosts->key_for("OPENAI_API_KEY", "https://proxy.example/v1/x"));
  CHECK(keys.hosts->key_for("OPENAI_API_KEY", "https://api.openai.com/v1/x"));
  CHECK(keys.hosts->key_for("OTHER", "https://api.openai.com/v1/x"));
  CHECK_FALSE(keys.hosts->key_for("OTHER", "http://10.0.0.5/v1"));
}

TEST_CASE("over http:// a key goes to this machine only", "[key_hosts]") {
  for (const char* here :
       {"http://127.0.0.1:1/v1", "http://localhost:1/v1", "http://[::1]:1/v1", "http://127.8.9.1/"}) {
    CAPTURE(here);
    const Keys keys({}, std::string(R"({"own": {"key_env": "OTHER", "base_url": ")") + here + "\"}}");
    CHECK(keys.hosts->key_for("OTHER", here));
  }
  for (const char* there : {"http://10.0.0.5/v1", "http://127.evil.example/v1", "http://localhost.example/v1",
                            "http://[2001:db8::1]/v1", "http://0.0.0.0/v1"}) {
    CAPTURE(there);
    const Keys keys({}, std::string(R"({"own": {"key_env": "OTHER", "base_url": ")") + there + "\"}}");
    CHECK_THAT(keys.refusal("OTHER", there), Catch::Contains("use https://"));
  }
}

TEST_CASE("a key that is not set is missing, wherever it may go", "[key_hosts]") {
  const Keys keys(Variables{{"OPENAI_API_KEY", ""}});
  CHECK_THAT(keys.refusal("OPENAI_API_KEY", "https://api.openai.com/v1"), Catch::Contains("OPENAI_API_KEY is not set"));
  KeyHosts none([](const std::string&) { return std::string(); });
  CHECK(none.add_presets("[]").error().kind == ErrorKind::type_mismatch);
}
