// The verdict of the workload's own operator, either as the decision (under a
// native policy) or next to the decision of another policy.
#ifndef MULLIGAN_POLICY_ANSWER_NATIVE_DECISION_H_
#define MULLIGAN_POLICY_ANSWER_NATIVE_DECISION_H_

#include <cstdint>
#include <string>

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/native.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/native.h"
#include "policy/verdict/verdict.h"

namespace mulligan {

// Fills parts of an answer with the operator's verdict as the decision. The
// budgets are the operator's; their use comes from its counters in the object,
// else from the ledger.
void FillNatively(const Case& failure, const NativeOutcome& outcome,
                  v1::Decision& decision, v1::Accounting& accounting,
                  v1::AttemptRecord& record);

// Moves `record` into the ledger, because some operators keep their counters
// only in memory. Returns false if there is nothing to store.
bool BookNatively(const NativeOutcome& outcome, std::int32_t attempts,
                  v1::AttemptRecord& record, v1::BudgetLedger& ledger);

// "backoffLimit" as "backoff-limit": the name of a budget in a ledger.
std::string NativeBudgetName(const std::string& setting);

// Fills response.native and its difference from the decision. REQUIRES: the
// decision is filled.
void ShowNative(NativeOutcome outcome, v1::DecideResponse& response);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_ANSWER_NATIVE_DECISION_H_
