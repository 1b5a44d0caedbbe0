#pragma once
// PageAccess: what the host adds to the requests of a run's pages, or answers in the place of a server: credentials for
// the target's origin, and folders of this machine for a browser that cannot reach it. One object for all browsers of a
// Vm. Loop thread only.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/browser/request_interceptor.h"
#include "host/net/target_credentials.h"

namespace qa {

struct PageAccess {
  TargetCredentials credentials;
};

/// Switches of the browser for cookies that another port or scheme of their host does not get, as RFC 6265 has it.
std::vector<std::string> cookie_arguments(const TargetCredentials& credentials);

/// Parameters of Network.setCookies, "" without cookies. They are for the host of the target alone, not for names below
/// it, and for https alone where the target is.
std::string cookie_parameters(const TargetCredentials& credentials);

/// `is_remote`: the browser was not started here, so that it may give cookies to every port of their host; the rules
/// then take them out of requests to others.
std::vector<RequestRule> access_rules(const std::shared_ptr<const PageAccess>& access, bool is_remote);

}  // namespace qa
