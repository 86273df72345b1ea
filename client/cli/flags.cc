#include "client/cli/flags.h"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_format.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/json_to_yaml.h"
#include "client/cli/command_line.h"
#include "client/cli/decide_command.h"
#include "client/cli/explain_command.h"
#include "client/cli/output_flags.h"
#include "client/cli/policy_flags.h"
#include "client/cli/replay_command.h"
#include "mulligan_build_info.h"
#include "policy/limits.h"

namespace mulligan::cli {
namespace {

constexpr int kMostThreads = 1024;
constexpr char kDefaultServer[] = "127.0.0.1:8980";

constexpr char kMainFooter[] = R"(Example:
  kubectl get pod X -o json | mulligan explain -
  mulligan help explain

Exit codes: 0 answered, 1 internal error, 2 bad flag or input,
3 invalid policy, 4 no answer from the server.)";

constexpr char kInputHelp[] = "Kubernetes objects, JSON or YAML; \"-\": stdin";

// CLI11's own puts every exclusion beside the flag.
class HelpFormatter : public CLI::Formatter {
 public:
  // The name of an argument is its type.
  std::string make_option(const CLI::Option* option,
                          bool is_positional) const override {
    if (!is_positional) return Formatter::make_option(option, false);
    std::ostringstream out;
    CLI::detail::format_help(out, make_option_name(option, true),
                             make_option_desc(option), get_column_width());
    return out.str();
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    const std::string type = option->get_type_name();
    // Checks are part of the type's name: "N:INT in [1 - 1000]".
    const size_t end = std::min(type.find(":{"), type.find(":INT"));
    if (!type.empty()) text += " " + type.substr(0, end);
    if (!option->get_default_str().empty()) {
      text += "=" + option->get_default_str();
    }
    return text;
  }
};

// What the flags of all commands are stored in.
struct Values {
  ExplainOptions explain;
  DecideOptions decide;
  HealthOptions health;
  PolicyValues policy;
  ReplayOptions replay;
  OutputFlags output;
};

void AddRequestFlags(CLI::App& command, RequestOptions& request) {
  // Two options, because CLI11 takes no positional after the flag of an option
  // that is both.
  const auto append = [&request](const std::vector<std::string>& files) {
    request.files.insert(request.files.end(), files.begin(), files.end());
  };
  const auto files = [&](const char* names, const char* help) {
    return command
        .add_option_function<std::vector<std::string>>(names, append, help)
        ->type_name("FILE")
        ->allow_extra_args(false);
  };
  CLI::Option* flagged = files("-f,--filename", kInputHelp);
  CLI::Option* positional = files("FILE", "As -f")->expected(-1);
  CLI::Option* requests =
      command.add_option("--requests", request.requests,
                         "DecideRequests, one JSON object per line");
  requests->type_name("FILE")->excludes(flagged)->excludes(positional);
  const auto single = [&](const char* name, auto& value, const char* help,
                          const char* type) {
    return command.add_option(name, value, help)
        ->type_name(type)
        ->excludes(requests);
  };
  single("--ledger", request.ledger,
         "Ledger of the last answer; default: annotation", "FILE");
  single("--ledger-out", request.ledger_out, "Where to store the new ledger",
         "FILE");
  single("--policy-name", request.policy_name,
         "Deciding policy; default: first that fits", "NAME");
  command
      .add_flag("--compare-native", request.compare_native,
                "What the workload's own operator says, in full")
      ->excludes(requests);
  single("--workload", request.workload,
         "Of several workloads this one, as kubectl names it", "KIND/NAME");
  single("--explain", request.explain, "none, summary or full", "LEVEL")
      ->check(CLI::IsMember({"none", "summary", "full"}));
  single("--observed-at", request.observed_at,
         "When the failure was observed; default: now", "RFC3339");
  single("--failure-id", request.failure_id,
         "Name of this failure; default: derived", "ID");
  single("--attempt", request.attempt, "Number of the attempt that failed", "N")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
}

void AddServerFlags(CLI::App& command, ServerOptions& server) {
  server.server = kDefaultServer;
  server.deadline = "5s";
  command.add_option("--server", server.server, "Server to ask")
      ->envname("MULLIGAN_SERVER")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  command.add_option("--deadline", server.deadline, "For one call")
      ->type_name("DURATION")
      ->capture_default_str();
  const auto file = [&command](const char* name, std::string& value,
                               const char* help) {
    return command.add_option(name, value, help)->type_name("FILE");
  };
  CLI::Option* ca =
      file("--tls-ca", server.tls.ca, "Who signs the server's certificate; PEM")
          ->envname("MULLIGAN_TLS_CA");
  CLI::Option* certificate = file("--tls-cert", server.tls.certificate,
                                  "Own certificate with its chain, PEM")
                                 ->envname("MULLIGAN_TLS_CERT")
                                 ->needs(ca);
  CLI::Option* key =
      file("--tls-key", server.tls.key, "Key of the certificate, PEM")
          ->envname("MULLIGAN_TLS_KEY")
          ->needs(certificate);
  certificate->needs(key);
  command
      .add_option("--tls-server-name", server.tls.server_name,
                  "Name in the server's certificate, when not HOST")
      ->type_name("NAME")
      ->needs(ca);
}

// Of commands that answer about a workload.
const std::vector<std::string> kAnswerFormats = {"human", "json", "yaml",
                                                 "html"};

// With no file named, `... | mulligan explain` still says what is meant.
bool DefaultToStandardInput(RequestOptions& request, Streams& streams) {
  if (!request.files.empty() || !request.requests.empty()) return true;
  if (isatty(STDIN_FILENO) != 0) {
    PrintError(streams,
               "no input: expected -f FILE, \"-\" or --requests FILE (see "
               "--help)");
    return false;
  }
  request.files.emplace_back("-");
  return true;
}

void AddExplain(CLI::App& app, Values& values, Streams& streams, int& code) {
  CLI::App& command = *app.add_subcommand(
      "explain", "Say what happened and what to do, without a server");
  command.footer(R"(Examples:
  kubectl get pod X -o json | mulligan explain -
  kubectl get pods,jobs,events -o json | mulligan explain -
  mulligan explain -f pod.yaml -f job.yaml -f events.json --policy policies/
  kubectl get job,pods,events -o json | mulligan explain -o html - > why.html
  mulligan explain --requests failures.jsonl > answers.jsonl)");
  AddRequestFlags(command, values.explain.request);
  command
      .add_option("--policy", values.explain.policies,
                  "Policy file or directory; default: embedded")
      ->type_name("PATH")
      ->allow_extra_args(false);
  AddOutputFlags(command, values.output, kAnswerFormats);
  command.callback([&values, &streams, &code] {
    values.explain.output = ToOptions(values.output);
    code = DefaultToStandardInput(values.explain.request, streams)
               ? RunExplain(values.explain, streams)
               : kExitUsage;
  });
}

void AddDecide(CLI::App& app, Values& values, Streams& streams, int& code) {
  CLI::App& command =
      *app.add_subcommand("decide", "Ask a server for its decision");
  command.footer(R"(Examples:
  mulligan decide --server mulligan:8980 -f pod.json -o json
  mulligan decide --requests failures.jsonl --batch 100 > answers.jsonl)");
  AddServerFlags(command, values.decide.server);
  AddRequestFlags(command, values.decide.request);
  command
      .add_option("--batch", values.decide.batch,
                  "Requests per call with --requests")
      ->check(CLI::Range(1, kMaxBatchItems))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_flag("--preview", values.decide.preview,
                "Only look: not counted in the server's metrics")
      ->excludes("--requests");
  AddOutputFlags(command, values.output, kAnswerFormats);
  command.callback([&values, &streams, &code] {
    values.decide.output = ToOptions(values.output);
    code = DefaultToStandardInput(values.decide.request, streams)
               ? RunDecide(values.decide, streams)
               : kExitUsage;
  });
}

void AddReplay(CLI::App& app, Values& values, Streams& streams, int& code) {
  CLI::App& command = *app.add_subcommand(
      "replay", "Say what other policies would have decided");
  command.footer(R"(Examples:
  mulligan replay decisions.jsonl* --policy candidate.yaml
  mulligan replay logs/ --policy policies/ -o html > replay.html
  mulligan replay logs/ --policy policies/ --shard 0/8 -o json > 0.json
  mulligan replay --merge *.json)");
  ReplayOptions& replay = values.replay;
  command
      .add_option("LOG", replay.logs,
                  "Decision logs, also .gz, or directories; \"-\": stdin")
      ->required()
      ->type_name("LOG");
  CLI::Option* policy =
      command
          .add_option("--policy", replay.policies,
                      "Policy file or directory; default: embedded")
          ->type_name("PATH")
          ->allow_extra_args(false);
  CLI::Option* shard = command
                           .add_option("--shard", replay.shard,
                                       "Part I of N of the lines, I from 0")
                           ->type_name("I/N");
  command.add_option("--threads", replay.threads, "Default: all processors")
      ->check(CLI::Range(1, kMostThreads))
      ->type_name("N");
  command
      .add_flag("--merge", replay.merge, "LOG are results (-o json) to add up")
      ->excludes(policy)
      ->excludes(shard);
  command.add_option("-o,--output", replay.output, "text, json or html")
      ->check(CLI::IsMember({"text", "json", "html"}))
      ->type_name("FORMAT");
  command.callback(
      [&values, &streams, &code] { code = RunReplay(values.replay, streams); });
}

void AddHealthcheck(CLI::App& app, Values& values, Streams& streams,
                    int& code) {
  CLI::App& command = *app.add_subcommand(
      "healthcheck", "Ask a server whether it serves (grpc.health.v1)");
  command.footer(R"(Example:
  mulligan healthcheck --server mulligan:8980 --service readiness)");
  AddServerFlags(command, values.health.server);
  command
      .add_option("--service", values.health.service,
                  "Service name; default: the server as a whole")
      ->type_name("NAME");
  command.callback([&values, &streams, &code] {
    code = RunHealthcheck(values.health, streams);
  });
}

std::string VersionText() {
  return absl::StrFormat("mulligan %s (commit %s, %s, %s)", kVersion, kCommit,
                         kBuildType, kCompiler);
}

void AddVersion(CLI::App& app, Values& values, Streams& streams, int& code) {
  app.set_version_flag("-V,--version", VersionText(), "As the command version");
  CLI::App& command =
      *app.add_subcommand("version", "Print version, commit and compiler");
  command.footer(R"(Example:
  mulligan version -o json)");
  AddOutputFlags(command, values.output);
  command.callback([&values, &streams, &code] {
    const std::string json = absl::StrFormat(
        R"({"version":%s,"commit":%s,"buildType":%s,"compiler":%s})",
        QuoteJson(kVersion), QuoteJson(kCommit), QuoteJson(kBuildType),
        QuoteJson(kCompiler));
    streams.out << (values.output.output == "json"   ? json + "\n"
                    : values.output.output == "yaml" ? JsonToYaml(json)
                                                     : VersionText() + "\n");
    code = FinishOutput(streams);
  });
}

}  // namespace

int RunCommandLine(int argc, const char* const* argv, Streams& streams) {
  CLI::App app("Says why batch work failed and whether it deserves a retry.",
               "mulligan");
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(28);
  app.formatter(formatter);
  app.require_subcommand(1);
  app.footer(kMainFooter);
  Values values;
  int code = kExitOk;
  AddExplain(app, values, streams, code);
  AddDecide(app, values, streams, code);
  AddPolicyCommands(app, values.policy, streams, code);
  AddReplay(app, values, streams, code);
  AddHealthcheck(app, values, streams, code);
  AddVersion(app, values, streams, code);
  const std::vector<std::string> arguments =
      WithHelpFlag(app, {argv + std::min(argc, 1), argv + argc});
  try {
    // CLI11 takes them from the back.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& e) {
    return app.exit(e, streams.out, streams.err);
  } catch (const CLI::ParseError& e) {
    PrintError(streams, UsageError(app, e, arguments));
    return kExitUsage;
  }
  return code;
}

}  // namespace mulligan::cli
