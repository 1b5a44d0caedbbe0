#pragma once
// What the API of a session answers. Apart from remote_session.h because it needs the whole JSON header: include it
// from .cpp files only.

#include <nlohmann/json.hpp>
#include <string>

#include "host/browser/remote_session.h"

namespace qa {

using Json = nlohmann::json;

struct RemoteSession::Answer {
  int status = 0;
  Json body;  ///< Null where it is no JSON.
  std::string retry_after;

  bool ok() const { return status / 100 == 2; }
};

}  // namespace qa
