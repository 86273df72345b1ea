// The server's options: flags, each with an environment variable.
#ifndef MULLIGAN_SERVER_OPTIONS_H_
#define MULLIGAN_SERVER_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policy/limits.h"
#include "server/net/tls_files.h"
#include "server/observe/decision_log_options.h"
#include "server/observe/log.h"

namespace mulligan {

struct ServerOptions {
  // gRPC: host:port, where port 0 picks one, or unix:/path.
  std::string listen_address = "127.0.0.1:8980";
  // HTTP for metrics and probes: host:port, or "off".
  std::string admin_address = "127.0.0.1:8981";
  // Folder of policy files; empty: the embedded policies.
  std::string policy_dir;
  // How often to check policy files for changes; 0: never.
  absl::Duration policy_poll = absl::Seconds(10);
  // Folder of candidate policies; empty: none.
  std::string candidate_policy_dir;
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kJson;
  // How long open calls may still take after new ones are refused.
  absl::Duration shutdown_grace = absl::Seconds(20);
  // How long to keep serving after announcing the stop, so that clients and
  // endpoint lists notice.
  absl::Duration drain_delay = absl::Seconds(5);
  // How long reading an answer may take before its call is cancelled.
  absl::Duration send_timeout = absl::Seconds(30);
  // Serve without TLS on an address that other hosts can reach.
  bool allow_plaintext = false;
  bool reflection = true;
  // File for the ports as JSON once the server serves; empty: none.
  std::string port_file;
  int max_message_bytes = static_cast<int>(kMaxRequestBytes);
  // Bytes that all open requests may take together.
  std::int64_t max_memory_bytes = std::int64_t{512} << 20;
  int max_connections = 2000;
  TlsFiles tls;
  // Names in certificates; empty: every certificate signed by the client CA.
  std::vector<std::string> allowed_callers;
  // The same for PolicyService. Reflection answers every caller with an
  // accepted certificate, because schemas are public.
  std::vector<std::string> allowed_policy_callers;
  // Whether requests may contain a policy.
  bool inline_policies = true;
  DecisionLogOptions decision_log;
};

// One flag, for help text and documentation.
struct OptionInfo {
  // "--drain-delay".
  std::string flag;
  // "MULLIGAN_DRAIN_DELAY".
  std::string environment;
  // The default in the notation of a flag.
  std::string default_value;
  std::string help;
};

// Returns all flags in the order of the help text.
std::vector<OptionInfo> OptionTable();

struct CommandLine {
  ServerOptions options;
  // If not empty: print this and exit 0 (--help, --version).
  std::string output;
};

// Returns the value of an environment variable, or null.
using Environment = std::function<const char*(const char* name)>;

// Parses flags (`arguments` without the program's name) and environment. A flag
// takes precedence over its variable; an empty variable counts as absent.
// INVALID_ARGUMENT names every wrong flag or variable, its value and the
// expected form.
absl::StatusOr<CommandLine> ParseCommandLine(
    const std::vector<std::string>& arguments, const Environment& environment);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OPTIONS_H_
