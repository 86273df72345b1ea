// Messages of gRPC and protobuf in our log.
#ifndef MULLIGAN_SERVER_OBSERVE_LIBRARY_LOGS_H_
#define MULLIGAN_SERVER_OBSERVE_LIBRARY_LOGS_H_

#include "server/observe/log.h"

namespace mulligan {

// Redirects messages of gRPC and protobuf to `log` until destroyed. The hooks
// are per process.
// REQUIRES: at most one at a time, created before any channel or server.
class LibraryLogRedirect {
 public:
  explicit LibraryLogRedirect(const Log& log);
  ~LibraryLogRedirect();
  LibraryLogRedirect(const LibraryLogRedirect&) = delete;
  LibraryLogRedirect& operator=(const LibraryLogRedirect&) = delete;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_LIBRARY_LOGS_H_
