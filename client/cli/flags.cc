#include <unistd.h>

#include <limits>
#include <map>
#include <utility>

#include "client/cli/commands.h"

namespace mulligan::cli {
namespace {

constexpr char kInputHelp[] = "Kubernetes objects, JSON or YAML; \"-\": stdin";

}  // namespace

void AddOutputFlags(CLI::App& command, OutputOptions& output,
                    std::vector<std::string> formats) {
  static const std::map<std::string, OutputFormat> kFormats = {
      {"human", OutputFormat::kHuman},
      {"json", OutputFormat::kJson},
      {"yaml", OutputFormat::kYaml},
      {"html", OutputFormat::kHtml}};
  const std::string last = formats.back();
  std::string help;
  for (const std::string& format : formats) {
    help += help.empty() ? "" : format == last ? " or " : ", ";
    help += format;
  }
  const auto set_format = [&output](const std::string& format) {
    output.format = kFormats.at(format);
  };
  command.add_option_function<std::string>("-o,--output", set_format, help)
      ->check(CLI::IsMember(std::move(formats)))
      ->type_name("FORMAT");
  output.color = WantsColor("auto");
  const auto set_color = [&output](const std::string& when) {
    output.color = WantsColor(when);
  };
  command
      .add_option_function<std::string>("--color", set_color,
                                        "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
}

void AddAnswerFlags(CLI::App& command, OutputOptions& output) {
  AddOutputFlags(command, output, {"human", "json", "yaml", "html"});
}

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

}  // namespace mulligan::cli
