// Cases about the jobs of training-operator v1.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_TRAINING_OPERATOR_H_
#define MULLIGAN_CLIENT_CONFORMANCE_TRAINING_OPERATOR_H_

#include "absl/status/statusor.h"
#include "client/conformance/case.h"
#include "client/conformance/evaluate.h"

namespace mulligan::conformance {

// An exit code, a pod that ended with it, or a replica that did.
absl::StatusOr<Answer> TrainingExitCodeAnswer(const CaseInput& input);
absl::StatusOr<Answer> TrainingRestartPolicyAnswer(const CaseInput& input);
// Counts of pods, or what worker 0 did.
absl::StatusOr<Answer> TrainingSuccessAnswer(const CaseInput& input);
absl::StatusOr<Answer> TrainingSuspendAnswer(const CaseInput& input);
// backoffLimit and activeDeadlineSeconds.
absl::StatusOr<Answer> TrainingLimitAnswer(const CaseInput& input);
absl::StatusOr<Answer> TrainingCleanUpAnswer(const CaseInput& input);
// One pass over pods; or conditions set one after the other.
absl::StatusOr<Answer> TrainingPassAnswer(const CaseInput& input);
absl::StatusOr<Answer> TrainingFinishedAnswer(const CaseInput& input);
absl::StatusOr<Answer> TrainingManagerAnswer(const CaseInput& input);
absl::StatusOr<Answer> TrainingElasticAnswer(const CaseInput& input);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_TRAINING_OPERATOR_H_
