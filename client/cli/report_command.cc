// `mulligan report`.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/cli/commands.h"
#include "client/cli/input/inputs.h"
#include "client/cli/input/policy_files.h"
#include "client/cli/log/progress_bar.h"
#include "client/cli/report/report.h"
#include "google/protobuf/util/time_util.h"

namespace mulligan::cli {
namespace {

struct ReportOptions {
  // Decision logs: files, directories, "-".
  std::vector<std::string> logs;
  // Objects of a cluster instead.
  std::vector<std::string> files;
  std::string team_label;
  // "7d"; empty: everything.
  std::string since;
  // Policy files and directories to compare with; none: nothing is compared,
  // objects of a cluster with the embedded policies.
  std::vector<std::string> compare;
  // 0: one for each processor.
  unsigned threads = 0;
  // "text", "html", "json" or "csv".
  std::string output = "text";
};

// "7d", and what Abseil reads: "12h", "90m".
absl::StatusOr<absl::Duration> ParseSince(const std::string& text) {
  absl::Duration duration;
  std::int64_t days = 0;
  const bool is_days =
      text.ends_with('d') &&
      absl::SimpleAtoi(text.substr(0, text.size() - 1), &days) && days <= 36500;
  if (is_days) duration = absl::Hours(24) * days;
  if ((is_days || absl::ParseDuration(text, &duration)) &&
      duration > absl::ZeroDuration()) {
    return duration;
  }
  return absl::InvalidArgumentError(absl::StrFormat(
      "--since: \"%s\" is not valid; expected a time such as 7d or 12h", text));
}

absl::StatusOr<Report> ReportOfLogs(const ReportOptions& options,
                                    ReportSettings settings, Streams& streams) {
  absl::StatusOr<std::vector<std::string>> files = FindLogs(options.logs);
  if (!files.ok()) return files.status();
  LogBlocks logs(*std::move(files));
  ProgressBar bar(streams.err);
  settings.read.on_progress = bar.IfTerminal();
  settings.threads = ThreadsFor(options.threads);
  absl::StatusOr<Report> report = MakeReport(logs, settings);
  bar.Wipe();
  return report;
}

// The objects of each workload, observed now where they do not say when.
absl::StatusOr<Report> ReportOfObjects(const ReportOptions& options,
                                       const PolicySet& policies,
                                       const ReportSettings& settings,
                                       Streams& streams) {
  absl::StatusOr<Inputs> inputs = ReadInputs(options.files, streams.in);
  if (!inputs.ok()) return inputs.status();
  for (const std::string& warning : inputs->warnings) {
    PrintError(streams, "warning: " + warning);
  }
  std::vector<v1::FailureReport> workloads;
  for (WorkloadReport& workload : inputs->workloads) {
    workloads.push_back(std::move(workload.report));
  }
  if (workloads.empty()) workloads.push_back(inputs->request.report());
  for (v1::FailureReport& workload : workloads) {
    if (workload.has_observed_at()) continue;
    *workload.mutable_observed_at() =
        google::protobuf::util::TimeUtil::GetCurrentTime();
  }
  return MakeReport(workloads, policies, settings);
}

int RunReport(const ReportOptions& options, Streams& streams) {
  const bool of_objects = !options.files.empty();
  if (of_objects == !options.logs.empty()) {
    return Fail(streams, absl::InvalidArgumentError(
                             of_objects ? "LOG and -f: expected one of them"
                                        : "LOG is required, or -f"));
  }
  LoadedPolicies candidate;
  if (of_objects || !options.compare.empty()) {
    const int code = LoadValid(options.compare, streams, candidate);
    if (code != kExitOk) return code;
  }
  ReportSettings settings;
  settings.entries = {options.team_label, candidate.set.get()};
  if (!options.since.empty()) {
    const absl::StatusOr<absl::Duration> since = ParseSince(options.since);
    if (!since.ok()) return Fail(streams, since.status());
    settings.since = absl::ToUnixSeconds(absl::Now() - *since);
  }
  const absl::StatusOr<Report> report =
      of_objects ? ReportOfObjects(options, *candidate.set, settings, streams)
                 : ReportOfLogs(options, settings, streams);
  if (!report.ok()) return Fail(streams, report.status());
  streams.out << (options.output == "json"   ? ReportJson(*report)
                  : options.output == "csv"  ? ReportCsv(*report)
                  : options.output == "html" ? ReportHtml(*report)
                                             : ReportText(*report));
  return FinishOutput(streams);
}

}  // namespace

void AddReport(CLI::App& app, Streams& streams, int& code) {
  CLI::App& command = *app.add_subcommand(
      "report", "Say what failures cost and what retries saved");
  command.footer(R"(Examples:
  mulligan report decisions.jsonl*
  mulligan report logs/ --team-label team -o html > report.html
  mulligan report logs/ --compare candidate.yaml
  mulligan report logs/ -o csv > report.csv
  kubectl get jobs,pods,nodes,events -A -o json | mulligan report -f -)");
  const auto options = std::make_shared<ReportOptions>();
  ReportOptions& report = *options;
  command
      .add_option("LOG", report.logs,
                  "Decision logs, also .gz, or directories; \"-\": stdin")
      ->type_name("LOG");
  command
      .add_option("-f,--filename", report.files,
                  "Instead of LOG: objects, as of kubectl get -o json")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      .add_option("--team-label", report.team_label,
                  "Label of the workload that names its team; without it: "
                  "the namespace")
      ->type_name("KEY");
  command
      .add_option("--since", report.since,
                  "Leaves out failures before that, such as 7d or 12h")
      ->type_name("TIME");
  command
      .add_option("--compare", report.compare,
                  "Policy file or directory: what it would have decided")
      ->type_name("PATH")
      ->allow_extra_args(false);
  command.add_option("--threads", report.threads, "Default: all processors")
      ->check(CLI::Range(1, kMostThreads))
      ->type_name("N");
  command.add_option("-o,--output", report.output, "text, html, json or csv")
      ->check(CLI::IsMember({"text", "html", "json", "csv"}))
      ->type_name("FORMAT");
  command.callback(
      [options, &streams, &code] { code = RunReport(*options, streams); });
}

}  // namespace mulligan::cli
