#include "tests/server/certificates.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <ctime>

#include "gtest/gtest.h"

namespace mulligan::testing {
namespace {

std::shared_ptr<EVP_PKEY> MakeKey() {
  return {EVP_EC_gen("P-256"), &EVP_PKEY_free};
}

void Extend(X509* certificate, X509* issuer, int kind,
            const std::string& text) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension =
      X509V3_EXT_conf_nid(nullptr, &context, kind, text.c_str());
  ASSERT_NE(extension, nullptr) << text;
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

// Self-signed if `signer` is null.
Identity Make(const std::string& name, const CertificateSpec& spec,
              const Identity* signer, bool authority) {
  static long serial = 0;
  Identity made{{X509_new(), &X509_free},
                spec.key == nullptr ? MakeKey() : spec.key};
  X509* certificate = made.certificate.get();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
  X509_NAME* subject = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(
      subject, "CN", MBSTRING_ASC,
      reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509* issuer = signer == nullptr ? certificate : signer->certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer));
  std::time_t now = std::time(nullptr);
  X509_time_adj_ex(X509_getm_notBefore(certificate), 0,
                   absl::ToInt64Seconds(spec.valid_from), &now);
  X509_time_adj_ex(X509_getm_notAfter(certificate), 0,
                   absl::ToInt64Seconds(spec.valid_to), &now);
  X509_set_pubkey(certificate, made.key.get());
  Extend(certificate, issuer, NID_basic_constraints,
         authority ? "critical,CA:TRUE" : "CA:FALSE");
  if (!spec.names.empty()) {
    Extend(certificate, issuer, NID_subject_alt_name, spec.names);
  }
  X509_sign(certificate, signer == nullptr ? made.key.get() : signer->key.get(),
            EVP_sha256());
  return made;
}

template <typename Write>
std::string ToPem(Write write) {
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> memory(
      BIO_new(BIO_s_mem()), &BIO_free_all);
  write(memory.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

}  // namespace

std::string Identity::CertificatePem() const {
  return ToPem([this](BIO* to) { PEM_write_bio_X509(to, certificate.get()); });
}

std::string Identity::KeyPem() const {
  return ToPem([this](BIO* to) {
    PEM_write_bio_PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr,
                             nullptr);
  });
}

Identity MakeAuthority(const std::string& name) {
  return Make(name, {}, nullptr, true);
}

Identity MakeIdentity(const Identity& authority, const CertificateSpec& spec) {
  return Make("leaf", spec, &authority, false);
}

Identity MakeSelfSigned(const CertificateSpec& spec) {
  return Make("self-signed", spec, nullptr, false);
}

}  // namespace mulligan::testing
