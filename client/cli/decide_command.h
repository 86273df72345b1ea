// `mulligan decide`: asks a server.
#ifndef MULLIGAN_CLIENT_CLI_DECIDE_COMMAND_H_
#define MULLIGAN_CLIENT_CLI_DECIDE_COMMAND_H_

#include <string>

#include "client/cli/base/command.h"
#include "client/cli/input/request_options.h"
#include "client/client.h"

namespace mulligan::cli {

struct ServerOptions {
  // "HOST:PORT".
  std::string server;
  // Of one call, as absl::ParseDuration takes it: "5s", "500ms".
  std::string deadline;
  ClientTls tls;
};

struct DecideOptions {
  RequestOptions request;
  OutputOptions output;
  ServerOptions server;
  // Requests per call with --requests; 1 uses Decide, more BatchDecide.
  int batch = 1;
  // Somebody is looking: not counted in the server's metrics.
  bool preview = false;
};

struct HealthOptions {
  ServerOptions server;
  // Name as in grpc.health.v1; empty for the server as a whole.
  std::string service;
};

// Return the exit code.
int RunDecide(const DecideOptions& options, Streams& streams);
int RunHealthcheck(const HealthOptions& options, Streams& streams);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DECIDE_COMMAND_H_
