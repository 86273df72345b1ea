// What a cluster still has of a workload, as it would have been told when each
// failure struck.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_RETELL_H_
#define MULLIGAN_CLIENT_CLI_REPORT_RETELL_H_

#include <vector>

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {

// One telling.
struct Telling {
  v1::FailureReport report;
  // What its operator did about it, as what came after shows: RETRY or FAIL;
  // not set where that is not known yet.
  v1::Decision::Action done = v1::Decision::ACTION_UNSPECIFIED;
};

// The tellings of `report`, which has all objects of one workload as they are
// at its observed_at, oldest first:
//
//   1. One after each failed pod's end, or the last end of several within
//      kTogether, with the pods that were there: what ended later runs, what
//      conditions and events said later is not said yet. The objects above the
//      pods are left out: how they were then is not known, and what their
//      operators made of the failure is `done`.
//   2. One of everything as it is, for what only the objects above say
//      (deadlines, submission), and for how it ended.
//
// At most kMostTellings, the latest.
std::vector<Telling> Retell(const v1::FailureReport& report);

inline constexpr int kTogetherSeconds = 10;
inline constexpr std::size_t kMostTellings = 64;

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_RETELL_H_
