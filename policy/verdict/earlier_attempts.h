// The failures of a report other than the current one.
#ifndef MULLIGAN_POLICY_VERDICT_EARLIER_ATTEMPTS_H_
#define MULLIGAN_POLICY_VERDICT_EARLIER_ATTEMPTS_H_

#include <string>
#include <vector>

#include "mulligan/v1/ledger.pb.h"
#include "policy/request/workload_view.h"
#include "policy/verdict/diagnosed.h"
#include "policy/verdict/failure_context.h"

namespace mulligan {

// Charges and records the failures before the current one that `ledger` lacks.
// Returns warnings.
std::vector<std::string> ChargeEarlierAttempts(const FailureContext& at,
                                               const Diagnosed& diagnosed,
                                               const NativeCount& count,
                                               v1::BudgetLedger& ledger);

// Records failures that others retried in work that goes on or has succeeded
// since, charged as the policy says. If a rule refuses another attempt, the
// record has that decision; else it has IGNORE, which is decided again once the
// work is broken. A record that no budget paid for is replaced if the report
// knows more. Returns whether `ledger` has changed.
bool NoteRetried(const FailureContext& at, const Diagnosed& diagnosed,
                 v1::BudgetLedger& ledger);

// Returns the index of the record of the failure after which the work goes on
// (Findings.ends); -1 if `ledger` has none or nothing failed.
int RecordOfRetried(const FailureContext& at, const Findings& findings,
                    const v1::BudgetLedger& ledger);

// Records once, without a charge, that nothing is to be done about work whose
// owner has failed.
void NoteDone(const FailureContext& at, const Diagnosed& diagnosed,
              v1::BudgetLedger& ledger);

// An open failure other than the current one.
struct OpenFailure {
  const Failure* failure;  // of Findings.earlier
  std::string id;
  // Index in the history of the ledger that was searched.
  int record;
  // The request's ledger has it too.
  bool duplicate;
};

// Returns the open failures that `ledger` has.
std::vector<OpenFailure> OpenFailuresIn(const FailureContext& at,
                                        const Findings& findings,
                                        const v1::BudgetLedger& ledger);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_EARLIER_ATTEMPTS_H_
