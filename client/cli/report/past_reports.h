// Reconstructs the reports of a workload at each failure from the objects that
// a cluster still has.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_PAST_REPORTS_H_
#define MULLIGAN_CLIENT_CLI_REPORT_PAST_REPORTS_H_

#include <vector>

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {

// One reconstructed report.
struct PastReport {
  v1::FailureReport report;
  // What its operator did, as later objects show: RETRY or FAIL; unspecified if
  // not yet known.
  v1::Decision::Action done = v1::Decision::ACTION_UNSPECIFIED;
};

// Returns the reports of a workload, oldest first. `report` has all its objects
// as of its observed_at.
//
//   1. One after the end of each failed pod, or after the last of several ends
//      within kTogetherSeconds, with the pods that existed then. Pods that
//      ended later are running; later conditions and events are absent. Omits
//      the objects that own the pods, because their state then is unknown.
//   2. One of everything as it is now, which shows how the work ended, and
//      failures that only owners report (deadlines, submission).
//
// At most kMaxPastReports, the latest.
std::vector<PastReport> PastReports(const v1::FailureReport& report);

inline constexpr int kTogetherSeconds = 10;
inline constexpr std::size_t kMaxPastReports = 64;

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_PAST_REPORTS_H_
