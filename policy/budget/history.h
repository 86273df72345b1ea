// What the attempt history says beyond the failure at hand.
#ifndef MULLIGAN_POLICY_BUDGET_HISTORY_H_
#define MULLIGAN_POLICY_BUDGET_HISTORY_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/demystify/failure.h"
#include "policy/rules/outcome.h"

namespace mulligan {

// A cause that only several failures together show.
struct Derived {
  v1::DerivedCause cause = v1::DERIVED_CAUSE_UNSPECIFIED;  // none
  std::string reason;
};

// Looks at the failure in `failure` together with `ledger.history`, which
// does not contain it. Never derives anything from disruptions and incidents:
// they neither make nor break a streak. Asks in this order, the first that
// holds wins:
//
//   POISON_JOB     consecutive crashes or hangs, each on another node
//   BAD_NODE       causes that point to a node, on the same node within a day,
//                  other than the same crash of the program again
//   DETERMINISTIC  equal fingerprints in a row without progress, fewer of them
//                  where all met it at the same artifact or step, one more
//                  where an exit code is all there is; only for causes that
//                  would repeat, and only while every attempt had the same
//                  resources
//   CRASH_LOOP     many failures within a short time
//
// Without progress are attempts that reported no growth of it or, where it is
// not known, ran for about as long as each other; `ran_for` is how long the one
// at hand did. Times are those of the failures where they are known, else of
// the reports.
Derived DeriveCause(const CompiledDerivation& thresholds,
                    const v1::BudgetLedger& ledger, const Failure& failure,
                    const v1::Progress& progress, absl::Time failed_at,
                    std::optional<absl::Duration> ran_for = std::nullopt);

// Whether the workload failed on the node of `failure` before, within a day.
bool FailedThereBefore(const v1::BudgetLedger& ledger, const Failure& failure,
                       absl::Time failed_at);

// How many failures in a row like the one at hand, at the same place and this
// one included, make it DETERMINISTIC; 0: no number does. `timed`: it is known
// how long they ran.
std::int32_t EnoughAlike(const CompiledDerivation& thresholds,
                         const Failure& failure, const v1::Progress& progress,
                         bool timed);

// How many there are, in the sense of DeriveCause; 1: it is the first.
std::int32_t CountAlike(const v1::BudgetLedger& ledger, const Failure& failure,
                        const v1::Progress& progress,
                        std::optional<absl::Duration> ran_for);

// Whether the attempt before ended as the failure at hand did after about as
// long, so that a checkpoint got neither of them past it. False where a time is
// not known, and of what runs short of something: that takes as long each time,
// however far the work is.
bool EndedThereBefore(const v1::BudgetLedger& ledger, const Failure& failure,
                      const v1::Progress& progress);

// The latest failures of a ledger that are alike.
struct Loop {
  // Index in `ledger.history` of the latest one.
  int record = -1;
  // How many there are in a row, how many say that one more is no use (0: no
  // number does), and the longest run of them.
  std::int32_t alike = 0;
  std::int32_t enough = 0;
  absl::Duration longest = absl::ZeroDuration();
};

// Disruptions and incidents neither make nor break a row; progress, another
// fingerprint and other resources do. Nothing: no failure has a fingerprint.
std::optional<Loop> FindLoop(const CompiledDerivation& thresholds,
                             const v1::BudgetLedger& ledger);

// How often the work has failed in the same way while others retried it
// unchanged, the current failure included, and whether one of these failures
// was charged. `times` is 1 for the first failure since the caller started it.
struct Unchanged {
  std::int32_t times = 1;
  bool paid = false;
};
Unchanged TriedUnchanged(const v1::BudgetLedger& ledger,
                         const Failure& failure);

// Returns how many of the first `ends` ends of a container, each followed by a
// restart by the kubelet, have no record. The record at index `latest`, if not
// negative, is of a later end and does not count.
std::int32_t Unrecorded(const v1::BudgetLedger& ledger, std::int32_t ends,
                        int latest = -1);

// Whether an attempt that ran for so long got further than one that ran for
// `than`, as far as times can tell.
bool RanFurther(absl::Duration ran_for, absl::Duration than);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_HISTORY_H_
