// The parts of a failure report that Kueue reads: the workload and its job.
#ifndef MULLIGAN_POLICY_NATIVE_KUEUE_REPORT_H_
#define MULLIGAN_POLICY_NATIVE_KUEUE_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "mulligan/v1/report.pb.h"
#include "policy/native/kueue/workload.h"

namespace mulligan::kueue {

// Returns whether one plain pod, which cannot come back, owns the workload.
bool IsOwnedBySinglePod(const Workload& workload);

// Returns the workload with what a reduced report omits: an admitted workload
// without QuotaReserved holds quota. Adds contradictions to `warnings`.
Workload CompleteWorkload(const Workload& reported,
                          std::vector<std::string>& warnings);

// The end of a job: reason "Succeeded" or "Failed" of condition Finished.
struct JobEnd {
  bool success = false;
  std::string message;
};

// Returns the end of the workload's job, from the reported Job, JobSet, RayJob
// or pods that own it; without owners, from the only one there is. Empty if it
// did not end or is not in the report.
std::optional<JobEnd> ReportedEnd(const v1::FailureReport& report);

// Returns whether the job is in the report and lacks ready pods.
bool IsKnownUnready(const v1::FailureReport& report);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_NATIVE_KUEUE_REPORT_H_
