// Builds the gRPC server around the services.
#ifndef MULLIGAN_SERVER_GRPC_SERVER_H_
#define MULLIGAN_SERVER_GRPC_SERVER_H_

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "server/options.h"

namespace mulligan {

struct GrpcServer {
  std::unique_ptr<grpc::Server> server;
  // Takes connections over; see acceptor.h for why it does not listen itself.
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> connections;
};

// Starts the server; the services outlive it. `tls` in place of the options'.
absl::StatusOr<GrpcServer> StartGrpcServer(
    const ServerOptions& options, const TlsFiles& tls,
    const std::vector<grpc::Service*>& services);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_GRPC_SERVER_H_
