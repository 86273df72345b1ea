#include "policy/operators/trainjob/conditions.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "google/protobuf/timestamp.pb.h"
#include "policy/operators/jobset/objects.h"

namespace mulligan::trainjob {
namespace {

using ::google::protobuf::Timestamp;

// Terminal conditions of a JobSet and what they are called here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kEnds = {
    {{jobset::kCompleted, kComplete}, {jobset::kFailed, kFailed}}};

}  // namespace

Condition MakeCondition(std::string_view type, std::string_view status,
                        std::string_view reason, std::string_view message) {
  Condition condition;
  condition.set_type(std::string(type));
  condition.set_status(std::string(status));
  condition.set_reason(std::string(reason));
  condition.set_message(std::string(message));
  return condition;
}

void SetCondition(const Condition& condition, const Timestamp& now,
                  Conditions& conditions) {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const Condition& present) {
                                    return present.type() == condition.type();
                                  });
  const bool is_new = found == conditions.end();
  Condition& target = is_new ? *conditions.Add() : *found;
  const bool keeps_time = !is_new && target.status() == condition.status();
  const Timestamp time = keeps_time ? target.last_transition_time()
                         : condition.has_last_transition_time()
                             ? condition.last_transition_time()
                             : now;
  target = condition;
  *target.mutable_last_transition_time() = time;
}

bool IsFinished(const TrainJobStatus& status) {
  return jobset::IsConditionTrue(status.conditions(), kComplete) ||
         jobset::IsConditionTrue(status.conditions(), kFailed);
}

void SetSuspended(bool suspend, bool always, const Timestamp& now,
                  Conditions& conditions) {
  if (suspend) {
    return SetCondition(
        MakeCondition(kSuspended, kTrue, "Suspended", kSuspendedMessage), now,
        conditions);
  }
  if (always || jobset::IsConditionTrue(conditions, kSuspended)) {
    SetCondition(MakeCondition(kSuspended, kFalse, "Resumed", kResumedMessage),
                 now, conditions);
  }
}

void CopyJobSetStatus(const JobSet& job_set, const Version& version,
                      const Timestamp& now, TrainJobStatus& status) {
  for (const auto& [theirs, ours] : kEnds) {
    const Condition* const end =
        jobset::FindCondition(job_set.status().conditions(), theirs);
    if (end == nullptr || end->status() != kTrue) continue;
    Condition copy = *end;
    copy.set_type(std::string(ours));
    SetCondition(copy, now, *status.mutable_conditions());
    if (version.first_release) break;
  }
  status.clear_jobs_status();
  if (version.first_release) return;
  for (const auto& group : job_set.status().replicated_jobs_status()) {
    auto& counts = *status.add_jobs_status();
    counts.set_name(group.name());
    counts.set_ready(group.ready());
    counts.set_succeeded(group.succeeded());
    counts.set_failed(group.failed());
    counts.set_active(group.active());
    counts.set_suspended(group.suspended());
  }
}

}  // namespace mulligan::trainjob
