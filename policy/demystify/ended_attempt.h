// Converts an attempt without Kubernetes objects to a pod for the readers
// (docs/adr/0049-an-attempt-becomes-a-pod.md). Answers name the attempt.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_ENDED_ATTEMPT_H_
#define MULLIGAN_POLICY_DEMYSTIFY_ENDED_ATTEMPT_H_

#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/demystify/signatures/signature.h"

namespace mulligan::demystify {

// Returns the row of the scheduler's state, or of its reason if the state
// leaves the cause open, and sets `word` to it; null if neither is known.
const Signature* FindSchedulerWord(const v1::EndedAttempt& attempt,
                                   std::string_view& word);

// Adds the pod, and the workload's kind if it has none. Clamps times to `now`.
// Returns warnings. REQUIRES: `report` is valid and has an ended attempt.
std::vector<std::string> AddPodOfAttempt(const google::protobuf::Timestamp& now,
                                         v1::FailureReport& report);

// Returns the field of the attempt that corresponds to a path in the pod:
// "endedAttempt.exitCode" for "pods[0]...terminated.exitCode".
std::string PathInAttempt(const v1::EndedAttempt& attempt,
                          std::string_view path);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_ENDED_ATTEMPT_H_
