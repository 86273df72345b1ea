// Cases from flyteorg/flyte.
#include <array>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "client/conformance/evaluate.h"
#include "client/conformance/flyte_budgets.h"
#include "client/conformance/flyte_faults.h"
#include "client/conformance/flyte_input.h"
#include "client/conformance/flyte_launch.h"
#include "client/conformance/flyte_phases.h"

namespace mulligan::conformance {
namespace {

using FactsOf = Json (*)(FlyteCase&);

struct Kind {
  std::string_view name;
  FactsOf facts;
  // A case with members that are not understood is about how an array node
  // keeps its elements, not about what their failures make of it.
  bool array_node = false;
};

constexpr std::array<Kind, 41> kKinds = {{
    {"DemystifyPending", PendingFacts},
    {"DemystifyFailure", FailureFacts},
    {"DemystifySuccess", SuccessFacts},
    {"DeterminePrimaryContainerPhase", PrimaryContainerFacts},
    {"pod.GetTaskPhase", PodTaskFacts},
    {"kubeflow.ExtractCurrentCondition", CurrentConditionFacts},
    {"kubeflow.GetPhaseInfo", KubeflowPhaseFacts},
    {"kubeflow.GetMPIPhaseInfo", MpiPhaseFacts},
    {"PyTorchJob.GetTaskPhase", KubeflowJobFacts},
    {"TFJob.GetTaskPhase", KubeflowJobFacts},
    {"MPIJob.GetTaskPhase", KubeflowJobFacts},
    {"RayJob.GetTaskPhase", RayJobFacts},
    {"SparkApplication.GetTaskPhase", SparkApplicationFacts},
    {"DaskJob.GetTaskPhase", DaskJobFacts},
    {"JobSet.GetTaskPhase", FlyteJobSetFacts},
    {"JobSet.buildFailurePolicy", BuildFailurePolicyFacts},
    {"launchResource", LaunchFacts},
    {"transitionFromError", LaunchFacts},
    {"checkResourcePhase", LookupFacts},
    {"Handle", HandleFacts},
    {"quota.isEligible", QuotaEligibleFacts},
    {"IsResourceRequestsEligible", RequestsEligibleFacts},
    {"IsResourceQuotaExceeded", QuotaExceededFacts},
    {"IsBackOffError", BackOffErrorFacts},
    {"task.Handle", TaskHandleFacts},
    {"readErrorFile", ReadErrorFileFacts},
    {"isEligibleForRetry", EligibleFacts},
    {"isInterruptible", InterruptibleFacts},
    {"computeRetryStrategy", RetryStrategyFacts},
    {"execute", ExecuteFacts},
    {"RecursiveNodeHandler", TransitionFacts},
    {"maxSystemFailures", MaxSystemFailuresFacts},
    {"recordSystemError", RecordSystemErrorFacts},
    {"isSystemRetryableFailure", SystemRetryableFacts},
    {"systemErrorFromPhaseInfo", SystemErrorTextFacts},
    {"gpufault.CodeFor", GpuFaultCodeFacts},
    {"gpufault.isGenericCode", GenericCodeFacts},
    {"gpufault.ClassifyFailure", ClassifyGpuFailureFacts},
    {"arrayNode.attemptsUntilFailing", ArrayAttemptsFacts},
    {"arrayNode.aggregate", ArrayAggregateFacts, true},
    {"legacyArray.subtask", LegacyArrayFacts, true},
}};

}  // namespace

absl::StatusOr<Answer> EvaluateFlyte(const CaseInput& input) {
  for (const Kind& kind : kKinds) {
    if (kind.name != input.kind) continue;
    absl::StatusOr<FlyteCase> test = FlyteCaseFrom(input);
    if (!test.ok()) return test.status();
    Json facts = kind.facts(*test);
    const absl::Status read = test->input.Finish();
    if (kind.array_node && absl::IsUnimplemented(read)) {
      return Answer::Outside("array-node");
    }
    if (!read.ok()) return read;
    return Answer::Facts(std::move(facts));
  }
  return absl::UnimplementedError(
      absl::StrFormat("kind '%s' is not understood", input.kind));
}

}  // namespace mulligan::conformance
