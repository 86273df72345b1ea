// Builds the gRPC server around the services.
#ifndef MULLIGAN_SERVER_GRPC_SERVER_H_
#define MULLIGAN_SERVER_GRPC_SERVER_H_

#include <grpcpp/server.h>

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "server/options.h"

namespace mulligan {

struct ListeningServer {
  std::unique_ptr<grpc::Server> server;
  // 0 for a unix socket.
  int port = 0;
};

// Listens on options.listen_address. UNAVAILABLE when it cannot, also when
// another server has the port. The services outlive the server.
absl::StatusOr<ListeningServer> StartGrpcServer(
    const ServerOptions& options, const std::vector<grpc::Service*>& services);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_GRPC_SERVER_H_
