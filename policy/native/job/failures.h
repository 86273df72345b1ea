// Failed pods of a Job: the matching rule of the pod failure policy (Kubernetes
// KEP-3329, stable since 1.31; KEP-3850 for FailIndex), the failures counted so
// far, and the delay of a replacement.
#ifndef MULLIGAN_POLICY_NATIVE_JOB_FAILURES_H_
#define MULLIGAN_POLICY_NATIVE_JOB_FAILURES_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "policy/native/job/objects.h"

namespace mulligan::job {

struct PodFailureMatch {
  // "FailJob", "FailIndex", "Ignore" or "Count"; empty if no rule matched,
  // which means the default handling.
  std::string action;
  // Whether the failure counts against backoffLimit.
  bool counts = true;
  // Why the Job fails, byte for byte; only for FailJob.
  std::string message;
};

// Returns what the first matching rule does (FindPodFailureRule). Pure.
// REQUIRES: the pod has failed (IsPodFailed).
PodFailureMatch MatchPodFailurePolicy(const Pod& pod, const JobSpec& spec,
                                      const Gates& gates);

// Returns whether the Job has a policy and its gate is on.
bool HasPodFailurePolicy(const JobSpec& spec, const Gates& gates);

// Returns whether the pod is in phase Failed, or is being deleted and not
// Succeeded. A pod being deleted does not count while replacements wait for a
// terminal phase: with podReplacementPolicy Failed, and with any pod failure
// policy.
bool IsPodFailed(const Pod& pod, const JobSpec& spec, const Gates& gates);

// Returns whether the pod's index is known and below completions. True for Jobs
// that are not Indexed.
bool HasValidIndex(const Pod& pod, const JobSpec& spec);

// Returns the number compared with backoffLimit: status.failed, the uncounted
// failed pods, and newly failed pods that count. Newly finished pods hold the
// tracking finalizer, have a valid index, and are neither in the status
// counters nor in its lists of uncounted pods.
std::int64_t FailureCount(const Job& job, const Pods& pods, const Gates& gates);
// Returns status.succeeded plus the uncounted and newly succeeded pods.
std::int64_t SuccessCount(const Job& job, const Pods& pods);

// Returns the container restarts of Running and Pending pods, which count
// against backoffLimit under restartPolicy OnFailure; else 0.
std::int64_t CountedRestarts(const JobSpec& spec, const Pods& pods);

// Returns 10 s * 2^(failures - 1), at most 10 min (the controller's constants),
// less the time since `last_failure`; 0 without failures.
absl::Duration RemainingBackoff(std::int64_t failures, absl::Time last_failure,
                                absl::Time now);

// Returns how long the replacement of the failed pod waits; 0 if it does not.
// With limits per index, the failures of its index count; otherwise those of
// the Job since its last success, and the delay is at least 1 s. Ignored
// failures count.
//
// The controller keeps failures in memory and on a restart forgets pods that
// are gone, so failures are taken from `pods`. Failures counted in the status
// but without a pod count as earlier ones, unless a success may have come in
// between. A pod created with a delay replaced a failed one.
absl::Duration ReplacementDelay(const Job& job, const Pods& pods,
                                const Pod& failed, const Gates& gates,
                                absl::Time now);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_NATIVE_JOB_FAILURES_H_
