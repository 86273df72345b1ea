// Failures that the report tells besides the one at hand.
#ifndef MULLIGAN_POLICY_VERDICT_EARLIER_ATTEMPTS_H_
#define MULLIGAN_POLICY_VERDICT_EARLIER_ATTEMPTS_H_

#include <string>
#include <vector>

#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/request/workload_view.h"
#include "policy/verdict/diagnosed.h"
#include "policy/verdict/situated.h"

namespace mulligan {

// Charges to `ledger` and records in it what happened before the failure at
// hand and is not there yet. Returns what there is to warn of.
std::vector<std::string> ChargeEarlierAttempts(const Situated& at,
                                               const Diagnosed& told,
                                               const NativeCount& count,
                                               v1::BudgetLedger& ledger);

// Records in `ledger` what failed of work that goes on, and charges nothing for
// it: others start it again. The decision is the policy's where a rule refuses
// another attempt, else IGNORE, which is decided anew once the work is broken.
void NoteRetried(const Situated& at, const Findings& findings,
                 v1::BudgetLedger& ledger);

// Fills response.separate: what was decided, by the response's ledger, about
// the failures that are open beside the one at hand, `failure_id`. Where one of
// them ends the whole workload, no part of it is retried: the decisions, in the
// ledger too, are made to agree.
void FillSeparate(const Situated& at, const Findings& findings,
                  const std::string& failure_id, v1::DecideResponse& response);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_EARLIER_ATTEMPTS_H_
