// Cases about TrainJobs.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_TRAINER_JOB_H_
#define MULLIGAN_CLIENT_CONFORMANCE_TRAINER_JOB_H_

#include "absl/status/statusor.h"
#include "client/conformance/case.h"
#include "client/conformance/evaluate.h"

namespace mulligan::conformance {

// One pass over a TrainJob: conditions, counts and what happens to the JobSet.
absl::StatusOr<Answer> TrainJobPassAnswer(const CaseInput& input);
absl::StatusOr<Answer> TrainJobDeadlineAnswer(const CaseInput& input);
absl::StatusOr<Answer> TrainJobFinishedAnswer(const CaseInput& input);
absl::StatusOr<Answer> TrainJobManagerAnswer(const CaseInput& input);
// One step of KEP-2170's state diagram.
absl::StatusOr<Answer> TrainJobDesignAnswer(const CaseInput& input);
// Plugins that report a TrainJob's status: one may.
absl::StatusOr<Answer> TrainJobPluginsAnswer(const CaseInput& input);

// Objects that cannot be built, and TrainJobs that are not admitted for it.
absl::StatusOr<Answer> TrainJobBuildAnswer(const CaseInput& input);
// What may be changed in a TrainJob that exists.
absl::StatusOr<Answer> TrainJobUpdateAnswer(const CaseInput& input);

// The status endpoint.
absl::StatusOr<Answer> TrainJobProgressAnswer(const CaseInput& input);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_TRAINER_JOB_H_
