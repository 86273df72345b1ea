// Conditions of the kubeflow v1 jobs and the rule by which they change.
#ifndef MULLIGAN_POLICY_OPERATORS_KUBEFLOW_CONDITIONS_H_
#define MULLIGAN_POLICY_OPERATORS_KUBEFLOW_CONDITIONS_H_

#include <string>
#include <string_view>

#include "google/protobuf/timestamp.pb.h"
#include "policy/operators/kubeflow/types.h"

namespace mulligan::kubeflow {

// Types; a reason is the kind's name and one of them, or "Resumed".
inline constexpr std::string_view kRunning = "Running";
inline constexpr std::string_view kRestarting = "Restarting";
inline constexpr std::string_view kSucceeded = "Succeeded";
inline constexpr std::string_view kSuspended = "Suspended";
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kResumed = "Resumed";

inline constexpr std::string_view kTrue = "True";
inline constexpr std::string_view kFalse = "False";

// The first condition of that type, or null.
const JobCondition* FindCondition(const JobStatus& status,
                                  std::string_view type);
bool IsConditionTrue(const JobStatus& status, std::string_view type);

// Succeeded or Failed is True.
bool IsFinished(const JobStatus& status);

struct NewCondition {
  std::string_view type;
  std::string_view status;
  std::string reason;
  std::string message;
};

// Appends the condition, in place of one of the same type:
//   Failed is True          nothing changes any more
//   same status and reason  nothing changes, whatever the message
//   Running, Restarting     each removes the other
//   Failed, Succeeded       turn a Running condition False
// lastTransitionTime stays when the status does.
void SetCondition(const NewCondition& condition,
                  const google::protobuf::Timestamp& now, JobStatus& status);

}  // namespace mulligan::kubeflow

#endif  // MULLIGAN_POLICY_OPERATORS_KUBEFLOW_CONDITIONS_H_
