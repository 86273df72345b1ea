#include "policy/operators/trainjob/deadline.h"

#include <optional>

#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"
#include "policy/base/times.h"
#include "policy/operators/jobset/objects.h"
#include "policy/operators/trainjob/conditions.h"

namespace mulligan::trainjob {

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
  if (IsZeroTime(start)) return std::nullopt;
  Timestamp deadline;
  SetTime(ToTime(start) + absl::Seconds(spec.active_deadline_seconds()),
          deadline);
  return deadline;
}

std::optional<Condition> DeadlineCondition(const TrainJobSpec& spec,
                                           const TrainJobStatus& status,
                                           const Timestamp& created,
                                           const Timestamp& now) {
  const auto deadline = DeadlineOf(spec, status, created);
  if (!deadline.has_value() || ToTime(now) <= ToTime(*deadline)) {
    return std::nullopt;
  }
  return MakeCondition(kFailed, kTrue, kDeadlineExceeded,
                       kDeadlineExceededMessage);
}

}  // namespace mulligan::trainjob
