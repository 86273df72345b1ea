// Cases from kubeflow/trainer: TrainJob, and training-operator v1 before it.
#include <array>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "client/conformance/absent.h"
#include "client/conformance/evaluate.h"
#include "client/conformance/trainer_input.h"
#include "client/conformance/trainer_job.h"
#include "client/conformance/training_operator.h"

namespace mulligan::conformance {
namespace {

struct Kind {
  std::string_view name;
  Evaluator answer;
};

absl::StatusOr<Answer> OutsideSnapshot(const CaseInput&) {
  return Answer::Outside("snapshot");
}

absl::StatusOr<Answer> OutsideScaling(const CaseInput&) {
  return Answer::Outside("scaling");
}

absl::StatusOr<Answer> OutsideCleanUp(const CaseInput&) {
  return Answer::Outside("clean-up");
}

constexpr std::array<Kind, 12> kTrainJobKinds = {{
    {"transition", TrainJobPassAnswer},
    {"failure", TrainJobPassAnswer},
    {"suspend", TrainJobPassAnswer},
    {"deadline", TrainJobDeadlineAnswer},
    {"terminal", TrainJobFinishedAnswer},
    {"managed-by", TrainJobManagerAnswer},
    {"configuration", TrainJobPluginsAnswer},
    {"build-failure", TrainJobBuildAnswer},
    {"spec-update", TrainJobUpdateAnswer},
    {"progress", TrainJobProgressAnswer},
    {"snapshot", OutsideSnapshot},
    {"cleanup", OutsideCleanUp},
}};

constexpr std::array<Kind, 15> kTrainingJobKinds = {{
    {"exit-code", TrainingExitCodeAnswer},
    {"restart-policy", TrainingRestartPolicyAnswer},
    {"success-policy", TrainingSuccessAnswer},
    {"suspend", TrainingSuspendAnswer},
    {"retry", TrainingLimitAnswer},
    {"deadline", TrainingLimitAnswer},
    {"cleanup", TrainingCleanUpAnswer},
    {"transition", TrainingPassAnswer},
    {"failure", TrainingPassAnswer},
    {"condition", TrainingPassAnswer},
    {"conditions", TrainingPassAnswer},
    {"terminal", TrainingFinishedAnswer},
    {"managed-by", TrainingManagerAnswer},
    {"elastic", TrainingElasticAnswer},
    {"scale", OutsideScaling},
}};

template <typename Kinds>
Evaluator Find(const Kinds& kinds, std::string_view name) {
  for (const Kind& kind : kinds) {
    if (kind.name == name) return kind.answer;
  }
  return nullptr;
}

Evaluator AnswerFor(const CaseInput& input) {
  switch (EraOf(input)) {
    case TrainerEra::kTrainer:
      return Find(kTrainJobKinds, input.kind);
    case TrainerEra::kKep2170:
      return input.kind == "design" ? TrainJobDesignAnswer
                                    : Find(kTrainJobKinds, input.kind);
    case TrainerEra::kTrainingOperator:
    case TrainerEra::kTfOperator:
      return Find(kTrainingJobKinds, input.kind);
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<Answer> EvaluateTrainer(const CaseInput& given) {
  const CaseInput input = WithoutNulls(given);
  const Evaluator answer = AnswerFor(input);
  if (answer == nullptr) {
    return absl::UnimplementedError(
        absl::StrFormat("kind '%s' is not understood", input.kind));
  }
  return answer(input);
}

}  // namespace mulligan::conformance
