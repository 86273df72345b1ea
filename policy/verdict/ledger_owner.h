// Ownership of ledgers.
#ifndef MULLIGAN_POLICY_VERDICT_LEDGER_OWNER_H_
#define MULLIGAN_POLICY_VERDICT_LEDGER_OWNER_H_

#include <string_view>

#include "absl/status/status.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/request/owners.h"

namespace mulligan {

// The most senior workload that objects of a report name. Views of the report
// and of its WorkloadReference; the UID is empty if it is unknown.
struct LedgerOwner {
  std::string_view kind;
  std::string_view uid;
};
LedgerOwner LedgerOwnerOf(const Owners& owners,
                          const v1::WorkloadReference& workload);

// Returns FAILED_PRECONDITION if the report shows that the ledger belongs to
// another workload than `owner` (rules in ledger_owner.cc).
absl::Status CheckLedgerOwner(const v1::BudgetLedger& ledger,
                              const Owners& owners, const LedgerOwner& owner);

// Ties the workload's `ledger` to one of its objects; once something is
// `recorded`, to the most senior one reported so far.
void TieLedger(const LedgerOwner& owner, bool recorded,
               v1::BudgetLedger& ledger);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_LEDGER_OWNER_H_
