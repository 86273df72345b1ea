// grpc.health.v1.Health. The library's own is not used, because its open Watch
// delays Shutdown until its deadline and because it is enabled per process.
#ifndef MULLIGAN_SERVER_RPC_HEALTH_SERVICE_H_
#define MULLIGAN_SERVER_RPC_HEALTH_SERVICE_H_

#include <grpcpp/support/server_callback.h>

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "grpc/health/v1/health.grpc.pb.h"
#include "server/observe/metrics.h"

namespace mulligan {

// Health by service name. Thread-safe.
class HealthService final : public grpc::health::v1::Health::CallbackService {
 public:
  // Answers for `names`, not serving at first. `metrics` must outlive this.
  HealthService(const std::vector<std::string>& names, Metrics& metrics);

  // Sets the health of one of the names and notifies watchers.
  void SetServing(const std::string& name, bool serving);

  // Ends every Watch, present and future, with UNAVAILABLE, so that the server
  // can stop and clients turn to another replica.
  void EndWatches();

  grpc::ServerUnaryReactor* Check(
      grpc::CallbackServerContext* context,
      const grpc::health::v1::HealthCheckRequest* request,
      grpc::health::v1::HealthCheckResponse* response) override;
  grpc::ServerWriteReactor<grpc::health::v1::HealthCheckResponse>* Watch(
      grpc::CallbackServerContext* context,
      const grpc::health::v1::HealthCheckRequest* request) override;

 private:
  class Watcher;

  Metrics& metrics_;
  std::mutex mutex_;
  // All guarded by mutex_.
  std::map<std::string, bool> serving_;
  std::set<Watcher*> watchers_;
  bool ended_ = false;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_RPC_HEALTH_SERVICE_H_
