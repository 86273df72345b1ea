// Feature gates and releases of JobSet, properties of child Jobs and groups,
// and validation.
#ifndef MULLIGAN_POLICY_NATIVE_JOBSET_OBJECTS_H_
#define MULLIGAN_POLICY_NATIVE_JOBSET_OBJECTS_H_

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "mulligan/kubernetes/batch/v1/job.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/kubernetes/jobset/v1alpha2/failure_policy.pb.h"
#include "mulligan/kubernetes/jobset/v1alpha2/jobset.pb.h"
#include "mulligan/v1/native.pb.h"
#include "policy/base/pattern_allowance.h"
#include "policy/native/go_text.h"
#include "policy/native/objects.h"
#include "policy/native/release.h"

namespace mulligan::jobset {

using JobSet = kubernetes::jobset::v1alpha2::JobSet;
using JobSetSpec = kubernetes::jobset::v1alpha2::JobSetSpec;
using JobSetStatus = kubernetes::jobset::v1alpha2::JobSetStatus;
using FailurePolicy = kubernetes::jobset::v1alpha2::FailurePolicy;
using FailurePolicyRule = kubernetes::jobset::v1alpha2::FailurePolicyRule;
using SuccessPolicy = kubernetes::jobset::v1alpha2::SuccessPolicy;
using ReplicatedJob = kubernetes::jobset::v1alpha2::ReplicatedJob;
using ReplicatedJobStatus = kubernetes::jobset::v1alpha2::ReplicatedJobStatus;
using Job = kubernetes::batch::v1::Job;
using JobCondition = kubernetes::batch::v1::JobCondition;
using Pod = kubernetes::core::v1::Pod;

// In listed order; not owned, never null.
using Jobs = std::vector<const Job*>;

// Differences that change the outcome of a failure. Defaults: JobSet 0.12.
struct Gates {
  // Gate RestartJob (alpha): actions on one child Job. Off: a rule with such an
  // action is an error in every pass and refused at creation.
  bool restart_job = false;
  // Gate InPlaceRestart (alpha).
  bool in_place_restart = false;
  // Not a gate: onJobFailureMessagePatterns, since 0.10.
  bool message_patterns = true;
  // Not a gate: the RestartJob actions exist, since 0.12.
  bool restart_job_actions = true;
  // Not a gate: condition RestartingJobSet, since 0.12.
  bool restarting_condition = true;
};

// Returns the defaults of versions["jobset"] ("0.11", "v0.11.2"; absent: 0.12),
// changed by feature_gates. Ignores other operators' gates.
Setup<Gates> GatesFor(const v1::NativeSemantics& semantics);

// Labels of child Jobs: the group, and the index in it.
inline constexpr char kReplicatedJobNameKey[] =
    "jobset.sigs.k8s.io/replicatedjob-name";
inline constexpr char kJobIndexKey[] = "jobset.sigs.k8s.io/job-index";

// Condition types and terminal states.
inline constexpr std::string_view kCompleted = "Completed";
inline constexpr std::string_view kFailed = "Failed";

// Returns whether the JobSet is final, by condition or terminal state. The
// controller never evaluates it again.
bool IsFinished(const JobSetStatus& status);

// Returns the first listed of Failed and Complete with status True; null if the
// Job has not finished. Ignores FailureTarget and pods.
const JobCondition* FinishedCondition(const Job& job);
// Returns condition Failed if the Job has finished with it, the only failure
// that JobSet sees; else null.
const JobCondition* FailedCondition(const Job& job);

// Returns the group of a child Job by its label; empty if it has none.
std::string ReplicatedJobNameOf(const Job& job);

// Returns the number in a label; kNoLabel if absent. Returns an error if it is
// not a number, which blocks the controller.
inline constexpr std::int64_t kNoLabel =
    std::numeric_limits<std::int64_t>::max();
absl::StatusOr<std::int64_t> NumberLabel(const Job& job, const char* key);

// Returns whether the child Job precedes the last restart of the JobSet or,
// with gate RestartJob, of the Job; the controller deletes such Jobs. False
// without the labels. Returns an error as NumberLabel does.
absl::StatusOr<bool> IsOfEarlierAttempt(const Job& job,
                                        const JobSetStatus& status,
                                        const Gates& gates);

// Returns the replicas of a group; the API server sets 1 if absent.
std::int32_t ReplicasOf(const ReplicatedJob& group);

// Returns what JobSet's API schema and webhook refuse in a failure policy
// alone, as in a policy file. `detail` of an error is the webhook's message,
// byte for byte; the webhook names no field. Accepts a rule without a name,
// which the webhook will name, but not an explicitly empty name. Compiles
// patterns within `allowance`.
ObjectIssues FailurePolicyIssues(const FailurePolicy& policy,
                                 const Gates& gates,
                                 PatternAllowance& allowance);

// Does the same and checks the targets, which are names of groups.
ObjectIssues ValidateJobSetSpec(const JobSetSpec& spec, const Gates& gates,
                                PatternAllowance& allowance);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_NATIVE_JOBSET_OBJECTS_H_
