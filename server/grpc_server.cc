#include "server/grpc_server.h"

#include <grpc/grpc.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "server/admission/call_watch.h"
#include "server/net/tls.h"

namespace mulligan {
namespace {

constexpr int kSecondMs = 1000;
// Occasional reconnects spread callers over new replicas.
constexpr int kMaxConnectionAgeMs = 600 * kSecondMs;
constexpr int kMaxConnectionAgeGraceMs = 30 * kSecondMs;
constexpr int kMaxConnectionIdleMs = 300 * kSecondMs;
constexpr int kKeepaliveTimeMs = 60 * kSecondMs;
constexpr int kKeepaliveTimeoutMs = 20 * kSecondMs;
// Controllers ping idle connections; one ping in ten seconds is allowed.
constexpr int kMinPingIntervalMs = 10 * kSecondMs;
constexpr int kHandshakeTimeoutMs = 10 * kSecondMs;
// Further calls wait at the caller instead of in a queue here, because a
// refusal costs nearly as much as an answer. Sixteen full connections are 512
// calls, about 25 ms of work. A distant caller gets 32 answers per round trip:
// 640 a second at 50 ms. For more it opens another connection or sends batches.
constexpr int kMaxConcurrentStreams = 32;
// A header of one byte on the wire takes two hundred in memory and counts as 33
// here. 4 KiB hold the longest trace state and a certificate's names.
constexpr int kMaxMetadataBytes = 4 << 10;

// Keeps the library initialized until the process ends. Without users, gRPC
// stops its threads, which takes ten seconds about once in a hundred times
// (after messages of megabytes).
void KeepLibraryInitialized() {
  [[maybe_unused]] static const bool held = [] {
    // Debian's Abseil checks gRPC's locks for cycles at every lock operation.
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
    grpc_init();
    return true;
  }();
}

void SetLimits(const ServerOptions& options, grpc::ServerBuilder& builder) {
  // Bytes that gRPC has read but not handed over.
  grpc::ResourceQuota quota("server");
  quota.Resize(static_cast<std::size_t>(options.max_memory_bytes));
  builder.SetResourceQuota(quota);
  builder.SetMaxReceiveMessageSize(options.max_message_bytes);
  // Four kilobytes can unpack to four megabytes, which are counted too late.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  const std::pair<const char*, int> arguments[] = {
      {GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxConcurrentStreams},
      {GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes},
      {GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0},
      {GRPC_ARG_MAX_CONNECTION_AGE_MS, kMaxConnectionAgeMs},
      {GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, kMaxConnectionAgeGraceMs},
      {GRPC_ARG_MAX_CONNECTION_IDLE_MS, kMaxConnectionIdleMs},
      {GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTimeMs},
      {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs},
      {GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
      {GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
       kMinPingIntervalMs},
      {GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeTimeoutMs},
  };
  for (const auto& [name, value] : arguments) {
    builder.AddChannelArgument(name, value);
  }
}

}  // namespace

absl::StatusOr<GrpcServer> StartGrpcServer(
    const ServerOptions& options, const TlsFiles& tls,
    const std::vector<grpc::Service*>& services) {
  KeepLibraryInitialized();
  grpc::ServerBuilder builder;
  SetLimits(options, builder);
  builder.SetContextAllocator(std::make_unique<TimedContexts>());
  GrpcServer result;
  result.connections = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
      MakeServerCredentials(tls));
  for (grpc::Service* service : services) builder.RegisterService(service);
  result.server = builder.BuildAndStart();
  if (result.server == nullptr) {
    return absl::UnavailableError("the gRPC server did not start");
  }
  return result;
}

}  // namespace mulligan
