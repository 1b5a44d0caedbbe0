#include "host/net/tls.h"

#pragma GCC visibility push(hidden)
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#pragma GCC visibility pop

#include <cstdlib>
#include <filesystem>

#include "host/lazy_library.h"

/// What this file and Asio call: F(result, name, parameters, arguments).
// clang-format off
#define QA_OPENSSL_FUNCTIONS(F) \
  F(long, BIO_ctrl, (BIO* a, int b, long c, void* d), (a, b, c, d)) \
  F(size_t, BIO_ctrl_pending, (BIO* a), (a)) \
  F(int, BIO_free, (BIO* a), (a)) \
  F(int, BIO_new_bio_pair, (BIO** a, size_t b, BIO** c, size_t d), (a, b, c, d)) \
  F(int, BIO_read, (BIO* a, void* b, int c), (a, b, c)) \
  F(int, BIO_write, (BIO* a, const void* b, int c), (a, b, c)) \
  F(void, ERR_clear_error, (), ()) \
  F(unsigned long, ERR_get_error, (), ()) \
  F(const char*, ERR_lib_error_string, (unsigned long a), (a)) \
  F(const char*, ERR_reason_error_string, (unsigned long a), (a)) \
  F(long, SSL_CTX_ctrl, (SSL_CTX* a, int b, long c, void* d), (a, b, c, d)) \
  F(void, SSL_CTX_free, (SSL_CTX* a), (a)) \
  F(void*, SSL_CTX_get_default_passwd_cb_userdata, (SSL_CTX* a), (a)) \
  F(void*, SSL_CTX_get_ex_data, (const SSL_CTX* a, int b), (a, b)) \
  F(int, SSL_CTX_load_verify_locations, (SSL_CTX* a, const char* b, const char* c), (a, b, c)) \
  F(SSL_CTX*, SSL_CTX_new, (const SSL_METHOD* a), (a)) \
  F(void, SSL_CTX_set_default_passwd_cb_userdata, (SSL_CTX* a, void* b), (a, b)) \
  F(int, SSL_CTX_set_default_verify_dir, (SSL_CTX* a), (a)) \
  F(int, SSL_CTX_set_default_verify_paths, (SSL_CTX* a), (a)) \
  F(int, SSL_CTX_set_ex_data, (SSL_CTX* a, int b, void* c), (a, b, c)) \
  F(uint64_t, SSL_CTX_set_options, (SSL_CTX* a, uint64_t b), (a, b)) \
  F(void, SSL_CTX_set_verify, (SSL_CTX* a, int b, SSL_verify_cb c), (a, b, c)) \
  F(int, SSL_accept, (SSL* a), (a)) \
  F(int, SSL_connect, (SSL* a), (a)) \
  F(long, SSL_ctrl, (SSL* a, int b, long c, void* d), (a, b, c, d)) \
  F(void, SSL_free, (SSL* a), (a)) \
  F(X509_VERIFY_PARAM*, SSL_get0_param, (SSL* a), (a)) \
  F(int, SSL_get_error, (const SSL* a, int b), (a, b)) \
  F(void*, SSL_get_ex_data, (const SSL* a, int b), (a, b)) \
  F(BIO*, SSL_get_rbio, (const SSL* a), (a)) \
  F(int, SSL_get_shutdown, (const SSL* a), (a)) \
  F(long, SSL_get_verify_result, (const SSL* a), (a)) \
  F(int, SSL_has_pending, (const SSL* a), (a)) \
  F(SSL*, SSL_new, (SSL_CTX* a), (a)) \
  F(int, SSL_read, (SSL* a, void* b, int c), (a, b, c)) \
  F(int, SSL_set1_host, (SSL* a, const char* b), (a, b)) \
  F(void, SSL_set_bio, (SSL* a, BIO* b, BIO* c), (a, b, c)) \
  F(int, SSL_set_ex_data, (SSL* a, int b, void* c), (a, b, c)) \
  F(void, SSL_set_hostflags, (SSL* a, unsigned int b), (a, b)) \
  F(int, SSL_write, (SSL* a, const void* b, int c), (a, b, c)) \
  F(const SSL_METHOD*, TLS_client_method, (), ()) \
  F(int, X509_VERIFY_PARAM_set1_ip_asc, (X509_VERIFY_PARAM* a, const char* b), (a, b)) \
  F(const char*, X509_get_default_cert_dir, (), ()) \
  F(const char*, X509_get_default_cert_dir_env, (), ()) \
  F(const char*, X509_get_default_cert_file_env, (), ()) \
  F(const char*, X509_verify_cert_error_string, (long a), (a))
// clang-format on

QA_LAZY_LIBRARY("libssl.so.3", QA_OPENSSL_FUNCTIONS)

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

const std::string& openssl_fault() { return loaded(); }

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
