// The conditions of a JobSet.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_CONDITIONS_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_CONDITIONS_H_

#include <string_view>

#include "google/protobuf/repeated_ptr_field.h"
#include "policy/operators/jobset/types.h"

namespace mulligan::jobset {

inline constexpr std::string_view kTrue = "True";

// Types, and terminal states.
inline constexpr std::string_view kCompleted = "Completed";
inline constexpr std::string_view kFailed = "Failed";

using Conditions = google::protobuf::RepeatedPtrField<Condition>;

const Condition* FindCondition(const Conditions& conditions,
                               std::string_view type);
bool IsConditionTrue(const Conditions& conditions, std::string_view type);

// Whether the JobSet is at its end, by condition or terminal state: the
// controller evaluates it never again.
bool IsFinished(const JobSetStatus& status);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_CONDITIONS_H_
