// The TLS files for gRPC: the last usable versions.
#ifndef MULLIGAN_SERVER_NET_TLS_COPIES_H_
#define MULLIGAN_SERVER_NET_TLS_COPIES_H_

#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/net/listener.h"
#include "server/net/tls.h"
#include "server/net/tls_files.h"

namespace mulligan {

// gRPC uses its files unchecked: with a half-written file, or a key that does
// not match the certificate, it refuses all callers. So it gets copies in
// memory, updated once the files match. Used by one thread at a time.
class TlsCopies {
 public:
  // Returns copies of `files`, or the error of CheckTlsTexts if they are
  // unusable at `now`.
  static absl::StatusOr<std::unique_ptr<TlsCopies>> Create(
      const TlsFiles& files, absl::Time now);

  // Paths of the copies, valid as long as this is.
  const TlsFiles& paths() const { return paths_; }

  // When the certificate in force expires.
  absl::Time certificate_end() const { return end_; }

  // Copies the files if usable; else returns why not and keeps the copies.
  absl::Status Refresh(absl::Time now);

 private:
  explicit TlsCopies(const TlsFiles& files) : files_(files) {}

  const TlsFiles files_;
  TlsFiles paths_;
  // What was copied last; empty at first.
  std::optional<TlsTexts> texts_;
  absl::Time end_;
  // Certificate and key, which change together; and the client CA.
  OwnedDescriptor identity_;
  OwnedDescriptor client_ca_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_TLS_COPIES_H_
