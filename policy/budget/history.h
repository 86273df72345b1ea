// What the attempt history says beyond the failure at hand.
#ifndef MULLIGAN_POLICY_BUDGET_HISTORY_H_
#define MULLIGAN_POLICY_BUDGET_HISTORY_H_

#include <string>

#include "absl/time/time.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/rules/outcome.h"

namespace mulligan {

// A cause that only several failures together show.
struct Derived {
  v1::DerivedCause cause = v1::DERIVED_CAUSE_UNSPECIFIED;  // none
  std::string reason;
};

// Looks at the failure in `diagnosis` together with `ledger.history`, which
// does not contain it. Never derives anything from disruptions: they neither
// make nor break a streak. Asks in this order, the first that holds wins:
//
//   POISON_JOB     consecutive crashes or hangs, each on another node
//   BAD_NODE       causes that point to a node, on the same node within a day
//   DETERMINISTIC  equal fingerprints in a row without progress; only for
//                  causes that would repeat, and only while every attempt had
//                  the same resources
//   CRASH_LOOP     many failures within a short time
//
// Times are those of the failures where they are known, else of the reports.
Derived DeriveCause(const CompiledDerivation& thresholds,
                    const v1::BudgetLedger& ledger,
                    const v1::Diagnosis& diagnosis,
                    const v1::Progress& progress, absl::Time failed_at);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_HISTORY_H_
