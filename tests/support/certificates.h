#pragma once
// Certificates made at test time: an authority of the test's own, and what it signs, faults included.

#include <memory>
#include <string>

struct evp_pkey_st;
struct x509_st;

namespace qa::test {

/// A key with its certificate. Shared, since connections in several threads show it.
struct Identity {
  std::shared_ptr<evp_pkey_st> key;
  std::shared_ptr<x509_st> certificate;
};

/// For whom and how long a certificate holds.
struct Validity {
  std::string names = "DNS:localhost,IP:127.0.0.1";
  long from_s = -3600, until_s = 3600;  ///< From now.
};

/// Signs with its own key.
Identity make_self_signed(const Validity& validity = {});

class Authority {
 public:
  Authority();
  ~Authority();
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;

  Identity issue(const Validity& validity = {}) const;
  /// A PEM file with its certificate, there as long as this lives.
  const std::string& file() const { return file_; }
  /// How a directory of authorities names that file.
  std::string hashed_name() const;

 private:
  Identity own_;
  std::string file_;
};

}  // namespace qa::test
