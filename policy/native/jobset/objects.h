// What the JobSet controller's logic is about: feature gates and releases, and
// what is read off child Jobs and groups of Jobs, and what is refused.
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

// In the order in which they were listed; not owned, never null.
using Jobs = std::vector<const Job*>;

// What changes the outcome of a failure, with the defaults of JobSet 0.12.
struct Gates {
  // Gate RestartJob (alpha): actions on one child Job. Off, a rule with such
  // an action is an error at every pass and refused at creation.
  bool restart_job = false;
  // Gate InPlaceRestart (alpha).
  bool in_place_restart = false;
  // No gate: onJobFailureMessagePatterns, since 0.10.
  bool message_patterns = true;
  // No gate: the RestartJob actions are known at all, since 0.12.
  bool restart_job_actions = true;
  // No gate: condition RestartingJobSet, since 0.12.
  bool restarting_condition = true;
};

// Defaults of the release versions["jobset"] ("0.11", "v0.11.2"; absent: 0.12),
// then feature_gates by name. Gates of others are passed over.
Setup<Gates> GatesFor(const v1::NativeSemantics& semantics);

// Labels of child Jobs: their group, and their index in it.
inline constexpr char kReplicatedJobNameKey[] =
    "jobset.sigs.k8s.io/replicatedjob-name";
inline constexpr char kJobIndexKey[] = "jobset.sigs.k8s.io/job-index";

// Types of conditions, and terminal states.
inline constexpr std::string_view kCompleted = "Completed";
inline constexpr std::string_view kFailed = "Failed";

// Whether the JobSet is at its end, by condition or terminal state: the
// controller evaluates it never again.
bool IsFinished(const JobSetStatus& status);

// Failed or Complete, whichever is listed first with status True; null: the
// Job has not finished. FailureTarget and pods are not looked at.
const JobCondition* FinishedCondition(const Job& job);
// The only sign of failure JobSet knows: the Job has finished as Failed. Null:
// it has not.
const JobCondition* FailedCondition(const Job& job);

// Group of a child Job by its label; empty: it has none.
std::string ReplicatedJobNameOf(const Job& job);

// The number in a label; kNoLabel when it is absent. An error: it is no number,
// over which the controller gets no further.
inline constexpr std::int64_t kNoLabel =
    std::numeric_limits<std::int64_t>::max();
absl::StatusOr<std::int64_t> NumberLabel(const Job& job, const char* key);

// Whether the child Job is of an attempt before the last restart of the JobSet
// or, with gate RestartJob, of the Job: the controller deletes it and looks no
// further. A Job without the labels is of this attempt. An error: as above.
absl::StatusOr<bool> IsOfEarlierAttempt(const Job& job,
                                        const JobSetStatus& status,
                                        const Gates& gates);

// Replicas of a group; the API server fills in 1.
std::int32_t ReplicasOf(const ReplicatedJob& group);

// What JobSet's API server schema and webhook refuse, as far as failures are
// handled by it.
//
// Checks the policy alone, as it stands in a policy file. `detail` of an error
// is the webhook's message, byte for byte; the webhook itself names no field. A
// rule without a name passes, since the webhook will name it; one that is
// explicitly empty does not. Its patterns are compiled within `allowance`.
ObjectIssues FailurePolicyIssues(const FailurePolicy& policy,
                                 const Gates& gates,
                                 PatternAllowance& allowance);

// The same with the targets, which are names of groups.
ObjectIssues ValidateJobSetSpec(const JobSetSpec& spec, const Gates& gates,
                                PatternAllowance& allowance);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_NATIVE_JOBSET_OBJECTS_H_
