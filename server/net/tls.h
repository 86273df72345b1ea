// TLS of the gRPC port: certificates, and who may call what.
#ifndef MULLIGAN_SERVER_NET_TLS_H_
#define MULLIGAN_SERVER_NET_TLS_H_

#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/net/tls_files.h"

namespace mulligan {

// What TLS files hold; empty what cannot be read.
struct TlsTexts {
  std::string certificate;
  std::string key;
  std::string client_ca;

  bool operator==(const TlsTexts&) const = default;
};

TlsTexts ReadTlsTexts(const TlsFiles& files);

// Whether the files can be used now: they are there, key and certificate belong
// together, and the certificate is valid at `now`. INVALID_ARGUMENT names flag,
// file and reason. Gives when the certificate ends.
absl::StatusOr<absl::Time> CheckTlsTexts(const TlsTexts& texts,
                                         const TlsFiles& files, absl::Time now);

// TLS 1.2 or newer. Without TLS files: no encryption.
std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(
    const TlsFiles& files);

// Who may call a service: names in the certificates of callers (DNS names,
// addresses, URIs such as spiffe://cluster.local/ns/ml/sa/operator), where `*`
// stands for any run of characters.
class AllowList {
 public:
  AllowList(std::vector<std::string> names, bool everybody)
      : names_(std::move(names)), everybody_(everybody) {}

  // Whether every caller may, whom the client CA has signed a certificate.
  bool everybody() const { return everybody_; }

  // PERMISSION_DENIED tells the names found.
  absl::Status Check(const std::vector<std::string>& caller) const;

 private:
  const std::vector<std::string> names_;
  const bool everybody_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_TLS_H_
