// Cases about GPU faults and map tasks.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_FLYTE_FAULTS_H_
#define MULLIGAN_CLIENT_CONFORMANCE_FLYTE_FAULTS_H_

#include "client/conformance/case.h"
#include "client/conformance/flyte_input.h"

namespace mulligan::conformance {

// code.
Json GpuFaultCodeFacts(FlyteCase& test);
// generic.
Json GenericCodeFacts(FlyteCase& test);
// PhaseFacts, error (code, kind, message), gpuFault, gpuFaultCode.
Json ClassifyGpuFailureFacts(FlyteCase& test);

// totalAttempts, arrayPhase.
Json ArrayAttemptsFacts(FlyteCase& test);
// arrayPhase, subNodePhases, nodePhase.
Json ArrayAggregateFacts(FlyteCase& test);
// subtaskPhase, retryAttempt, arrayPhase, podKind.
Json LegacyArrayFacts(FlyteCase& test);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_FLYTE_FAULTS_H_
