// Conditions of a TrainJob and the rule by which they change.
#ifndef MULLIGAN_POLICY_OPERATORS_TRAINJOB_CONDITIONS_H_
#define MULLIGAN_POLICY_OPERATORS_TRAINJOB_CONDITIONS_H_

#include <string_view>

#include "google/protobuf/timestamp.pb.h"
#include "policy/operators/trainjob/types.h"
#include "policy/operators/trainjob/version.h"

namespace mulligan::trainjob {

inline constexpr std::string_view kSuspendedMessage = "TrainJob is suspended";
inline constexpr std::string_view kResumedMessage = "TrainJob is resumed";
inline constexpr std::string_view kDeadlineExceededMessage =
    "TrainJob exceeded its active deadline";

Condition MakeCondition(std::string_view type, std::string_view status,
                        std::string_view reason, std::string_view message);

// Adds the condition, or changes the one of its type in place. Its
// lastTransitionTime moves when the status does: to the one of `condition`, or
// `now` when it has none.
void SetCondition(const Condition& condition,
                  const google::protobuf::Timestamp& now,
                  Conditions& conditions);

// Complete or Failed is True.
bool IsFinished(const TrainJobStatus& status);

// Suspended as spec.suspend says. A job that never was suspended has no such
// condition; under `always`, as KEP-2170 designed it, it has.
void SetSuspended(bool suspend, bool always,
                  const google::protobuf::Timestamp& now,
                  Conditions& conditions);

// Copies what the JobSet says: Completed and Failed with reason and message
// verbatim, and the counts per group. A failed child Job without Failed is not
// a failed TrainJob: a restart may follow.
void CopyJobSetStatus(const JobSet& job_set, const Version& version,
                      const google::protobuf::Timestamp& now,
                      TrainJobStatus& status);

}  // namespace mulligan::trainjob

#endif  // MULLIGAN_POLICY_OPERATORS_TRAINJOB_CONDITIONS_H_
