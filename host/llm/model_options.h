#pragma once
// ModelOptions: what the calls of models go by. Amounts are dollars as typed, "" for none. Plain data.

#include <functional>
#include <string>

#include "host/net/http_client.h"

namespace qa {

struct ModelOptions {
  std::string budget_usd;  ///< Of the run; "" for the default of 0.50.
  std::string suite, suite_usd, day_usd;
  std::string cassette, cassette_mode;  ///< Folder, and record, replay or refresh.
  HttpClientOptions http;
  /// The user's own endpoints, to whose addresses keys may go besides the presets': JSON object text {name: {base_url,
  /// key_env, ...}}, or "". A Vm adds those of the user's configuration.
  std::string endpoints;
  std::string state;  ///< Folder of ledger.sqlite and memory.sqlite.
  std::string data;   ///< Folder of prices.json and models.json; the Vm fills in this and what follows.
  std::string run;    ///< What listings of the shared ledger call the run until it has a name.
  /// The value of an environment variable, "" when it is not set. Keys are read with it when a call is sent.
  std::function<std::string(const std::string& name)> environment;
};

/// What the environment says of them: budgets, proxies, the state folder. `environment` is kept.
ModelOptions model_options_from(std::function<std::string(const std::string& name)> environment);

}  // namespace qa
