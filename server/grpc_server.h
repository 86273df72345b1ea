// The gRPC server around the services.
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
  // Takes over connections; acceptor.h says why it does not listen itself.
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> connections;
};

// Starts the server with `tls`, not the options'. Services must outlive it.
absl::StatusOr<GrpcServer> StartGrpcServer(
    const ServerOptions& options, const TlsFiles& tls,
    const std::vector<grpc::Service*>& services);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_GRPC_SERVER_H_
