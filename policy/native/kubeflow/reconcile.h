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

// A job and everything its controller looks at in one pass.
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

// Which limit ended the job.
enum class Limit { kNone, kBackoff, kDeadline };

struct Pass {
  // The status the pass writes.
  JobStatus status;
  Limit limit = Limit::kNone;
  // A pod is deleted to be created again: in the next pass, with no delay and
  // no limit.
  bool restarts = false;
};

// In this order, stopping at the first that applies: a finished job stays so; a
// suspended one loses its Running condition and keeps its start time; a resumed
// one gets a new start time, and goes on; the limits; the replicas; the status.
// A job another controller manages is not for this.
Pass Reconcile(const Observed& observed);

// Pods of one replica type by their index, in the order in which they were
// listed. Those without an index are passed over.
std::map<int, std::vector<const Pod*>> PodsByIndex(const Observed& observed,
                                                   std::string_view type);

// The code with which `container` ended, from its present state; the last one
// listed counts. Of a pod that shows none, evicted, or its node lost: the
// operator's placeholder 0xbeef, which its table takes for retryable.
std::int32_t ExitCodeOf(const Pod& pod, std::string_view container);

// Sets Running, Succeeded, Restarting or Failed from status.replicaStatuses:
//   TFJob                with a chief or master that one alone makes the job
//                        run or succeed; else the workers, of which worker 0 is
//                        enough unless successPolicy is AllWorkers. Any failed
//                        replica fails the job, also beside a chief, unless the
//                        job is Restarting, or the replica a dynamic worker.
//   PyTorchJob, PaddleJob, JAXJob
//                        the master alone, else all workers (with an
//                        elasticPolicy of PyTorch any of them); failed replicas
//                        that leave fewer pods than wanted make the job
//                        Restarting, or Failed under Never.
//   XGBoostJob, MPIJob   the master or launcher alone; a failed replica makes
//                        the job Restarting under ExitCode, and Failed under
//                        every other policy, OnFailure and Always too.
void UpdateStatus(const Observed& observed, JobStatus& status);

// Restarts that count towards backoffLimit: of all containers and init
// containers of running pods whose replica has a restarting policy. Restarts of
// pods that are gone count no more. The operator's sum overflows; this one does
// not.
std::int64_t CountedRestarts(const Observed& observed);

// The sum has reached the limit; with limit 0, is above it. A negative limit is
// always reached.
bool PastBackoffLimit(const RunPolicy& policy, std::int64_t restarts);

// How many counted restarts a limit tolerates: one less than it says, and none
// for 0. Negative: not even none.
std::int64_t ToleratedRestarts(std::int32_t backoff_limit);

}  // namespace mulligan::kubeflow

#endif  // MULLIGAN_POLICY_NATIVE_KUBEFLOW_RECONCILE_H_
