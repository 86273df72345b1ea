// One pass of training-operator v1 over a job.
#ifndef MULLIGAN_POLICY_NATIVE_KUBEFLOW_RECONCILE_H_
#define MULLIGAN_POLICY_NATIVE_KUBEFLOW_RECONCILE_H_

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "google/protobuf/timestamp.pb.h"
#include "policy/native/kubeflow/training_job.h"

namespace mulligan::kubeflow {

// A job and everything its controller reads in one pass.
struct Observed {
  const TrainingJob& job;
  const Kind& kind;
  // With the operator's defaults.
  const Replicas& replicas;
  // The job's pods, labelled with the type and index of their replica.
  const std::vector<Pod>& pods;
  const Version& version;
  google::protobuf::Timestamp now;
};

// The limit that ended the job.
enum class Limit { kNone, kBackoff, kDeadline };

struct Pass {
  // The status that the pass writes.
  JobStatus status;
  Limit limit = Limit::kNone;
  // A pod is deleted, to be recreated in the next pass without delay or limit.
  bool restarts = false;
};

// Applies the first of these and stops, except after a resume: a finished job
// stays finished; a suspended one loses its Running condition and keeps its
// start time; a resumed one gets a new start time; limits; replicas; status.
// REQUIRES: no other controller manages the job.
Pass Reconcile(const Observed& observed);

// Returns the pods of one replica type by index, in listed order. Skips pods
// without an index.
std::map<int, std::vector<const Pod*>> PodsByIndex(const Observed& observed,
                                                   std::string_view type);

// Returns the current exit code of `container`; the last listed one counts. If
// the pod has none (evicted, node lost), returns the operator's placeholder
// 0xbeef, which its table treats as retryable.
std::int32_t ExitCodeOf(const Pod& pod, std::string_view container);

// Sets Running, Succeeded, Restarting or Failed from status.replicaStatuses:
//   TFJob                The chief or master alone, if any, makes the job run
//                        or succeed; else the workers, of which worker 0 is
//                        enough unless successPolicy is AllWorkers. Any failed
//                        replica fails the job, even with a chief, unless the
//                        job is Restarting or it is a dynamic worker.
//   PyTorchJob, PaddleJob, JAXJob
//                        The master alone, else all workers (any of them with
//                        an elasticPolicy of PyTorch). Failed replicas that
//                        leave fewer pods than wanted make the job Restarting,
//                        or Failed under Never.
//   XGBoostJob, MPIJob   The master or launcher alone. A failed replica makes
//                        the job Restarting under ExitCode, and Failed under
//                        every other policy, even OnFailure and Always.
void UpdateStatus(const Observed& observed, JobStatus& status);

// Returns the restarts that count towards backoffLimit: those of all containers
// and init containers of running pods with a restarting policy. Restarts of
// deleted pods no longer count. Unlike the operator's, the sum does not
// overflow.
std::int64_t CountedRestarts(const Observed& observed);

// Returns whether the sum has reached the limit; for limit 0, is above it. A
// negative limit is always reached.
bool PastBackoffLimit(const RunPolicy& policy, std::int64_t restarts);

// Returns how many counted restarts a limit tolerates: one less than it says,
// and none for 0. Negative for a negative limit.
std::int64_t ToleratedRestarts(std::int32_t backoff_limit);

}  // namespace mulligan::kubeflow

#endif  // MULLIGAN_POLICY_NATIVE_KUBEFLOW_RECONCILE_H_
