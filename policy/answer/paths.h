// Paths of evidence.
#ifndef MULLIGAN_POLICY_ANSWER_PATHS_H_
#define MULLIGAN_POLICY_ANSWER_PATHS_H_

#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/request/ownership.h"

namespace mulligan {

// Changes the paths in `diagnosis` to those of the original report, from which
// `objects` were left out.
void RestorePaths(const Unread& objects, v1::Diagnosis& diagnosis);

// Does the same for the pod that stands for an attempt without objects.
void RestorePaths(const v1::EndedAttempt& attempt, v1::Diagnosis& diagnosis);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_ANSWER_PATHS_H_
