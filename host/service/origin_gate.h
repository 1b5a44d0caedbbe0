#pragma once
// OriginGate: which addresses a client of the service may name, as a game or as a receiver of webhooks. Addresses of
// this machine and of private networks only where the operator allows their origin: else whoever may ask for runs could
// read what only this machine reaches. Any thread.

#include <string>
#include <vector>

#include "host/error.h"
#include "host/net/http_url.h"

namespace qa {

class OriginGate {
 public:
  /// `allowed`: origins such as "http://10.0.0.5:8080". The error names one that is none.
  static Result<OriginGate> make(const std::vector<std::string>& allowed);

  /// Why the address may not be opened, or "". Names are not looked up, but for localhost.
  std::string fault(const HttpUrl& url) const;
  /// The same, also with the addresses that the name has now. Blocks on the resolver. A name without an address is no
  /// fault: that is for the run to find.
  std::string fault_now(const HttpUrl& url) const;
  bool allows(const HttpUrl& url) const;  ///< By name.

 private:
  std::vector<std::string> allowed_;
};

/// Loopback, private, link-local (metadata services among them), shared, reserved or multicast: IPv4 in any spelling
/// that browsers understand ("127.1", "0x7f000001"), IPv6, and IPv4 inside of IPv6. False for names.
bool is_private_address(const std::string& host);

}  // namespace qa
