#include "host/net/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <filesystem>

#include "host/net/openssl.h"

namespace qa {
namespace {

constexpr std::string_view kTrustIt = ": if you trust it, name the file of its authority as ca_file";

/// What the check of the certificate found, or "".
std::string certificate_fault(long verdict, const std::string& peer) {
  const std::string whose = "the certificate of " + peer;
  switch (verdict) {
    case X509_V_OK:
      return "";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return whose + " is self-signed" + std::string(kTrustIt);
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:  // By another authority of the same name.
      return whose + " comes from an authority unknown to this machine" + std::string(kTrustIt);
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return whose + " has expired: renew it, or check this machine's clock";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return whose + " is not valid yet: check this machine's clock";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return whose + " is for another host: use the name that it was made for";
    default:
      return whose + " is refused (" + X509_verify_cert_error_string(verdict) + "): repair the server's certificate";
  }
}

/// Is this a directory of authorities by hash ("5ed36f99.0"), as c_rehash makes them?
bool is_hashed(const char* directory) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failed)) {
    const std::string name = entry.path().filename();
    if (name.size() == 10 && name.find_first_not_of("0123456789abcdef") == 8 && name.ends_with(".0")) return true;
  }
  return false;
}

/// Reading the one file of all authorities takes 50 ms, a look into their directory happens when it has to.
void trust_system(SSL_CTX* context) {
  const char* directory = std::getenv(X509_get_default_cert_dir_env());
  const bool is_file_given = std::getenv(X509_get_default_cert_file_env()) != nullptr;
  const bool is_enough = !is_file_given && is_hashed(directory ? directory : X509_get_default_cert_dir());
  is_enough ? SSL_CTX_set_default_verify_dir(context) : SSL_CTX_set_default_verify_paths(context);
}

}  // namespace

void TlsContextFree::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

Result<TlsContext> make_tls_context(const std::string& ca_file) {
  if (const std::string fault = openssl_fault(); !fault.empty()) {
    return Error{ErrorKind::llm_unavailable,
                 "TLS needs OpenSSL 3, which cannot be loaded: " + fault + " (Debian: libssl3)"};
  }
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  const auto failure = [](const std::string& message) {
    ERR_clear_error();
    return Error{ErrorKind::llm_unavailable, message};
  };
  if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1)
    return failure("OpenSSL cannot be set up: check its installation and OPENSSL_CONF");
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
  // A machine without authorities of its own may still use a ca_file; a handshake says what it misses.
  trust_system(context.get());
  if (!ca_file.empty() && SSL_CTX_load_verify_locations(context.get(), ca_file.c_str(), nullptr) != 1)
    return failure("the ca_file " + ca_file + " holds no certificate that can be read: give a PEM file");
  ERR_clear_error();
  return context;
}

bool expect_tls_host(ssl_st* session, const std::string& host, bool is_address) {
  if (is_address) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host.c_str()) == 1;
  SSL_set_hostflags(session, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set_tlsext_host_name(session, host.c_str()) == 1 && SSL_set1_host(session, host.c_str()) == 1;
}

std::string tls_failure_text(const ssl_st* session, unsigned long code, const std::string& host_and_port) {
  std::string fault = certificate_fault(SSL_get_verify_result(session), host_and_port);
  if (!fault.empty()) return fault;
  switch (code == 0 ? 0 : ERR_GET_REASON(code)) {
    case 0:
      return host_and_port + " closed the connection during the TLS handshake: check that this port speaks https";
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
      return host_and_port + " does not speak TLS: use http:// in its address, or its https port";
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
      return host_and_port + " speaks no TLS as new as 1.2: update the server";
    default:
      break;
  }
  const char* reason = ERR_reason_error_string(code);
  return "the TLS handshake with " + host_and_port + " failed (" + (reason ? reason : "no reason given") +
         "): check the server's TLS settings";
}

bool has_tls_leftovers(const ssl_st* session) {
  return SSL_has_pending(session) == 1 || BIO_ctrl_pending(SSL_get_rbio(session)) > 0;
}

}  // namespace qa
