// An attempt without Kubernetes objects, as the pod that it would have been
// (docs/adr/0049-an-attempt-becomes-a-pod.md). All that reads a report reads
// that pod; what people are shown names the attempt.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_ENDED_ATTEMPT_H_
#define MULLIGAN_POLICY_DEMYSTIFY_ENDED_ATTEMPT_H_

#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/demystify/signatures/signature.h"

namespace mulligan::demystify {

// The row of the scheduler's state, or of its reason where the state leaves the
// cause open; null if neither is known. `word` is set to what was found.
const Signature* FindSchedulerWord(const v1::EndedAttempt& attempt,
                                   std::string_view& word);

// Adds the pod to `report`, and the workload's kind if it has none; no time is
// later than `now`. Returns warnings. REQUIRES: `report` is valid and has an
// ended attempt.
std::vector<std::string> AddPodOfAttempt(const google::protobuf::Timestamp& now,
                                         v1::FailureReport& report);

// Returns the field of the attempt that a path into the pod stands for:
// "endedAttempt.exitCode" for "pods[0]...terminated.exitCode".
std::string PathInAttempt(const v1::EndedAttempt& attempt,
                          std::string_view path);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_ENDED_ATTEMPT_H_
