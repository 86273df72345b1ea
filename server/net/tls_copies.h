// The TLS files as gRPC sees them: the last ones that could be used.
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

// gRPC takes whatever is in its files: from the moment on in which a key does
// not fit its certificate, or either is half written, it refuses everybody.
// So it gets copies in memory, which follow the files once they fit together.
// Used by one thread at a time.
class TlsCopies {
 public:
  // Copies of `files`, which have to be usable at `now`, else the error of
  // CheckTlsTexts.
  static absl::StatusOr<std::unique_ptr<TlsCopies>> Create(
      const TlsFiles& files, absl::Time now);

  // Where the copies are, valid as long as this is.
  const TlsFiles& paths() const { return paths_; }

  // When the certificate in force ends.
  absl::Time certificate_end() const { return end_; }

  // Takes what the files hold now, or says why not: then the copies stay.
  absl::Status Refresh(absl::Time now);

 private:
  explicit TlsCopies(const TlsFiles& files) : files_(files) {}

  const TlsFiles files_;
  TlsFiles paths_;
  // What was taken last; nothing before the first time.
  std::optional<TlsTexts> texts_;
  absl::Time end_;
  // Certificate and key in one, so that they change as one; and the authority.
  OwnedDescriptor identity_;
  OwnedDescriptor client_ca_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_TLS_COPIES_H_
