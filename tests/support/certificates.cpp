#include "tests/support/certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <stdexcept>

namespace qa::test {
namespace {

void require(bool is_done, const char* what) {
  if (!is_done) throw std::runtime_error(what);
}

void add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  require(extension != nullptr, "extension");
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

/// Signed by `issuer`, or by itself.
Identity make(const std::string& name, const Validity& validity, const Identity* issuer) {
  static long serial = 1;
  const std::shared_ptr<EVP_PKEY> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::shared_ptr<X509> certificate(X509_new(), X509_free);
  require(key && certificate, "key");
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), validity.from_s);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), validity.until_s);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1,
                             0);
  const X509* signer = issuer ? issuer->certificate.get() : certificate.get();
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(signer));
  if (validity.names.empty()) {
    add_extension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  } else {
    add_extension(certificate.get(), NID_subject_alt_name, validity.names);
  }
  require(X509_sign(certificate.get(), issuer ? issuer->key.get() : key.get(), EVP_sha256()) > 0, "signature");
  return {key, certificate};
}

}  // namespace

Identity make_self_signed(const Validity& validity) { return make("itself", validity, nullptr); }

Authority::Authority() : own_(make("the tests' authority", {"", -3600, 3600}, nullptr)), file_("/tmp/qa-ca-XXXXXX") {
  std::FILE* file = ::fdopen(::mkstemp(file_.data()), "w");
  require(file && PEM_write_X509(file, own_.certificate.get()) == 1, "authority's file");
  std::fclose(file);
}

Authority::~Authority() { ::unlink(file_.c_str()); }

std::string Authority::hashed_name() const {
  std::array<char, 16> name{};
  std::snprintf(name.data(), name.size(), "%08lx.0", X509_subject_name_hash(own_.certificate.get()));
  return name.data();
}

Identity Authority::issue(const Validity& validity) const { return make("a server", validity, &own_); }

}  // namespace qa::test
