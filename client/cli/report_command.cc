// `mulligan report`.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/input/policy_files.h"
#include "client/cli/log/progress_bar.h"
#include "client/cli/report/report.h"

namespace mulligan::cli {
namespace {

struct ReportOptions {
  // Decision logs: files, directories, "-".
  std::vector<std::string> logs;
  std::string team_label;
  // Policy files and directories to compare with; none: nothing is compared.
  std::vector<std::string> compare;
  // 0: one for each processor.
  unsigned threads = 0;
  // "text", "html", "json" or "csv".
  std::string output = "text";
};

int RunReport(const ReportOptions& options, Streams& streams) {
  absl::StatusOr<std::vector<std::string>> files = FindLogs(options.logs);
  if (!files.ok()) return Fail(streams, files.status());
  LoadedPolicies candidate;
  if (!options.compare.empty()) {
    const int code = LoadValid(options.compare, streams, candidate);
    if (code != kExitOk) return code;
  }
  LogBlocks logs(*std::move(files));
  ProgressBar bar(streams.err);
  ReportSettings settings;
  settings.entries = {options.team_label, candidate.set.get()};
  settings.read.on_progress = bar.IfTerminal();
  settings.threads = ThreadsFor(options.threads);
  const absl::StatusOr<Report> report = MakeReport(logs, settings);
  bar.Wipe();
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
  mulligan report logs/ -o csv > report.csv)");
  const auto options = std::make_shared<ReportOptions>();
  ReportOptions& report = *options;
  command
      .add_option("LOG", report.logs,
                  "Decision logs, also .gz, or directories; \"-\": stdin")
      ->required()
      ->type_name("LOG");
  command
      .add_option("--team-label", report.team_label,
                  "Label of the workload that names its team; without it: "
                  "the namespace")
      ->type_name("KEY");
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
