// Failed pods of a Job: which rule of its pod failure policy takes one
// (Kubernetes KEP-3329, stable since 1.31; KEP-3850 for FailIndex), what counts
// and is paid for already, and how long a replacement waits.
#ifndef MULLIGAN_POLICY_NATIVE_JOB_FAILURES_H_
#define MULLIGAN_POLICY_NATIVE_JOB_FAILURES_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "policy/native/job/objects.h"

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

// What the first rule that matches does (FindPodFailureRule). Whether the pod
// has failed is the caller's business (IsPodFailed). Pure.
PodFailureMatch MatchPodFailurePolicy(const Pod& pod, const JobSpec& spec,
                                      const Gates& gates);

// The Job has a policy, and its gate is on.
bool HasPodFailurePolicy(const JobSpec& spec, const Gates& gates);

// Phase Failed; or under deletion and not Succeeded, unless replacements wait
// until the old pod is in a terminal phase: with podReplacementPolicy Failed,
// and with every pod failure policy.
bool IsPodFailed(const Pod& pod, const JobSpec& spec, const Gates& gates);

// For Indexed Jobs: the pod's index is known and below completions. True for
// other Jobs.
bool HasValidIndex(const Pod& pod, const JobSpec& spec);

// The number compared with backoffLimit: status.failed, the uncounted failed
// pods, and the newly failed pods that count. Newly finished pods are neither
// in the counters of the status nor in its lists of uncounted pods: they hold
// the tracking finalizer, their UID is not listed and their index is valid.
std::int64_t FailureCount(const Job& job, const Pods& pods, const Gates& gates);
// status.succeeded, the uncounted and the newly succeeded pods.
std::int64_t SuccessCount(const Job& job, const Pods& pods);

// Restarts of the containers of Running and Pending pods, which count against
// backoffLimit with restartPolicy OnFailure; else 0.
std::int64_t CountedRestarts(const JobSpec& spec, const Pods& pods);

// 10 s * 2^(failures - 1), at most 10 min (constants of the controller), less
// the time since `last_failure`; 0 without failures.
absl::Duration RemainingBackoff(std::int64_t failures, absl::Time last_failure,
                                absl::Time now);

// How long the replacement of the failed pod waits: under limits per index by
// the failures of its index, else by those of the Job that finished after its
// last success, and then 1 s at least. Ignored failures count. 0: it comes at
// once.
//
// The controller remembers failures in memory only and forgets a pod that is
// gone when it restarts, so they are read off `pods`. Failures counted in the
// status whose pods are not among them happened before, too, as long as no
// success is known that may have come in between; and each pod that came with a
// delay is in the place of one that failed.
absl::Duration ReplacementDelay(const Job& job, const Pods& pods,
                                const Pod& failed, const Gates& gates,
                                absl::Time now);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_NATIVE_JOB_FAILURES_H_
