// What a failure report holds of a Flyte task.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_REPORT_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "mulligan/v1/report.pb.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/settings.h"

namespace mulligan::flyte {

// Whether an object of the report is a Flyte task's: owned by a FlyteWorkflow
// or TaskAction, carrying Flyte's labels of node and execution, its finalizer
// or a key under flyte.org/.
bool HasFlyteMarks(const v1::FailureReport& report);

// The task of a report as its plugin sees it.
struct ReportedTask {
  // Of the pod or custom resource, or of the attempt to make it.
  PhaseResult result = InPhase(Phase::kUndefined);
  // The object does not exist: `result` is about making it.
  bool is_launch = false;
  // It is one plain pod.
  bool is_pod = false;
  // For messages of v2: "pod", "ray".
  std::string plugin;
  // When the object was made. Absent: unknown.
  std::optional<absl::Time> created;
  // Whether this attempt may run on spot capacity.
  bool interruptible = false;
  // What was not understood or not looked at.
  std::vector<std::string> warnings;
};

// The custom resource if there is one, else the creation error, else of the
// pods the first that has failed, else the first. Nothing when the report has
// none that Flyte has a plugin for.
std::optional<ReportedTask> FindReportedTask(const v1::FailureReport& report,
                                             const Settings& settings,
                                             absl::Time now);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_REPORT_H_
