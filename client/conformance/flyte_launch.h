// Cases about creating, finding and finishing an attempt's object.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_FLYTE_LAUNCH_H_
#define MULLIGAN_CLIENT_CONFORMANCE_FLYTE_LAUNCH_H_

#include "client/conformance/case.h"
#include "client/conformance/flyte_input.h"

namespace mulligan::conformance {

// PhaseFacts, backoffExponent.
Json LaunchFacts(FlyteCase& test);
// PhaseFacts, outputReaderSet.
Json LookupFacts(FlyteCase& test);
// PhaseFacts: the plugin's stored state cannot be read.
Json HandleFacts(FlyteCase& test);
// eligible.
Json QuotaEligibleFacts(FlyteCase& test);
Json RequestsEligibleFacts(FlyteCase& test);
// quotaExceeded.
Json QuotaExceededFacts(FlyteCase& test);
// backoff.
Json BackOffErrorFacts(FlyteCase& test);
// nodePhase, taskEvent, code, kind, message, budget, error.
Json TaskHandleFacts(FlyteCase& test);
// kind, code, message, worker, timestampSeconds, isRecoverable.
Json ReadErrorFileFacts(FlyteCase& test);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_FLYTE_LAUNCH_H_
