// The whole server in one process: policies, gRPC, admin port, life cycle.
#ifndef MULLIGAN_SERVER_SERVER_H_
#define MULLIGAN_SERVER_SERVER_H_

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/admin/admin_http.h"
#include "server/admin/admin_pages.h"
#include "server/admin/readiness.h"
#include "server/admission/unread_answers.h"
#include "server/net/acceptor.h"
#include "server/net/tls_copies.h"
#include "server/observe/decision_log.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/observe/monitor.h"
#include "server/options.h"
#include "server/policies/policy_reloader.h"
#include "server/policies/policy_source.h"
#include "server/policies/snapshot.h"
#include "server/rpc/health_service.h"
#include "server/rpc/policy_service.h"
#include "server/rpc/reflection_service.h"
#include "server/rpc/retry_decision_service.h"

namespace mulligan {

// Serves from Create until Drain or destruction, which cuts calls off.
class Server {
 public:
  // Loads the policies, then opens both ports. INVALID_ARGUMENT lists every
  // issue of the policies, one per line; UNAVAILABLE if it cannot listen on a
  // port. `source` and `log` must outlive the server.
  static absl::StatusOr<std::unique_ptr<Server>> Create(
      const ServerOptions& options, PolicySource& source, const Log& log);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Announces the stop (readiness, health) and serves for the drain delay. Then
  // takes no new calls (UNAVAILABLE) and waits for open ones within the grace.
  // Returns the number of calls cut off, which also end with UNAVAILABLE. Call
  // once.
  std::int64_t Drain();

  // The reloader of the policies; for tests.
  PolicyReloader& policies() { return *policies_; }
  // Reloads the policies and the candidate policies.
  void Reload();

  // 0 for a unix socket.
  int grpc_port() const { return grpc_port_; }
  // 0 if the admin port is off.
  int admin_port() const { return admin_ == nullptr ? 0 : admin_->port(); }
  const ServerOptions& options() const { return options_; }
  const Metrics& metrics() const { return *metrics_; }

 private:
  Server(const ServerOptions& options, const Log& log,
         std::unique_ptr<Metrics> metrics,
         std::unique_ptr<PolicyReloader> policies,
         std::unique_ptr<DecisionLog> decision_log);

  // Returns the environment of a service with these callers.
  CallEnvironment Environment(const AllowList& allowed);
  absl::Status Listen();
  void RunChecks();
  // Uses changed files, or logs once why they cannot be used.
  void CheckTlsFiles();
  void SetReady(bool ready);
  // The snapshots of the candidate policies; null if there are none.
  const SnapshotStore* candidate() const {
    return candidate_ == nullptr ? nullptr : &candidate_->snapshots();
  }
  // Refuses new and waiting calls once the server stops.
  void RefuseCalls();

  // In the order of construction; the ports are destroyed first.
  const ServerOptions options_;
  const Log& log_;
  const std::unique_ptr<Metrics> metrics_;
  const std::unique_ptr<PolicyReloader> policies_;
  // Null if there are no candidate policies.
  const std::unique_ptr<PolicySource> candidate_source_;
  const std::unique_ptr<PolicyReloader> candidate_;
  Readiness readiness_;
  const AdminPages pages_;
  Arrivals arrivals_;
  MemoryGauge memory_;
  UnreadAnswers unread_;
  const AllowList decision_callers_;
  const AllowList policy_callers_;
  const std::unique_ptr<InlinePolicies> inline_policies_;
  const std::unique_ptr<DecisionLog> decision_log_;  // null: off
  // Its calls use all of the above and end before the services are destroyed.
  WorkPool pool_;
  HealthService health_;
  RetryDecisionService decisions_;
  PolicyService policy_service_;
  ReflectionService reflection_;
  ReflectionService reflection_alpha_;
  std::unique_ptr<TlsCopies> tls_;  // null: no TLS
  absl::Status tls_status_;         // of the last check
  std::unique_ptr<AdminHttp> admin_;
  std::unique_ptr<grpc::Server> grpc_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> connections_;
  std::unique_ptr<Acceptor> acceptor_;
  std::unique_ptr<Monitor> monitor_;
  int listening_socket_ = -1;
  int grpc_port_ = 0;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_SERVER_H_
