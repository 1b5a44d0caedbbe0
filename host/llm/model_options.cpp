#include "host/llm/model_options.h"

#include <utility>

namespace qa {
namespace {

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : list + ",") {
    if (c != ',' && c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  return words;
}

}  // namespace

ModelOptions model_options_from(std::function<std::string(const std::string& name)> environment) {
  const auto first_of = [&](const char* name, const char* other) {
    const std::string value = environment(name);
    return value.empty() ? environment(other) : value;
  };
  ModelOptions models;
  models.budget_usd = environment("QA_BUDGET");
  models.suite = environment("QA_SUITE");
  models.suite_usd = environment("QA_SUITE_BUDGET");
  models.day_usd = environment("QA_DAY_BUDGET");
  models.http.proxy = first_of("HTTPS_PROXY", "https_proxy");
  models.http.no_proxy = words_of(first_of("NO_PROXY", "no_proxy"));
  models.state = environment("QA_STATE");
  const std::string base = environment("XDG_STATE_HOME");
  if (models.state.empty()) models.state = (base.empty() ? environment("HOME") + "/.local/state" : base) + "/qa-host";
  models.environment = std::move(environment);
  return models;
}

}  // namespace qa
