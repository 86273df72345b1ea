// The state that probes ask for.
#ifndef MULLIGAN_SERVER_ADMIN_READINESS_H_
#define MULLIGAN_SERVER_ADMIN_READINESS_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"

namespace mulligan {

enum class ServingState { kStarting, kServing, kDraining };

// Set by the server's life cycle and monitor, read by probes. Thread-safe.
class Readiness {
 public:
  void Set(ServingState state) { state_.store(state); }
  ServingState state() const { return state_.load(); }

  // Whether the gRPC listener answered the last probe.
  void SetListening(bool listening) { listening_.store(listening); }
  bool listening() const { return listening_.load(); }

  // When the server's certificate expires; InfiniteFuture without TLS.
  void SetCertificateEnd(absl::Time end) {
    certificate_end_.store(absl::ToUnixSeconds(end));
  }
  absl::Time certificate_end() const {
    return absl::FromUnixSeconds(certificate_end_.load());
  }

  // Whether the certificate files hold what is in force, or can be loaded.
  void SetTlsFilesUsable(bool usable) { tls_files_usable_.store(usable); }
  bool tls_files_usable() const { return tls_files_usable_.load(); }

 private:
  std::atomic<ServingState> state_ = ServingState::kStarting;
  std::atomic<bool> listening_ = true;
  std::atomic<bool> tls_files_usable_ = true;
  std::atomic<std::int64_t> certificate_end_ =
      absl::ToUnixSeconds(absl::InfiniteFuture());
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMIN_READINESS_H_
