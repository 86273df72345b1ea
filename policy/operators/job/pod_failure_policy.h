// A Job's own rule list for failed pods: which rule takes a pod, and what of
// it. Kubernetes KEP-3329, stable since 1.31; KEP-3850 for FailIndex.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_POD_FAILURE_POLICY_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_POD_FAILURE_POLICY_H_

#include <string>

#include "policy/operators/job/settings.h"

namespace mulligan::job {

struct PodFailureMatch {
  // "FailJob", "FailIndex", "Ignore" or "Count". Empty: no rule matched, the
  // failure gets the default handling.
  std::string action;
  // Whether the failure counts against backoffLimit.
  bool counts = true;
  // Why the Job fails, byte for byte; only with FailJob.
  std::string message;
};

// The first rule that matches decides. Rules with an action this release does
// not know are passed over and unknown operators match nothing, as the API
// demands of its clients. Whether the pod has failed is the caller's business
// (IsPodFailed in counting.h). Pure.
//
// Exit codes: `state.terminated` of containers in status order, then of init
// containers; never `lastState`, never ephemeral containers, never code 0.
// Conditions: type and status as texts.
PodFailureMatch MatchPodFailurePolicy(const Pod& pod, const JobSpec& spec,
                                      const Gates& gates);

// The Job has a policy, and its gate is on.
bool HasPodFailurePolicy(const JobSpec& spec, const Gates& gates);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_POD_FAILURE_POLICY_H_
