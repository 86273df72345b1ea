#include "policy/native/trainer_deadline.h"

#include <optional>

#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"
#include "policy/native/jobset_conditions.h"
#include "policy/native/kubernetes_time.h"
#include "policy/native/trainer_conditions.h"

namespace mulligan::trainer {

using ::google::protobuf::Timestamp;

std::optional<Timestamp> DeadlineOf(const TrainJobSpec& spec,
                                    const TrainJobStatus& status,
                                    const Timestamp& created) {
  if (spec.active_deadline_seconds() == 0 || spec.suspend() ||
      IsFinished(status)) {
    return std::nullopt;
  }
  const Condition* const suspended =
      jobset::FindCondition(status.conditions(), kSuspended);
  const bool resumed = suspended != nullptr && suspended->status() == kFalse;
  const Timestamp& start =
      resumed ? suspended->last_transition_time() : created;
  if (kubernetes_job::IsZero(start)) return std::nullopt;
  return kubernetes_job::TimestampOf(
      kubernetes_job::TimeOf(start) +
      absl::Seconds(spec.active_deadline_seconds()));
}

std::optional<Condition> DeadlineCondition(const TrainJobSpec& spec,
                                           const TrainJobStatus& status,
                                           const Timestamp& created,
                                           const Timestamp& now) {
  const auto deadline = DeadlineOf(spec, status, created);
  if (!deadline.has_value() ||
      kubernetes_job::TimeOf(now) <= kubernetes_job::TimeOf(*deadline)) {
    return std::nullopt;
  }
  return MakeCondition(kFailed, kTrue, kDeadlineExceeded,
                       kDeadlineExceededMessage);
}

}  // namespace mulligan::trainer
