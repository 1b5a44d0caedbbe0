#pragma once
// What a DevTools call answers. Apart from cdp_connection.h because it needs the whole JSON header: include it from
// .cpp files only.

#include <nlohmann/json.hpp>
#include <string>

#include "host/browser/cdp_connection.h"

namespace qa {

struct CdpConnection::Reply {
  Json result;         ///< Always an object; `data` is "" where base64 was cut out.
  std::string base64;  ///< Page.captureScreenshot only: the picture, still encoded.
};

}  // namespace qa
