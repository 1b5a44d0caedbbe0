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

class StaticFiles;

struct PageAccess {
  TargetCredentials credentials;
  /// By the port of their StaticServer on 127.0.0.1; may grow while pages are open.
  std::map<int, std::shared_ptr<const StaticFiles>> folders;
};

/// Switches of the browser for cookies that another port or scheme of their host does not get, as RFC 6265 has it.
std::vector<std::string> cookie_arguments(const TargetCredentials& credentials);

/// Parameters of Network.setCookies, "" without cookies. They are for the host of the target alone, not for names below
/// it, and for https alone where the target is.
std::string cookie_parameters(const TargetCredentials& credentials);

/// `is_remote`: the browser was not started here. It does not reach the folders' servers, so their origins are answered
/// from here, by the same rules: the address, and with it the game's origin, is that of a local run. And it may give
/// cookies to every port of their host; they are then taken out of requests to others.
/// `is_popup`: the page was opened by another and not by the run; the folders' origins answer it with 403.
std::vector<RequestRule> access_rules(const std::shared_ptr<const PageAccess>& access, bool is_remote, bool is_popup);

}  // namespace qa
