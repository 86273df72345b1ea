#include "tests/client/cli/report/report_log.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/cli/report/gathered.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string Hour(int hour) {
  return absl::StrFormat("2026-11-%02dT%02d:00:00Z", 10 + hour / 24, hour % 24);
}

Json PodOf(const LoggedAnswer& answer) {
  const bool done = answer.situation == "FINISHED";
  return {{"metadata",
           {{"name", "a-0"}, {"namespace", "ml"}, {"uid", answer.failure}}},
          {"spec",
           {{"nodeName", answer.node},
            {"containers",
             {{{"name", "main"},
               {"image", "train:1"},
               {"resources", {{"limits", {{"nvidia.com/gpu", "1"}}}}}}}}}},
          {"status",
           {{"phase", done ? "Succeeded" : "Failed"},
            {"startTime", Hour(answer.hour - 2)},
            {"containerStatuses",
             {{{"name", "main"},
               {"state",
                {{"terminated",
                  {{"exitCode", done ? 0 : 1},
                   {"finishedAt", Hour(answer.hour)}}}}}}}}}}};
}

}  // namespace

std::string LoggedLine(const LoggedAnswer& answer) {
  Json report = {{"observedAt", Hour(answer.hour)},
                 {"workload",
                  {{"kind", "Job"},
                   {"namespace", "ml"},
                   {"name", answer.workload},
                   {"uid", answer.workload},
                   {"labels", {{"team", answer.team}}}}},
                 {"pods", {PodOf(answer)}}};
  if (answer.backoff_limit >= 0) {
    report["jobs"] = {{{"metadata",
                        {{"name", answer.workload},
                         {"namespace", "ml"},
                         {"uid", answer.workload}}},
                       {"spec", {{"backoffLimit", answer.backoff_limit}}},
                       {"status", {{"failed", 1}}}}};
  }
  Json accounting = Json::object();
  if (!answer.charged_to.empty()) {
    accounting = {{"chargedTo", answer.charged_to}, {"units", 1}};
  }
  if (answer.duplicate) accounting["duplicate"] = true;
  if (answer.exhausted) {
    accounting["exhaustion"] = {{"limit", "BUDGET"},
                                {"budget", answer.charged_to}};
  }
  Json request = {{"report", report}};
  if (!answer.first_failure.empty()) {
    request["ledger"] = {{"history", {{{"failureId", answer.first_failure}}}}};
  }
  return Json({{"decidedAt", Hour(answer.hour)},
               {"request", request},
               {"response",
                {{"decision", {{"action", answer.action}, {"scope", "JOB"}}},
                 {"diagnosis",
                  {{"cause", answer.cause},
                   {"faultDomain", answer.domain},
                   {"situation", answer.situation},
                   {"outlook", answer.outlook},
                   {"signature", "exit-code/1"},
                   {"culprit", {{"pod", "a-0"}, {"node", answer.node}}},
                   {"problem", answer.problem},
                   {"firstStep", {{"text", "read its log"}, {"actor", "USER"}}},
                   {"finishedAt", Hour(answer.hour)}}},
                 {"accounting", accounting},
                 {"failureId", answer.failure}}}})
             .dump() +
         "\n";
}

LoggedAnswer Completed(const std::string& workload, int hour) {
  return {.workload = workload,
          .failure = "",
          .hour = hour,
          .cause = "SUCCEEDED",
          .domain = "NONE",
          .action = "IGNORE",
          .situation = "FINISHED",
          .charged_to = ""};
}

ReportSettings ByTeam() {
  ReportSettings settings;
  settings.entries.team_label = "team";
  return settings;
}

ReportSettings ComparedWith(const PolicySet& candidate) {
  ReportSettings settings;
  settings.entries.candidate = &candidate;
  return settings;
}

ReportSettings With(unsigned threads, std::size_t max_bytes) {
  ReportSettings settings;
  settings.threads = threads;
  settings.most_bytes = max_bytes;
  return settings;
}

absl::StatusOr<Report> MakeReport(LogBlocks& logs,
                                  const ReportSettings& settings) {
  Gathered gathered;
  Gather(logs, settings, gathered);
  const absl::Status added = AddUp(gathered, settings.threads);
  if (!added.ok()) return added;
  return BuildReport(gathered);
}

Report ReportTest::Run(const std::vector<LoggedAnswer>& answers,
                       const ReportSettings& settings) {
  std::string log;
  for (const LoggedAnswer& answer : answers) log += LoggedLine(answer);
  return RunText(log, settings);
}

Report ReportTest::RunText(const std::string& log,
                           const ReportSettings& settings) {
  LogBlocks blocks({folder_.Write("log.jsonl", log)});
  absl::StatusOr<Report> report = MakeReport(blocks, settings);
  EXPECT_OK(report.status());
  return report.ok() ? *std::move(report) : Report();
}

}  // namespace mulligan::cli
