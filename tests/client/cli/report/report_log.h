// Decision logs for tests of the report.
#ifndef MULLIGAN_TESTS_CLIENT_CLI_REPORT_REPORT_LOG_H_
#define MULLIGAN_TESTS_CLIENT_CLI_REPORT_REPORT_LOG_H_

#include <cstddef>
#include <string>
#include <vector>

#include "client/cli/report/report.h"
#include "gtest/gtest.h"
#include "policy/rules/policy_set.h"
#include "tests/testing/temp_dir.h"

namespace mulligan::cli {

// One line of a log: the answer about a pod with one GPU that ran for two
// hours.
struct LoggedAnswer {
  std::string workload = "w-1";
  std::string failure = "f-1";
  // Hour of 2026-11-10 when it was observed.
  int hour = 2;
  std::string cause = "APP_ERROR";
  std::string domain = "APPLICATION";
  std::string action = "RETRY";
  std::string situation = "BROKEN";
  std::string outlook = "MAY_RECOVER";
  std::string charged_to = "application";
  bool duplicate = false;
  // Whether its limit ended the work.
  bool exhausted = false;
  std::string node = "gpu-1";
  std::string team = "vision";
  std::string problem = "it ended with 1";
  // The oldest failure of its ledger, which has no UID; empty without a ledger.
  std::string first_failure = {};
  // The Job's backoffLimit, so that its own rule is known; -1 without a Job.
  int backoff_limit = -1;
};

std::string LoggedLine(const LoggedAnswer& answer);

// Returns the successful end of a workload that ran for two hours.
LoggedAnswer Completed(const std::string& workload, int hour);

ReportSettings ByTeam();
ReportSettings ComparedWith(const PolicySet& candidate);
ReportSettings With(unsigned threads, std::size_t max_bytes = 1 << 20);

absl::StatusOr<Report> MakeReport(LogBlocks& logs,
                                  const ReportSettings& settings);

class ReportTest : public ::testing::Test {
 protected:
  Report Run(const std::vector<LoggedAnswer>& answers,
             const ReportSettings& settings = {});
  Report RunText(const std::string& log, const ReportSettings& settings = {});

  testing::TempDir folder_;
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_TESTS_CLIENT_CLI_REPORT_REPORT_LOG_H_
