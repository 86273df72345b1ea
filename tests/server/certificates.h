// Certificates made for a test, in files.
#ifndef MULLIGAN_TESTS_SERVER_CERTIFICATES_H_
#define MULLIGAN_TESTS_SERVER_CERTIFICATES_H_

#include <openssl/x509.h>

#include <memory>
#include <string>

#include "absl/time/time.h"

namespace mulligan::testing {

// A certificate with its key.
struct Identity {
  std::shared_ptr<X509> certificate;
  std::shared_ptr<EVP_PKEY> key;

  std::string CertificatePem() const;
  std::string KeyPem() const;
};

// The contents of a certificate.
struct CertificateSpec {
  // As openssl.cnf writes it: "DNS:localhost,URI:spiffe://test/a".
  std::string names;
  absl::Duration valid_from = -absl::Hours(1);
  absl::Duration valid_to = absl::Hours(24);
  // Null for a new one.
  std::shared_ptr<EVP_PKEY> key = nullptr;
};

// Returns a self-signed authority.
Identity MakeAuthority(const std::string& name);

// Returns a certificate signed by `authority`.
Identity MakeIdentity(const Identity& authority, const CertificateSpec& spec);

// Returns a self-signed certificate that is not an authority's.
Identity MakeSelfSigned(const CertificateSpec& spec);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_SERVER_CERTIFICATES_H_
