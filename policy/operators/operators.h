// The operators whose retry logic is known, and which of them answers for a
// report.
#ifndef MULLIGAN_POLICY_OPERATORS_OPERATORS_H_
#define MULLIGAN_POLICY_OPERATORS_OPERATORS_H_

#include <optional>
#include <string>

#include "policy/operators/native.h"

namespace mulligan {

// What the operator of the reported workload does about the failure; nothing
// when the report has no object of a known operator.
//
// The outermost operator that does something answers: a JobSet before its
// child Jobs, a TrainJob before its JobSet. One that does nothing for now
// ("None") leaves the answer to the next one further in, which is what happens
// in the cluster too; a warning says so. `report.workload.kind`, when given,
// is where the search starts; `semantics.operator` leaves no choice at all.
//
// Fills `verdict` with the outcome in Mulligan's terms.
std::optional<NativeOutcome> AnswerNatively(const NativeInput& input);

// Whether `name` may stand in NativeSemantics.operator.
bool IsNativeOperator(const std::string& name);

// "job, jobset, ...", outermost first.
std::string NativeOperatorNames();

// "backoffLimit" as "backoff-limit": the name of a budget in a ledger.
std::string NativeBudgetName(const std::string& setting);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_OPERATORS_OPERATORS_H_
