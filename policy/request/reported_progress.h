// How far the failed attempt got, according to the objects of its report.
#ifndef MULLIGAN_POLICY_REQUEST_REPORTED_PROGRESS_H_
#define MULLIGAN_POLICY_REQUEST_REPORTED_PROGRESS_H_

#include <optional>

#include "mulligan/v1/report.pb.h"

namespace mulligan {

// Returns the percentage that the pods of a TrainJob last reported (alpha gate
// TrainJobStatus of Trainer 2.2). Empty if that was before the run that ended
// last: Trainer keeps an attempt's value until the next one reports.
std::optional<double> ReportedProgress(const v1::FailureReport& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_REPORTED_PROGRESS_H_
