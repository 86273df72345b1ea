#include "policy/operators/kueue/validation.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/operators/kueue/admission_checks.h"
#include "policy/operators/kueue/conditions.h"

namespace mulligan::kueue {
namespace {

constexpr int kMaxPodSets = 8;
constexpr int kMaxChecks = 10;

constexpr std::array<std::string_view, 10> kKnownReasons = {
    kPreempted,           kPodsReadyTimeout,  kAdmissionCheck,
    kClusterQueueStopped, kLocalQueueStopped, kNodeFailures,
    kFlavorMigration,     "VariantEvicted",   "ConcurrentAdmission",
    "InactiveWorkload"};

bool IsKnownReason(std::string_view reason) {
  return IsDeactivation(reason) || reason.starts_with("InactiveWorkload") ||
         std::find(kKnownReasons.begin(), kKnownReasons.end(), reason) !=
             kKnownReasons.end();
}

void CheckSpec(const Workload& workload, FieldErrors& errors) {
  const auto& spec = workload.spec();
  if (spec.has_maximum_execution_time_seconds() &&
      spec.maximum_execution_time_seconds() < 1) {
    errors.push_back(InvalidError("spec.maximumExecutionTimeSeconds",
                                  spec.maximum_execution_time_seconds(),
                                  "should be greater than or equal to 1"));
  }
  if (spec.pod_sets_size() > kMaxPodSets) {
    errors.push_back(
        TooManyError("spec.podSets", spec.pod_sets_size(), kMaxPodSets));
  }
}

void CheckChecks(const WorkloadStatus& status, FieldErrors& errors) {
  const auto& checks = status.admission_checks();
  if (checks.size() > kMaxChecks) {
    errors.push_back(
        TooManyError("status.admissionChecks", checks.size(), kMaxChecks));
  }
  for (int i = 0; i < checks.size(); ++i) {
    const AdmissionCheckState& check = checks.Get(i);
    const std::string path = IndexField("status.admissionChecks", i);
    if (check.state() != kCheckPending && check.state() != kCheckReady &&
        check.state() != kCheckRetry && check.state() != kCheckRejected) {
      errors.push_back(NotSupportedError(
          ChildField(path, "state"), check.state(),
          {kCheckPending, kCheckReady, kCheckRetry, kCheckRejected}));
    }
    CheckNonNegative(ChildField(path, "requeueAfterSeconds"),
                     check.requeue_after_seconds(), errors);
    CheckNonNegative(ChildField(path, "retryCount"), check.retry_count(),
                     errors);
  }
}

}  // namespace

WorkloadIssues ValidateWorkload(const Workload& workload) {
  WorkloadIssues issues;
  const WorkloadStatus& status = workload.status();
  CheckSpec(workload, issues.errors);
  CheckNonNegative("status.requeueState.count", status.requeue_state().count(),
                   issues.errors);
  CheckNonNegative("status.accumulatedPastExecutionTimeSeconds",
                   status.accumulated_past_execution_time_seconds(),
                   issues.errors);
  CheckChecks(status, issues.errors);
  for (int i = 0; i < status.conditions_size(); ++i) {
    const Condition& condition = status.conditions(i);
    if (condition.type() != kEvicted || IsKnownReason(condition.reason()) ||
        condition.status() != "True") {
      continue;
    }
    issues.warnings.push_back(absl::StrFormat(
        "status.conditions[%d].reason: Kueue 0.19 has no eviction for '%s'; "
        "taken as one that ends the place in the queue until Kueue says more",
        i, condition.reason()));
  }
  return issues;
}

}  // namespace mulligan::kueue
