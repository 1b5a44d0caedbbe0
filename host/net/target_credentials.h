#pragma once
// TargetCredentials: what opens a staging build: headers, cookies, user and password of --header, --cookie-file and
// --basic-auth, bound to the origin of the run's target. Read by the worker, applied to a browser's requests by
// host/browser/page_access.*; Lua never sees it. Pure but for the files that it reads.

#include <optional>
#include <string>
#include <vector>

#include "host/error.h"
#include "host/net/http_message.h"

namespace qa {

struct TargetCookie {
  std::string name, value, path = "/";
  std::string same_site;            ///< "Strict", "Lax", "None", or "" for the browser's default.
  std::optional<double> expires_s;  ///< Since 1970; nothing for a cookie of this run.
  bool is_http_only = false;
};

/// As typed; see `qa-host --help`.
struct CredentialWords {
  std::vector<std::string> headers;  ///< "Name: value", or "@FILE" with one a line.
  std::string cookie_file;           ///< Netscape cookie jar, JSON list of cookies, or Playwright storage state.
  std::string basic_auth;            ///< "USER:PASSWORD", or "@FILE" whose first line is that.

  bool empty() const { return headers.empty() && cookie_file.empty() && basic_auth.empty(); }
};

struct TargetCredentials {
  std::string origin;  ///< "https://example.com:8443", as a browser writes it; "" when nothing was given.
  HttpUrl url;         ///< The same in parts.
  HttpHeaders headers;
  std::vector<TargetCookie> cookies;
  std::optional<std::pair<std::string, std::string>> basic;  ///< User and password.
  std::vector<std::string> notes;                            ///< Sentences for the tester; no values in them.

  /// All values that nobody may read in an output of the host, in the forms in which a page may show them.
  std::vector<std::string> secrets() const;
};

/// Why this word is no header, or "". Never quotes it. "@FILE" passes unread.
std::string header_fault(const std::string& word);

/// Reads files and binds everything to the origin of `target`, which must be an http or https URL. `now_s` decides
/// which cookies have expired. io_error whose message names options, files and lines, never a value.
Result<TargetCredentials> read_credentials(const CredentialWords& words, const std::string& target, double now_s);

}  // namespace qa
