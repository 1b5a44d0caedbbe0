#include "host/net/openssl.h"

#pragma GCC visibility push(hidden)
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#pragma GCC visibility pop

#include "host/lazy_library.h"

/// What http_client.cpp, tls.cpp and Asio call: F(result, name, parameters, arguments).
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

const std::string& qa::openssl_fault() { return loaded(); }
