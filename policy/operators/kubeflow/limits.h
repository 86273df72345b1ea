// When training-operator v1 gives a job up whatever its replicas do: its
// restart budget and its deadline.
#ifndef MULLIGAN_POLICY_OPERATORS_KUBEFLOW_LIMITS_H_
#define MULLIGAN_POLICY_OPERATORS_KUBEFLOW_LIMITS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "google/protobuf/timestamp.pb.h"
#include "policy/operators/kubeflow/types.h"

namespace mulligan::kubeflow {

// Whether the operator ever starts a failed replica again.
bool RestartsReplica(const ReplicaSpec& spec);

// Restarts that count towards backoffLimit: of all containers and init
// containers of running pods whose replica has a restarting policy. Restarts of
// pods that are gone count no more. The operator's sum overflows; this one
// saturates.
std::int64_t CountedRestarts(const Replicas& replicas, const Pods& pods);

// The sum has reached the limit; with limit 0, is above it. A negative limit is
// always reached.
bool PastBackoffLimit(const RunPolicy& policy, std::int64_t restarts);

// How many counted restarts a limit tolerates: one less than it says, and none
// for 0. Negative: not even none.
std::int64_t ToleratedRestarts(std::int32_t backoff_limit);

// The second check: a pod failed since the status was written, not all replicas
// are active, and the work queue has repeated the job (`requeues`, this pass
// not counted) as often as the limit says.
bool ExceedsBackoffLimit(const RunPolicy& policy, const JobStatus& status,
                         const Replicas& replicas, const Pods& pods,
                         std::int64_t requeues);

// `now` is activeDeadlineSeconds or more after status.startTime.
bool PastActiveDeadline(const RunPolicy& policy, const JobStatus& status,
                        const google::protobuf::Timestamp& now);

// Pods of one replica type, by their label.
Pods PodsOfType(const Pods& pods, std::string_view type);

}  // namespace mulligan::kubeflow

#endif  // MULLIGAN_POLICY_OPERATORS_KUBEFLOW_LIMITS_H_
