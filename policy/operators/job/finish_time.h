// When a pod finished, as far as its replacement's delay is concerned.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_FINISH_TIME_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_FINISH_TIME_H_

#include "absl/time/time.h"
#include "policy/operators/job/gates.h"
#include "policy/operators/job/types.h"

namespace mulligan::job {

// The first that exists:
//   1. the latest `finishedAt` of the containers, if all have one; sidecars are
//      looked at too and, as in the controller, on their own when a main
//      container is not finished;
//   2. the last transition of condition Ready when it is False;
//   3. deletionTimestamp - deletionGracePeriodSeconds;
//   4. creationTimestamp, ZeroTime() when absent.
absl::Time FinishTime(const Pod& pod, const Gates& gates);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_FINISH_TIME_H_
