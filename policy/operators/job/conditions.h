// The conditions in which a Job's controller records its verdicts.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_CONDITIONS_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_CONDITIONS_H_

#include <string_view>

#include "absl/time/time.h"
#include "policy/operators/kubernetes_types.h"

namespace mulligan::job {

// Verdict announced, pods still leaving.
inline constexpr std::string_view kFailureTarget = "FailureTarget";
inline constexpr std::string_view kSuccessCriteriaMet = "SuccessCriteriaMet";
// Final: the controller never touches the Job again.
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kComplete = "Complete";
inline constexpr std::string_view kSuspended = "Suspended";

// A condition with status True.
JobCondition MakeCondition(std::string_view type, std::string_view reason,
                           std::string_view message, absl::Time now);

// The condition of the type if its status is True, else null.
const JobCondition* FindTrue(const JobStatus& status, std::string_view type);

// Failed or Complete is True.
bool IsFinished(const JobStatus& status);

// Writes the condition over the one of its type, or appends it; nothing is
// appended for status False. False: the status said so already.
bool EnsureCondition(const JobCondition& condition, JobStatus& status);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_CONDITIONS_H_
