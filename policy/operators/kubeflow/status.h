// What training-operator v1 makes of the counts of a job's pods: who decides
// success, and what a failed replica means. The kinds differ.
#ifndef MULLIGAN_POLICY_OPERATORS_KUBEFLOW_STATUS_H_
#define MULLIGAN_POLICY_OPERATORS_KUBEFLOW_STATUS_H_

#include <string>

#include "policy/operators/kubeflow/replicas.h"
#include "policy/operators/kubeflow/types.h"

namespace mulligan::kubeflow {

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
void UpdateStatus(const Scene& scene, JobStatus& status);

}  // namespace mulligan::kubeflow

#endif  // MULLIGAN_POLICY_OPERATORS_KUBEFLOW_STATUS_H_
