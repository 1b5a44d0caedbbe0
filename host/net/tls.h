#pragma once
// TLS as a client, on OpenSSL: whom to trust, whose certificate to expect, and why a handshake failed. Called by
// http_client.cpp on the loop thread. Verification cannot be switched off; nothing older than TLS 1.2 is spoken.

#include <memory>
#include <string>

#include "host/error.h"

struct ssl_st;
struct ssl_ctx_st;

namespace qa {

/// Loads OpenSSL the first time: linked in it would be half of the program, and most of what each start relocates. ""
/// when it is there, else why it is not. No function of OpenSSL may be called before.
const std::string& openssl_fault();

struct TlsContextFree {
  void operator()(ssl_ctx_st* context) const;
};
using TlsContext = std::unique_ptr<ssl_ctx_st, TlsContextFree>;

/// Trusts the system's authorities, and those in `ca_file` (PEM) unless it is "". llm_unavailable when it cannot be
/// read: a client that then trusted the system's alone would fail later and less clearly.
Result<TlsContext> make_tls_context(const std::string& ca_file);

/// Before the handshake: tells the server which host is wanted, and ties its certificate to that name or address.
bool expect_tls_host(ssl_st* session, const std::string& host, bool is_address);

/// After a failed handshake: one sentence. `code` is OpenSSL's packed error, 0 when the connection broke.
std::string tls_failure_text(const ssl_st* session, unsigned long code, const std::string& host_and_port);

/// Are decrypted or undecrypted bytes waiting that nobody asked for?
bool has_tls_leftovers(const ssl_st* session);

}  // namespace qa
