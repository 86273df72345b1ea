// gRPC's own messages in our log.
#ifndef MULLIGAN_SERVER_GRPC_LOG_H_
#define MULLIGAN_SERVER_GRPC_LOG_H_

#include "server/log.h"

namespace mulligan {

// Sends the messages of gRPC's own code to `log` until destroyed. The hook is
// one per process: make at most one of these at a time, before any channel or
// server exists.
class GrpcLogRedirect {
 public:
  explicit GrpcLogRedirect(const Log& log);
  ~GrpcLogRedirect();
  GrpcLogRedirect(const GrpcLogRedirect&) = delete;
  GrpcLogRedirect& operator=(const GrpcLogRedirect&) = delete;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_GRPC_LOG_H_
