// The whole server in one process: policies, gRPC, admin port, life cycle.
#ifndef MULLIGAN_SERVER_SERVER_H_
#define MULLIGAN_SERVER_SERVER_H_

#include <grpcpp/server.h>

#include <memory>

#include "absl/status/statusor.h"
#include "server/admin_http.h"
#include "server/admin_pages.h"
#include "server/health_service.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/options.h"
#include "server/policy_service.h"
#include "server/policy_source.h"
#include "server/readiness.h"
#include "server/reflection_service.h"
#include "server/retry_decision_service.h"
#include "server/snapshot.h"

namespace mulligan {

// Serves from Create until Drain or destruction, which cuts calls off.
class Server {
 public:
  // Loads the policies, then opens both ports. INVALID_ARGUMENT when the
  // policies have errors (every issue, one a line), UNAVAILABLE when a port
  // cannot be had. `log` outlives the server.
  static absl::StatusOr<std::unique_ptr<Server>> Create(
      const ServerOptions& options, PolicySource& source, const Log& log);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Announces the stop (readiness, health), serves on for the drain delay,
  // then takes no new calls and waits for those under way, at most the grace.
  // Call once.
  void Drain();

  // 0 for a unix socket.
  int grpc_port() const { return grpc_port_; }
  // 0 when the admin port is off.
  int admin_port() const { return admin_ == nullptr ? 0 : admin_->port(); }
  const ServerOptions& options() const { return options_; }
  const Metrics& metrics() const { return *metrics_; }
  // A reloader publishes here.
  SnapshotStore& snapshots() { return snapshots_; }

 private:
  Server(const ServerOptions& options, const Log& log,
         std::unique_ptr<Metrics> metrics,
         std::shared_ptr<const Snapshot> first);

  absl::Status Listen();
  void SetReady(bool ready);

  // In the order of construction; the ports go first when destroyed.
  const ServerOptions options_;
  const Log& log_;
  const std::unique_ptr<Metrics> metrics_;
  SnapshotStore snapshots_;
  Readiness readiness_;
  const AdminPages pages_;
  HealthService health_;
  RetryDecisionService decisions_;
  PolicyService policies_;
  ReflectionService reflection_;
  ReflectionService reflection_alpha_;
  std::unique_ptr<AdminHttp> admin_;
  std::unique_ptr<grpc::Server> grpc_;
  int grpc_port_ = 0;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_SERVER_H_
