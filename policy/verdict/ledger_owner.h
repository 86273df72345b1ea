// Whose ledger it is.
#ifndef MULLIGAN_POLICY_VERDICT_LEDGER_OWNER_H_
#define MULLIGAN_POLICY_VERDICT_LEDGER_OWNER_H_

#include "absl/status/status.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/request/owners.h"

namespace mulligan {

// FAILED_PRECONDITION when the ledger belongs to another workload, as far as
// the report can tell (ledger_owner.cc has the rules).
absl::Status CheckLedgerOwner(const v1::BudgetLedger& ledger,
                              const Owners& owners,
                              const v1::WorkloadReference& workload);

// Ties `ledger`, which is the workload's, to an object of it; once something is
// `recorded`, to the most senior one that was told so far.
void TieLedger(const Owners& owners, const v1::WorkloadReference& workload,
               bool recorded, v1::BudgetLedger& ledger);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_LEDGER_OWNER_H_
