// Cases about the phase that pods and custom resources give.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_FLYTE_PHASES_H_
#define MULLIGAN_CLIENT_CONFORMANCE_FLYTE_PHASES_H_

#include "client/conformance/case.h"
#include "client/conformance/flyte_input.h"

namespace mulligan::conformance {

// Each reads the members its peer function has and answers PhaseFacts.
Json PendingFacts(FlyteCase& test);
Json FailureFacts(FlyteCase& test);
Json SuccessFacts(FlyteCase& test);
Json PrimaryContainerFacts(FlyteCase& test);
Json PodTaskFacts(FlyteCase& test);
// condition, error.
Json CurrentConditionFacts(FlyteCase& test);
Json KubeflowPhaseFacts(FlyteCase& test);
Json MpiPhaseFacts(FlyteCase& test);
// PyTorchJob, TFJob and MPIJob; `job.kind` tells.
Json KubeflowJobFacts(FlyteCase& test);
Json RayJobFacts(FlyteCase& test);
Json SparkApplicationFacts(FlyteCase& test);
Json DaskJobFacts(FlyteCase& test);
Json FlyteJobSetFacts(FlyteCase& test);
// jobSetFailurePolicy, error.
Json BuildFailurePolicyFacts(FlyteCase& test);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_FLYTE_PHASES_H_
