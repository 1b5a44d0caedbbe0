#pragma once
// KeyHosts: which servers may get which key. A key belongs to the addresses of the endpoints that name it: the shipped
// presets and the user's own, whom nothing that runs can add to. So no script, whatever address it writes, sends a key
// elsewhere. Asked where a key is read and put into a request. Plain data; loop thread.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "host/error.h"

namespace qa {

class KeyHosts {
 public:
  /// The value of an environment variable, "" when it is not set.
  using Environment = std::function<std::string(const std::string& name)>;

  explicit KeyHosts(Environment environment) : environment_(std::move(environment)) {}

  /// The presets: a JSON object {name: {base_url?, base_url_env?, key_env?}}. A variable that base_url_env names, such
  /// as OPENAI_BASE_URL, replaces the address. type_mismatch when it is no such object.
  Result<Unit> add_presets(std::string_view json);
  /// The user's own endpoints, of the same shape; `preset` names the one whose fields they lack.
  Result<Unit> add_own(std::string_view json);

  /// The value of a key that is to be sent to `url`. llm_unavailable when it does not belong there, would go over
  /// http:// to another machine, or is not set. "" for the name "".
  Result<std::string> key_for(const std::string& name, const std::string& url) const;

 private:
  struct Row {
    std::string base_url, base_url_env, key_env;
  };
  Result<Unit> add(std::string_view json, bool is_preset);

  Environment environment_;
  std::map<std::string, Row> presets_;
  std::map<std::string, std::set<std::string>> hosts_;  ///< "host:port" by the name of the key.
};

}  // namespace qa
