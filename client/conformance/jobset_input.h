// From the JSON of JobSet cases to the objects of policy/native/jobset_*.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_JOBSET_INPUT_H_
#define MULLIGAN_CLIENT_CONFORMANCE_JOBSET_INPUT_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/conformance/case.h"
#include "google/protobuf/timestamp.pb.h"
#include "policy/native/jobset_gates.h"
#include "policy/native/jobset_types.h"

namespace mulligan::conformance {

// "Now" of the cases, whose peers' tests run on relative times.
google::protobuf::Timestamp JobSetNow();

absl::StatusOr<jobset::Gates> JobSetGates(const CaseInput& input);

// The JobSet from the members failurePolicy, successPolicy, startupPolicy,
// replicatedJobs, suspend (or suspended), managedBy, status, conditions,
// terminalState and metadata, each optional and null when absent. A group may
// give the fields of its Job template flat beside its name: parallelism,
// completions, backoffLimit, podReplacementPolicy.
absl::StatusOr<jobset::JobSet> JobSetFrom(const Json& input);

absl::StatusOr<std::vector<jobset::Job>> JobsFrom(const Json& list);
absl::StatusOr<std::vector<jobset::Pod>> PodsFrom(const Json& list);

jobset::Jobs PointersTo(const std::vector<jobset::Job>& jobs);
jobset::Pods PointersTo(const std::vector<jobset::Pod>& pods);

// All child Jobs of a case about a whole pass. `failedJobs` are objects,
// `succeededJobs` names or objects, or "all"; of every other place in the
// groups there is an active Job, ready when `allJobsReady` is true. Where
// labels of the attempt are left out they are those the controller wrote: the
// JobSet's restarts and the Job's own. With
// `previousAttemptJobsStillTerminating` that many Jobs are left of the attempt
// before, and none of the current one is there yet.
absl::StatusOr<std::vector<jobset::Job>> ChildJobsFrom(
    const Json& input, const jobset::JobSet& job_set);

// `jobs` as they are when the attempt of `status` has succeeded.
std::vector<jobset::Job> SucceededJobs(const jobset::JobSet& job_set);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_JOBSET_INPUT_H_
