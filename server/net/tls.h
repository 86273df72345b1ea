// TLS of the gRPC port: certificates and allowed callers.
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

// Contents of the TLS files; empty if unreadable.
struct TlsTexts {
  std::string certificate;
  std::string key;
  std::string client_ca;

  bool operator==(const TlsTexts&) const = default;
};

TlsTexts ReadTlsTexts(const TlsFiles& files);

// Returns when the certificate expires. INVALID_ARGUMENT, naming flag, file and
// reason, if the files are unusable: missing, key and certificate do not match,
// or not valid at `now`.
absl::StatusOr<absl::Time> CheckTlsTexts(const TlsTexts& texts,
                                         const TlsFiles& files, absl::Time now);

// Returns TLS 1.2 or newer; no encryption without TLS files.
std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(
    const TlsFiles& files);

// The names in certificates of callers that may call a service: DNS names,
// addresses, URIs such as spiffe://cluster.local/ns/ml/sa/operator. `*` matches
// any characters.
class AllowList {
 public:
  AllowList(std::vector<std::string> names, bool allows_any)
      : names_(std::move(names)), allows_any_(allows_any) {}

  // Returns whether any certificate of the client CA is allowed.
  bool allows_any() const { return allows_any_; }

  // PERMISSION_DENIED lists the names found.
  absl::Status Check(const std::vector<std::string>& caller) const;

 private:
  const std::vector<std::string> names_;
  const bool allows_any_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_TLS_H_
