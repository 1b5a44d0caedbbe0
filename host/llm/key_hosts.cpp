#include "host/llm/key_hosts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/net/http_url.h"

namespace qa {
namespace {

using Json = nlohmann::json;

Error refused(std::string message) { return {ErrorKind::llm_unavailable, std::move(message)}; }

std::string text_of(const Json& object, const char* name, const std::string& otherwise) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

std::string joined(const std::set<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace

Result<Unit> KeyHosts::add_presets(std::string_view json) { return add(json, true); }
Result<Unit> KeyHosts::add_own(std::string_view json) { return add(json, false); }

Result<Unit> KeyHosts::add(std::string_view json, bool is_preset) {
  const Json all = Json::parse(json, nullptr, false);
  if (!all.is_object()) return Error{ErrorKind::type_mismatch, "endpoints are a table of tables by name"};
  for (const auto& [name, endpoint] : all.items()) {
    if (!endpoint.is_object()) continue;
    const auto known = presets_.find(text_of(endpoint, "preset", ""));
    const Row preset = known == presets_.end() ? Row{} : known->second;
    Row row{text_of(endpoint, "base_url", preset.base_url), text_of(endpoint, "base_url_env", preset.base_url_env),
            text_of(endpoint, "key_env", preset.key_env)};
    if (is_preset) presets_[name] = row;
    const std::string moved = row.base_url_env.empty() ? "" : environment_(row.base_url_env);
    const auto url = parse_http_url(moved.empty() ? row.base_url : moved);
    if (url && !row.key_env.empty()) hosts_[row.key_env].insert(url->host_and_port());
  }
  return Unit{};
}

Result<std::string> KeyHosts::key_for(const std::string& name, const std::string& url) const {
  if (name.empty()) return std::string();
  const auto to = parse_http_url(url);
  if (!to) return refused("'" + url + "' is no address that a key could be sent to");
  const auto known = hosts_.find(name);
  if (known == hosts_.end()) {
    return refused("no endpoint of your configuration has the key " + name +
                   ": name it there with its base_url (docs/models.md); scripts add no keys");
  }
  if (!known->second.contains(to->host_and_port())) {
    return refused(
        fmt::format("the key {} is not sent to {}: it belongs to {}; an endpoint of your own configuration "
                    "may say otherwise (docs/models.md)",
                    name, to->host_and_port(), joined(known->second)));
  }
  if (!to->is_https && !is_loopback(*to)) {
    return refused(fmt::format("the key {} is not sent to {} over http://, where others can read it: use https://",
                               name, to->host_and_port()));
  }
  std::string key = environment_(name);
  if (key.empty()) return refused("the environment variable " + name + " is not set: it holds the key");
  return key;
}

}  // namespace qa
