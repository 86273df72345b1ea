// Failures of the report besides the one at hand.
#ifndef MULLIGAN_POLICY_VERDICT_EARLIER_ATTEMPTS_H_
#define MULLIGAN_POLICY_VERDICT_EARLIER_ATTEMPTS_H_

#include <string>
#include <vector>

#include "mulligan/v1/ledger.pb.h"
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

// Records in `ledger` what failed of work that goes on and others start again,
// charged as the policy says. The decision is its own where a rule refuses
// another attempt, else IGNORE, which is decided anew once the work is broken.
// A record that nobody paid for is replaced by one that knows more. Returns
// whether the ledger has changed.
bool NoteRetried(const Situated& at, const Findings& findings,
                 v1::BudgetLedger& ledger);

// Records in `ledger`, uncharged, that nothing is to be done about work whose
// owner has failed. Once.
void NoteDone(const Situated& at, const Diagnosed& told,
              v1::BudgetLedger& ledger);

// A failure that is open beside the one at hand.
struct OpenFailure {
  const Failure* failure;  // of Findings.earlier
  std::string id;
  // Index in the history of the ledger that it was looked for in.
  int record;
  // The request's ledger has it, too.
  bool duplicate;
};

// Those that `ledger` has.
std::vector<OpenFailure> OpenFailuresIn(const Situated& at,
                                        const Findings& findings,
                                        const v1::BudgetLedger& ledger);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_EARLIER_ATTEMPTS_H_
