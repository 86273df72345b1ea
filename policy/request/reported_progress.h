// How far the failed attempt got, by the objects of its report.
#ifndef MULLIGAN_POLICY_REQUEST_REPORTED_PROGRESS_H_
#define MULLIGAN_POLICY_REQUEST_REPORTED_PROGRESS_H_

#include <optional>

#include "mulligan/v1/report.pb.h"

namespace mulligan {

// Returns the percentage that the pods of a TrainJob last reported (Trainer
// 2.2, alpha gate TrainJobStatus). Empty unless they did so during the run that
// ended last: Trainer keeps the value of an earlier attempt until the pods of
// the next one report theirs.
std::optional<double> ReportedProgress(const v1::FailureReport& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_REPORTED_PROGRESS_H_
