#include "server/options.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "mulligan_build_info.h"
#include "policy/base/utf8.h"
#include "server/net/address.h"
#include "server/option_values.h"
#include "server/options_validation.h"

namespace mulligan {
namespace {

constexpr std::int64_t kMinMemoryLimit = std::int64_t{16} << 20;
constexpr std::int64_t kMaxConnectionsLimit = 1'000'000;
constexpr std::int64_t kMinLogBytes = std::int64_t{64} << 10;
constexpr std::int64_t kMaxLogBytes = std::int64_t{1} << 40;
constexpr std::int64_t kMaxLogFiles = 10'000;
constexpr std::int64_t kMaxMemoryLimit = std::int64_t{1} << 40;

// Stores the value and returns "", or returns the expected form.
using Apply = std::string (*)(const std::string& value, ServerOptions& options);

struct Option {
  const char* name;
  const char* default_value;
  const char* help;
  Apply apply;
  // Repeating it is an error; of other flags the last value counts.
  bool once = false;
};

std::string ApplyListenAddress(const std::string& value, ServerOptions& o) {
  if (!ParseAddress(value).has_value()) {
    return "host:port such as 127.0.0.1:8980, [::]:8980, or unix:/path";
  }
  o.listen_address = value;
  return "";
}

std::string ApplyAdminAddress(const std::string& value, ServerOptions& o) {
  const auto address = ParseAddress(value);
  if (value != "off" && (!address.has_value() || address->unix_socket)) {
    return "host:port such as 127.0.0.1:8981 or [::]:8981, or off";
  }
  o.admin_address = value;
  return "";
}

template <std::string ServerOptions::*member>
std::string ApplyPath(const std::string& value, ServerOptions& o) {
  o.*member = value;
  return value.empty() ? "a path" : "";
}

template <std::string TlsFiles::*member>
std::string ApplyFile(const std::string& value, ServerOptions& o) {
  o.tls.*member = value;
  return value.empty() ? "a file" : "";
}

template <absl::Duration ServerOptions::*member>
std::string ApplyTime(const std::string& value, ServerOptions& o) {
  return ApplyDuration(value, o.*member);
}

template <std::vector<std::string> ServerOptions::*member>
std::string ApplyCallers(const std::string& value, ServerOptions& o) {
  return ApplyNames(value, o.*member);
}

template <bool ServerOptions::*member>
std::string ApplySwitch(const std::string& value, ServerOptions& o) {
  return ApplyBool(value, o.*member);
}

std::string ApplyPolicyPoll(const std::string& value, ServerOptions& o) {
  constexpr absl::Duration kLeast = absl::Milliseconds(100);
  absl::Duration interval = o.policy_poll;
  if (!ApplyDuration(value, interval).empty() ||
      (interval > absl::ZeroDuration() && interval < kLeast)) {
    return "a duration such as 10s, from 100ms to 10m, or 0 for never";
  }
  o.policy_poll = interval;
  return "";
}

std::string ApplySendTimeout(const std::string& value, ServerOptions& o) {
  absl::Duration timeout = o.send_timeout;
  if (!ApplyDuration(value, timeout).empty() || timeout < absl::Seconds(1)) {
    return "a duration such as 30s, from 1s to 10m";
  }
  o.send_timeout = timeout;
  return "";
}

std::string ApplyLogLevel(const std::string& value, ServerOptions& o) {
  static constexpr std::pair<const char*, LogLevel> kLevels[] = {
      {"debug", LogLevel::kDebug},
      {"info", LogLevel::kInfo},
      {"warning", LogLevel::kWarning},
      {"error", LogLevel::kError}};
  for (const auto& [name, level] : kLevels) {
    if (value != name) continue;
    o.log_level = level;
    return "";
  }
  return "debug, info, warning or error";
}

std::string ApplyLogFormat(const std::string& value, ServerOptions& o) {
  if (value != "json" && value != "text") return "json or text";
  o.log_format = value == "json" ? LogFormat::kJson : LogFormat::kText;
  return "";
}

std::string ApplyMaxMessageBytes(const std::string& value, ServerOptions& o) {
  std::int64_t bytes = o.max_message_bytes;
  std::string expected =
      ApplyBytes(value, kMinMessageBytesLimit, kMaxMessageBytesLimit, bytes);
  o.max_message_bytes = static_cast<int>(bytes);
  return expected;
}

std::string ApplyMaxMemory(const std::string& value, ServerOptions& o) {
  return ApplyBytes(value, kMinMemoryLimit, kMaxMemoryLimit,
                    o.max_memory_bytes);
}

std::string ApplyMaxConnections(const std::string& value, ServerOptions& o) {
  std::int64_t connections = 0;
  std::string expected =
      ApplyCount(value, 1, kMaxConnectionsLimit, connections);
  if (expected.empty()) o.max_connections = static_cast<int>(connections);
  return expected;
}

std::string ApplyInlinePolicies(const std::string& value, ServerOptions& o) {
  if (value != "on" && value != "off") return "on or off";
  o.inline_policies = value == "on";
  return "";
}

std::string ApplyDecisionLog(const std::string& value, ServerOptions& o) {
  if (value.empty() || (value != "off" && absl::EqualsIgnoreCase(value, "off")))
    return "a file (one called OFF is ./OFF), - for standard output, or off";
  o.decision_log.path = value;
  return "";
}

constexpr Option kOptions[] = {
    {"listen-address", "127.0.0.1:8980",
     "gRPC address: host:port (port 0 picks a free one) or unix:/path",
     ApplyListenAddress},
    {"admin-address", "127.0.0.1:8981",
     "HTTP address of metrics and probes: host:port, or off",
     ApplyAdminAddress},
    {"policy-dir", "",
     "folder of policy files (*.yaml, *.yml); the embedded policies without it",
     ApplyPath<&ServerOptions::policy_dir>, true},
    {"candidate-policy-dir", "",
     "folder of candidate policies, evaluated in addition to those in force",
     ApplyPath<&ServerOptions::candidate_policy_dir>, true},
    {"policy-poll", "10s",
     "how often to check the policy files for changes; 0: only on SIGHUP",
     ApplyPolicyPoll},
    {"log-level", "info", "lowest level logged: debug, info, warning or error",
     ApplyLogLevel},
    {"log-format", "json", "json or text", ApplyLogFormat},
    {"drain-delay", "5s",
     "time to keep serving after a stop signal, while not ready",
     ApplyTime<&ServerOptions::drain_delay>},
    {"shutdown-grace", "20s",
     "time for open calls to finish after the drain delay",
     ApplyTime<&ServerOptions::shutdown_grace>},
    {"send-timeout", "30s",
     "how long an answer may take to be read; then its call is cancelled",
     ApplySendTimeout},
    {"allow-plaintext", "false",
     "serve without TLS on an address that other hosts can reach",
     ApplySwitch<&ServerOptions::allow_plaintext>},
    {"reflection", "true", "serve gRPC reflection",
     ApplySwitch<&ServerOptions::reflection>},
    {"max-message-bytes", "4194304", "largest request accepted, in bytes",
     ApplyMaxMessageBytes},
    {"max-memory", "536870912",
     "bytes that all open requests may take in total", ApplyMaxMemory},
    {"max-connections", "2000",
     "gRPC connections at a time; more are closed at once",
     ApplyMaxConnections},
    {"tls-cert", "", "file with the server's certificate and chain, PEM",
     ApplyFile<&TlsFiles::certificate>},
    {"tls-key", "", "file with the key of the certificate, PEM",
     ApplyFile<&TlsFiles::key>},
    {"tls-client-ca", "",
     "file with the CA of client certificates, PEM; callers then need one",
     ApplyFile<&TlsFiles::client_ca>},
    {"allow-callers", "",
     "certificate names of callers that may request decisions; * matches "
     "anything",
     ApplyCallers<&ServerOptions::allowed_callers>, true},
    {"allow-policy-callers", "", "the same for PolicyService",
     ApplyCallers<&ServerOptions::allowed_policy_callers>, true},
    {"inline-policies", "on",
     "on or off: whether requests may contain a policy", ApplyInlinePolicies},
    {"decision-log", "off",
     "file for one JSON line per decision, - for standard output, or off",
     ApplyDecisionLog},
    {"decision-log-max-bytes", "104857600",
     "size in bytes at which the decision log starts a new file",
     [](const std::string& v, ServerOptions& o) {
       return ApplyBytes(v, kMinLogBytes, kMaxLogBytes,
                         o.decision_log.max_file_bytes);
     }},
    {"decision-log-files", "10",
     "decision log files kept, including the current one",
     [](const std::string& v, ServerOptions& o) {
       return ApplyCount(v, 1, kMaxLogFiles, o.decision_log.files);
     }},
    {"decision-log-queue-bytes", "33554432",
     "bytes of decisions that may wait to be logged; more are dropped",
     [](const std::string& v, ServerOptions& o) {
       return ApplyBytes(v, kMinLogBytes, kMaxLogBytes,
                         o.decision_log.queue_bytes);
     }},
    {"decision-log-sample", "1",
     "share of workloads whose decisions are logged, 0 to 1",
     [](const std::string& v, ServerOptions& o) {
       return ApplyShare(v, o.decision_log.sample);
     }},
    {"decision-log-redact", "",
     "fields blanked in the decision log, such as "
     "request.report.pods.metadata.annotations, separated by commas",
     [](const std::string& v, ServerOptions& o) {
       return ApplyRecordFields(v, o.decision_log.redact);
     },
     true},
    {"port-file", "",
     "file that receives the bound ports as JSON once calls are served",
     ApplyPath<&ServerOptions::port_file>},
};

std::string FlagName(const Option& option) {
  return "--" + std::string(option.name);
}

std::string EnvironmentName(std::string_view option) {
  std::string name = "MULLIGAN_";
  for (const char c : option) {
    name += c == '-' ? '_' : static_cast<char>(std::toupper(c));
  }
  return name;
}

std::string HelpText() {
  std::string text =
      "mulligan-server: decides over gRPC whether failed batch work is "
      "retried.\n\nUsage: mulligan-server [--flag=value ...]\n\n";
  for (const OptionInfo& option : OptionTable()) {
    absl::StrAppendFormat(&text, "  %-27s %s\n", option.flag, option.help);
    absl::StrAppendFormat(&text, "  %-27s [%s%s%s]\n", "", option.environment,
                          option.default_value.empty() ? "" : ", default ",
                          option.default_value);
  }
  text +=
      "  --help                      this text\n"
      "  --version                   version and commit\n\n"
      "A flag overrides its environment variable. Of a repeated flag the last\n"
      "value counts; policy folders and lists are given once. Exit codes:\n"
      "0 stopped after all calls had ended, 1 could not start, 2 wrong usage,\n"
      "3 policies could not be loaded, 4 stopped with calls still open.\n"
      "Signals: SIGTERM or SIGINT drains and stops, a second one stops at\n"
      "once; SIGHUP reloads the policies.\n";
  return text;
}

std::string VersionText() {
  return absl::StrFormat("mulligan-server %s (commit %s, %s)\n", kVersion,
                         kCommit, kCompiler);
}

// Whether the flag may be given without a value.
bool IsSwitch(const Option& option) {
  const std::string_view value = option.default_value;
  return value == "true" || value == "false";
}

std::string NotValid(const std::string& source, const std::string& value,
                     const std::string& expected) {
  return Visible(absl::StrFormat("%s: \"%s\" is not valid; expected %s", source,
                                 value, expected));
}

struct Flags {
  // The last value given, by option.
  std::map<std::string, std::string> values;
  bool help = false;
  bool version = false;
  // Arguments that are not flags.
  std::vector<std::string> problems;
};

// Accepts --flag=value, --flag value, and --flag alone for switches.
Flags ReadFlags(const std::vector<std::string>& arguments) {
  Flags flags;
  for (auto next = arguments.begin(); next != arguments.end();) {
    const std::string& argument = *next++;
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    std::optional<std::string> value;
    if (equals != std::string::npos) value = argument.substr(equals + 1);
    if (name == "--help" || name == "-h" || name == "--version") {
      (name == "--version" ? flags.version : flags.help) = true;
      if (value.has_value()) {
        flags.problems.push_back(NotValid(name, *value, "no value"));
      }
      continue;
    }
    const Option* const option = std::find_if(
        std::begin(kOptions), std::end(kOptions),
        [&name](const Option& one) { return name == FlagName(one); });
    if (option == std::end(kOptions)) {
      flags.problems.push_back(Visible(
          absl::StrFormat("\"%s\" is not a flag; see --help", argument)));
      continue;
    }
    if (!value.has_value() && next != arguments.end() &&
        (*next == "-" || !absl::StartsWith(*next, "-"))) {
      value = *next++;
    }
    std::string& given = flags.values[option->name];
    if (option->once && !given.empty()) {
      flags.problems.push_back(Visible(absl::StrFormat(
          "%s: given twice, with \"%s\" first; expected once", name, given)));
    }
    given = value.value_or(IsSwitch(*option) ? "true" : "");
  }
  return flags;
}

}  // namespace

std::vector<OptionInfo> OptionTable() {
  std::vector<OptionInfo> table;
  for (const Option& option : kOptions) {
    table.push_back({FlagName(option), EnvironmentName(option.name),
                     option.default_value, option.help});
  }
  return table;
}

absl::StatusOr<CommandLine> ParseCommandLine(
    const std::vector<std::string>& arguments, const Environment& environment) {
  CommandLine result;
  Flags flags = ReadFlags(arguments);
  std::vector<std::string>& problems = flags.problems;
  if (problems.empty() && (flags.help || flags.version)) {
    result.output = flags.help ? HelpText() : VersionText();
    return result;
  }
  for (const Option& option : kOptions) {
    std::string source = FlagName(option);
    std::string value;
    if (const auto flag = flags.values.find(option.name);
        flag != flags.values.end()) {
      value = flag->second;
    } else {
      source = EnvironmentName(option.name);
      const char* variable = environment(source.c_str());
      if (variable == nullptr || *variable == '\0') continue;
      value = variable;
    }
    const std::string expected = option.apply(value, result.options);
    if (!expected.empty())
      problems.push_back(NotValid(source, value, expected));
  }
  for (const absl::Status& checked :
       {ValidateOptions(result.options), ValidateMemory(result.options)}) {
    if (!checked.ok()) {
      problems.push_back(Visible(std::string(checked.message())));
    }
  }
  if (!problems.empty()) {
    return absl::InvalidArgumentError(absl::StrJoin(problems, "\n"));
  }
  return result;
}

}  // namespace mulligan
