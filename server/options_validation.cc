#include "server/options_validation.h"

#include <cstdint>

#include "absl/strings/str_format.h"
#include "server/net/address.h"

namespace mulligan {
namespace {

absl::Status ValidateTls(const ServerOptions& options) {
  const TlsFiles& tls = options.tls;
  if (tls.certificate.empty() != tls.key.empty()) {
    return absl::InvalidArgumentError(
        "--tls-cert and --tls-key: one is missing; expected both or neither");
  }
  if (!tls.client_ca.empty() && !tls.enabled()) {
    return absl::InvalidArgumentError(
        "--tls-client-ca: needs --tls-cert and --tls-key");
  }
  const bool lists = !options.allowed_callers.empty() ||
                     !options.allowed_policy_callers.empty();
  if (lists && tls.client_ca.empty()) {
    return absl::InvalidArgumentError(
        "--allow-callers and --allow-policy-callers: need --tls-client-ca, "
        "without which callers show no certificate");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateMemory(const ServerOptions& options) {
  if (const std::int64_t least = 12LL * options.max_message_bytes + (1 << 20);
      options.max_memory_bytes < least) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "--max-memory: %d bytes are too few for requests of "
        "--max-message-bytes %d; expected at least %d",
        options.max_memory_bytes, options.max_message_bytes, least));
  }
  return absl::OkStatus();
}

absl::Status ValidateOptions(const ServerOptions& options) {
  const auto address = ParseAddress(options.listen_address);
  if (!address.has_value()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "--listen-address: \"%s\" is not an address", options.listen_address));
  }
  if (absl::Status tls = ValidateTls(options); !tls.ok()) return tls;
  if (!IsLocal(*address) && !options.allow_plaintext &&
      !options.tls.enabled()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "--listen-address: other hosts can reach \"%s\" and calls are not "
        "encrypted; expected a loopback address, unix:/path, "
        "--tls-cert, or --allow-plaintext",
        options.listen_address));
  }
  return absl::OkStatus();
}

}  // namespace mulligan
