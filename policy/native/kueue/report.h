// What a failure report tells Kueue: the workload, and the job behind it.
#ifndef MULLIGAN_POLICY_NATIVE_KUEUE_REPORT_H_
#define MULLIGAN_POLICY_NATIVE_KUEUE_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "mulligan/v1/report.pb.h"
#include "policy/native/kueue/workload.h"

namespace mulligan::kueue {

// Whether the workload belongs to one plain pod, which cannot come back.
bool IsOwnedBySinglePod(const Workload& workload);

// The workload with what a cut-down report leaves out: an admitted workload
// without a word on its quota holds it. Adds to `warnings` what contradicts
// itself.
Workload CompleteWorkload(const Workload& reported,
                          std::vector<std::string>& warnings);

// How a job ended: reason "Succeeded" or "Failed" of the condition Finished.
struct JobEnd {
  bool success = false;
  std::string message;
};

// How the job behind the workload ended, from the Job, JobSet, RayJob or pods
// in the report that own it; without owners the only one there is. Absent: it
// did not end, or is not in the report.
std::optional<JobEnd> ReportedEnd(const v1::FailureReport& report);

// Whether the job is in the report, and lacks ready pods.
bool IsKnownUnready(const v1::FailureReport& report);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_NATIVE_KUEUE_REPORT_H_
