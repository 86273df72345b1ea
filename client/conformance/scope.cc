#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/conformance/evaluate.h"

namespace mulligan::conformance {

const std::vector<OutOfScope>& OutOfScopeReasons() {
  static const auto& reasons = *new std::vector<OutOfScope>{
      {"clean-up",
       "Deleting finished objects, deletion policies and TTLs: the outcome is "
       "decided already."},
      {"unrelated-validation",
       "Validation or defaulting of fields that failure handling never reads."},
      {"managed-by",
       "Which controller owns an object, not what happens when it fails."},
      {"snapshot",
       "How a runtime template is copied and kept for later reconciles."},
      {"scaling", "Changing the number of replicas of healthy work."},
      {"cluster-upgrade", "Recreating a healthy cluster for a new spec."},
      {"multikueue", "Wiring between a manager and its worker clusters."},
      {"in-place-restart",
       "Bookkeeping of the in-place restart protocol between pods."},
      {"array-node", "How an array node stores and sums its elements."},
      {"metrics-and-events", "Names and labels of metrics and events."},
  };
  return reasons;
}

Evaluator EvaluatorFor(const CaseInput& input) {
  // Sources may carry a commit: "kubeflow/trainer@7858371b4^ pkg/...".
  constexpr auto kSources =
      std::to_array<std::pair<std::string_view, Evaluator>>({
          {"kubernetes/kubernetes", EvaluateKubernetes},
          {"kubernetes-sigs/jobset", EvaluateJobSet},
          {"kubernetes-sigs/kueue", EvaluateKueue},
          {"flyteorg/flyte", EvaluateFlyte},
          {"kubeflow/trainer", EvaluateTrainer},
          {"ray-project/kuberay", EvaluateKubeRay},
      });
  const std::string_view source = input.source;
  for (const auto& [repository, evaluator] : kSources) {
    if (!source.starts_with(repository)) continue;
    const std::string_view rest = source.substr(repository.size());
    if (rest.empty() || rest[0] == ' ' || rest[0] == '@' || rest[0] == ':') {
      return evaluator;
    }
  }
  return nullptr;
}

}  // namespace mulligan::conformance
