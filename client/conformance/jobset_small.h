// Cases about single functions of the JobSet controller and webhook.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_JOBSET_SMALL_H_
#define MULLIGAN_CLIENT_CONFORMANCE_JOBSET_SMALL_H_

#include "absl/status/statusor.h"
#include "client/conformance/case.h"

namespace mulligan::conformance {

// Failure policy: {job}, {applicable}, {matchedRule, matchedJob}.
absl::StatusOr<Json> FirstFailedJobFacts(const CaseInput& input);
absl::StatusOr<Json> RuleApplicableFacts(const CaseInput& input);
absl::StatusOr<Json> RuleSelectionFacts(const CaseInput& input);

// Success policy: {matches}, {count}, {count}.
absl::StatusOr<Json> SuccessMatchFacts(const CaseInput& input);
absl::StatusOr<Json> SuccessCountFacts(const CaseInput& input);
absl::StatusOr<Json> SuccessExpectedFacts(const CaseInput& input);

// {updated, lastTransitionTimeUnchanged, conditions}.
absl::StatusOr<Json> ConditionUpdateFacts(const CaseInput& input);

// The spec's policies and groups with their defaults.
absl::StatusOr<Json> DefaultingFacts(const CaseInput& input);
// {valid, errors, httpCode, warnings}.
absl::StatusOr<Json> ValidationFacts(const CaseInput& input);
absl::StatusOr<Json> UpdateValidationFacts(const CaseInput& input);

// An object that cannot be created: {event, error, retriedByController, and
// the untouched status}.
absl::StatusOr<Json> CreationFailureFacts(const CaseInput& input);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_JOBSET_SMALL_H_
