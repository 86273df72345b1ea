// Cases about budgets, deadlines, transitions and placement.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_FLYTE_BUDGETS_H_
#define MULLIGAN_CLIENT_CONFORMANCE_FLYTE_BUDGETS_H_

#include "client/conformance/case.h"
#include "client/conformance/flyte_input.h"

namespace mulligan::conformance {

// eligible, nextState, reportedCurrent, reportedMax.
Json EligibleFacts(FlyteCase& test);
// runOnInterruptible, interruptible.
Json InterruptibleFacts(FlyteCase& test);
// minAttempts.
Json RetryStrategyFacts(FlyteCase& test);
// nodePhase, reason, code, kind, message, error, attempts, systemFailures.
Json ExecuteFacts(FlyteCase& test);
// next, attempts, systemFailures, code, kind, message, error.
Json TransitionFacts(FlyteCase& test);
// maxSystemFailures.
Json MaxSystemFailuresFacts(FlyteCase& test);
// systemFailures, attempts, attemptsChanged, requeueAfter, terminal, code,
// kind, message.
Json RecordSystemErrorFacts(FlyteCase& test);
// system.
Json SystemRetryableFacts(FlyteCase& test);
// error, message (the same text).
Json SystemErrorTextFacts(FlyteCase& test);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_FLYTE_BUDGETS_H_
