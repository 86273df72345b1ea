// `mulligan report`.
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/cli/base/errors.h"
#include "client/cli/commands.h"
#include "client/cli/input/inputs.h"
#include "client/cli/input/policy_files.h"
#include "client/cli/log/log_reader.h"
#include "client/cli/report/gathered.h"
#include "client/cli/report/report.h"
#include "client/cli/report/report_words.h"
#include "google/protobuf/util/time_util.h"

namespace mulligan::cli {
namespace {

struct ReportOptions {
  // Decision logs: files, directories, "-".
  std::vector<std::string> logs;
  // Objects of a cluster, instead of logs.
  std::vector<std::string> files;
  std::string team_label;
  // "7d" or "2026-11-01"; empty for everything.
  std::string since;
  std::string until;
  // Policy files and directories to compare with. If empty, logs are not
  // compared, and objects are with the embedded policies.
  std::vector<std::string> compare;
  // 0 for one per processor.
  unsigned threads = 0;
  // The logs are parts of a report.
  bool merge = false;
  // Lines begin with their positions.
  bool placed = false;
  // "text", "html", "json" or "csv"; "entries" or "sums" for a part.
  std::string output = "text";
};

// Parses an age ("7d", or as Abseil reads it: "12h", "90m"), a day or a time.
// Returns seconds since 1970.
absl::StatusOr<std::int64_t> ParseMoment(std::string_view flag,
                                         const std::string& text) {
  absl::Time time;
  if (absl::ParseTime(absl::RFC3339_full, text, &time, nullptr) ||
      absl::ParseTime("%Y-%m-%d", text, absl::UTCTimeZone(), &time, nullptr)) {
    return absl::ToUnixSeconds(time);
  }
  absl::Duration duration;
  std::int64_t days = 0;
  const bool is_days = text.ends_with('d') &&
                       absl::SimpleAtoi(text.substr(0, text.size() - 1), &days);
  if (is_days) duration = absl::Hours(24) * days;
  if ((is_days || absl::ParseDuration(text, &duration)) &&
      duration > absl::ZeroDuration()) {
    return absl::ToUnixSeconds(absl::Now() - duration);
  }
  return Invalid(
      "%s: \"%s\" is not valid; expected a time such as 7d, 12h, 2026-11-01 or "
      "2026-11-01T06:00:00Z",
      flag, text);
}

std::string NotEmpty(const std::string& value) {
  return value.empty() ? "\"\" is not valid; expected a value" : "";
}

void PrintReport(const ReportOptions& options, const Report& report,
                 Streams& streams) {
  // CSV has no place for bad lines.
  if (options.output == "csv" && report.bad_lines > 0) {
    PrintError(streams, "warning: " + BadSentence(report));
  }
  streams.out << (options.output == "json"   ? ReportJson(report)
                  : options.output == "csv"  ? ReportCsv(report)
                  : options.output == "html" ? ReportHtml(report)
                                             : ReportText(report));
}

// Writes a report, or a part of one, from logs or parts.
absl::Status ReportLogs(const ReportOptions& options, ReportSettings settings,
                        Streams& streams) {
  absl::StatusOr<std::vector<std::string>> files = FindLogs(options.logs);
  if (!files.ok()) return files.status();
  LogBlocks logs(*std::move(files));
  ProgressBar bar(streams.err);
  settings.read.on_progress = bar.IfTerminal();
  settings.read.placed = options.placed;
  settings.threads = ThreadsFor(options.threads);
  Gathered gathered;
  absl::Status status;
  if (options.merge) {
    status = GatherParts(logs, settings, options.output != "sums", gathered);
  } else {
    Gather(logs, settings, gathered);
    const Report& read = gathered.read;
    if (options.output != "entries" && read.lines > 0 &&
        read.bad_lines == read.lines) {
      status = absl::InvalidArgumentError(
          BadSentence(read) +
          "; expected decision logs (objects of Kubernetes are read by -f)");
    }
  }
  bar.Wipe();
  if (!status.ok()) return status;
  if (options.output == "entries") return WriteEntries(gathered, streams.out);
  status = AddUp(gathered, settings.threads);
  if (!status.ok()) return status;
  if (options.output == "sums") {
    WriteSums(gathered, streams.out);
  } else {
    PrintReport(options, BuildReport(gathered), streams);
  }
  return status;
}

// Writes a report from objects, observed now unless they state a time.
absl::Status ReportObjects(const ReportOptions& options,
                           const PolicySet& policies,
                           const ReportSettings& settings, Streams& streams) {
  absl::StatusOr<Inputs> inputs = ReadInputs(options.files, streams.in);
  if (!inputs.ok()) return inputs.status();
  PrintWarnings(streams, inputs->warnings);
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
  const absl::StatusOr<Report> report =
      MakeReport(workloads, policies, settings);
  if (report.ok()) PrintReport(options, *report, streams);
  return report.status();
}

// Rejects flags that exclude or require each other.
absl::Status CheckTogether(const ReportOptions& options) {
  const bool of_objects = !options.files.empty();
  const bool is_part = options.output == "entries" || options.output == "sums";
  const std::pair<bool, const char*> mistakes[] = {
      {of_objects && !options.logs.empty(), "LOG and -f: expected one of them"},
      {!of_objects && options.logs.empty(), "LOG is required, or -f"},
      {of_objects && (is_part || options.merge || options.placed),
       "-f: expected LOG with --merge, --placed, -o entries and -o sums"},
      {options.merge && options.output == "entries",
       "-o entries: expected decision logs, not --merge"},
      {!options.merge && options.output == "sums",
       "-o sums: expected --merge, with all entries of each workload"}};
  for (const auto& [made, what] : mistakes) {
    if (made) return absl::InvalidArgumentError(what);
  }
  return absl::OkStatus();
}

int RunReport(ReportOptions& options, Streams& streams) {
  const absl::Status together = CheckTogether(options);
  if (!together.ok()) return Fail(streams, together);
  const bool of_objects = !options.files.empty();
  LoadedPolicies candidate;
  if (of_objects || !options.compare.empty()) {
    const int code = LoadValid(options.compare, streams, candidate);
    if (code != kExitOk) return code;
  }
  ReportSettings settings;
  settings.entries = {options.team_label, candidate.set.get()};
  const std::tuple<const char*, const std::string&, std::int64_t&> times[] = {
      {"--since", options.since, settings.since},
      {"--until", options.until, settings.until}};
  for (const auto& [flag, text, seconds] : times) {
    if (text.empty()) continue;
    const absl::StatusOr<std::int64_t> moment = ParseMoment(flag, text);
    if (!moment.ok()) return Fail(streams, moment.status());
    seconds = *moment;
    settings.flags[flag] = text;
  }
  if (!options.team_label.empty()) {
    settings.flags[kTeamLabelFlag] = options.team_label;
  }
  if (settings.until <= settings.since) {
    return Fail(streams, Invalid("--until: \"%s\" is not after --since \"%s\"",
                                 options.until, options.since));
  }
  const absl::Status status =
      of_objects ? ReportObjects(options, *candidate.set, settings, streams)
                 : ReportLogs(options, settings, streams);
  return status.ok() ? FinishOutput(streams) : Fail(streams, status);
}

}  // namespace

void AddReport(CLI::App& app, Streams& streams, int& code) {
  const auto [command, options] = AddCommand(
      "report", "Say what failures cost and what retries saved", R"(Examples:
  mulligan report decisions.jsonl*
  mulligan report logs/ --team-label team -o html > report.html
  mulligan report logs/ --compare candidate.yaml
  mulligan report a.jsonl -o entries > a; mulligan report --merge a b
  kubectl get jobs,pods,nodes,events -A -o json | mulligan report -f -)",
      RunReport, app, streams, code);
  AddOption(command, "LOG", options.logs,
            "Decision logs, also .gz, or directories of them; \"-\": stdin",
            "LOG");
  AddOption(command, "-f,--filename", options.files,
            "Instead of LOG: objects, as of kubectl get -o json", "FILE");
  AddOption(command, "--team-label", options.team_label,
            "Label of the workload that names its team; without it: the "
            "namespace",
            "KEY");
  AddOption(command, "--since", options.since,
            "Leaves out what was observed earlier: 7d ago, or 2026-11-01",
            "TIME");
  AddOption(command, "--until", options.until,
            "Leaves out what was observed then or later", "TIME");
  AddOption(command, "--compare", options.compare,
            "Policy file or directory: what it would have decided", "PATH");
  AddOption(command, "--threads", options.threads, "Default: all processors",
            "N")
      ->check(CLI::Range(1, kMaxThreads));
  command.add_flag("--placed", options.placed,
                   "Each line begins with its position: FILE<tab>LINE<tab>");
  CLI::Option* const merge =
      command.add_flag("--merge", options.merge,
                       "LOG are entries or sums, merged into one report");
  for (const char* name : {"--team-label", "--since", "--until", "--compare"}) {
    command.get_option(name)->check(NotEmpty);
    merge->excludes(command.get_option(name));
  }
  AddOption(command, "-o,--output", options.output,
            "text, html, json or csv; for --merge: entries of logs; sums of "
            "entries, each workload's in one of them",
            "FORMAT")
      ->check(
          CLI::IsMember({"text", "html", "json", "csv", "entries", "sums"}));
}

}  // namespace mulligan::cli
