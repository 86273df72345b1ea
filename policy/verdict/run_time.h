// How long the attempt that failed ran.
#ifndef MULLIGAN_POLICY_VERDICT_RUN_TIME_H_
#define MULLIGAN_POLICY_VERDICT_RUN_TIME_H_

#include <optional>

#include "absl/time/time.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan {

// From start to end of the culprit's container; nothing when one is unknown, or
// the end comes first.
std::optional<absl::Duration> RunTimeOf(const v1::FailureReport& report,
                                        const v1::Diagnosis& diagnosis);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_RUN_TIME_H_
