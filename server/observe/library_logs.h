// Messages of gRPC and protobuf in our log.
#ifndef MULLIGAN_SERVER_OBSERVE_LIBRARY_LOGS_H_
#define MULLIGAN_SERVER_OBSERVE_LIBRARY_LOGS_H_

#include "server/observe/log.h"

namespace mulligan {

// Sends the messages that gRPC and protobuf would print to `log` until
// destroyed. The hooks are one per process: make at most one of these at a
// time, before any channel or server exists.
class LibraryLogRedirect {
 public:
  explicit LibraryLogRedirect(const Log& log);
  ~LibraryLogRedirect();
  LibraryLogRedirect(const LibraryLogRedirect&) = delete;
  LibraryLogRedirect& operator=(const LibraryLogRedirect&) = delete;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_LIBRARY_LOGS_H_
