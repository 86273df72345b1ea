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
  // Loads the policies, then opens both ports. INVALID_ARGUMENT when the
  // policies have errors (every issue, one a line), UNAVAILABLE when a port
  // cannot be had. `source` and `log` outlive the server.
  static absl::StatusOr<std::unique_ptr<Server>> Create(
      const ServerOptions& options, PolicySource& source, const Log& log);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Announces the stop (readiness, health), serves on for the drain delay,
  // then takes no new calls (UNAVAILABLE) and waits for those under way, at
  // most the grace. Returns how many it had to cut off, which end with
  // UNAVAILABLE, too. Call once.
  std::int64_t Drain();

  // What keeps the policies up to date; asked by tests.
  PolicyReloader& policies() { return *policies_; }
  // Loads the policies again, and those that are tried out.
  void Reload();

  // 0 for a unix socket.
  int grpc_port() const { return grpc_port_; }
  // 0 when the admin port is off.
  int admin_port() const { return admin_ == nullptr ? 0 : admin_->port(); }
  const ServerOptions& options() const { return options_; }
  const Metrics& metrics() const { return *metrics_; }

 private:
  Server(const ServerOptions& options, const Log& log,
         std::unique_ptr<Metrics> metrics,
         std::unique_ptr<PolicyReloader> policies,
         std::unique_ptr<DecisionLog> decision_log);

  // What a service works with whose callers are on the list.
  CallEnvironment Environment(const AllowList& allowed);
  absl::Status Listen();
  void Look();
  // Takes those that have changed, or says once why not.
  void LookAtTlsFiles();
  void SetReady(bool ready);
  // Of those that are tried out; null: none.
  const SnapshotStore* candidate() const {
    return candidate_ == nullptr ? nullptr : &candidate_->snapshots();
  }
  // What new and waiting calls meet once the server stops.
  void TakeNoCalls();

  // In the order of construction; the ports go first when destroyed.
  const ServerOptions options_;
  const Log& log_;
  const std::unique_ptr<Metrics> metrics_;
  const std::unique_ptr<PolicyReloader> policies_;
  // Null: none are tried out.
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
  // Calls in it use all above and are ended before the services go.
  WorkPool pool_;
  HealthService health_;
  RetryDecisionService decisions_;
  PolicyService policy_service_;
  ReflectionService reflection_;
  ReflectionService reflection_alpha_;
  std::unique_ptr<TlsCopies> tls_;  // null: no TLS
  absl::Status tls_status_;         // of the last look
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
