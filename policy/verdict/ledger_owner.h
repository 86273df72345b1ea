// Ownership of ledgers.
#ifndef MULLIGAN_POLICY_VERDICT_LEDGER_OWNER_H_
#define MULLIGAN_POLICY_VERDICT_LEDGER_OWNER_H_

#include "absl/status/status.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/request/owners.h"

namespace mulligan {

// Returns FAILED_PRECONDITION if the report shows that the ledger belongs to
// another workload (rules in ledger_owner.cc).
absl::Status CheckLedgerOwner(const v1::BudgetLedger& ledger,
                              const Owners& owners,
                              const v1::WorkloadReference& workload);

// Ties the workload's `ledger` to one of its objects; once something is
// `recorded`, to the most senior one reported so far.
void TieLedger(const Owners& owners, const v1::WorkloadReference& workload,
               bool recorded, v1::BudgetLedger& ledger);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_LEDGER_OWNER_H_
