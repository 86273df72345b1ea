// The flags of commands that ask a server.
#ifndef MULLIGAN_CLIENT_CLI_SERVER_FLAGS_H_
#define MULLIGAN_CLIENT_CLI_SERVER_FLAGS_H_

#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "client/cli/base/command.h"
#include "client/cli/input/policy_files.h"
#include "client/client.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

struct ServerFlags {
  // "HOST:PORT".
  std::string server;
  // The deadline of one call, for absl::ParseDuration: "5s", "500ms".
  std::string deadline;
  ClientTls tls;
};

void AddServerFlags(CLI::App& command, ServerFlags& server);

// INVALID_ARGUMENT names the flag.
absl::StatusOr<std::unique_ptr<Client>> Connect(const ServerFlags& options);

// Returns the status's message, or the probable mistake in the connection.
std::string WhyNot(const ServerFlags& server, const absl::Status& status);

// Flags of commands that decide by themselves: with local policies, or with a
// server if one is named.
struct AskFlags {
  std::vector<std::string> policies;
  std::string policy_name;
  ServerFlags server;
};

void AddAskFlags(CLI::App& command, AskFlags& flags);

// Gets decisions from where the flags say. Open() prints mistakes in the flags
// and returns the exit code. REQUIRES: Open() returned kExitOk before Ask().
class Asker {
 public:
  int Open(const AskFlags& flags, Streams& streams);
  absl::StatusOr<v1::DecideResponse> Ask(v1::DecideRequest request) const;

 private:
  const AskFlags* flags_ = nullptr;
  LoadedPolicies policies_;
  std::unique_ptr<Client> client_;
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_SERVER_FLAGS_H_
