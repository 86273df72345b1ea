// Causes derived from the attempt history.
#ifndef MULLIGAN_POLICY_BUDGET_HISTORY_H_
#define MULLIGAN_POLICY_BUDGET_HISTORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

// Derives a cause from `failure` and `ledger.history`, which must not contain
// it. From disruptions, incidents and waits nothing is derived, and they
// neither extend nor break a streak. The first that holds wins:
//
//   1. POISON_JOB: consecutive crashes or hangs, each on another node.
//   2. BAD_NODE: several node-related causes on one node within a day. Repeats
//      of the same program crash do not count.
//   3. DETERMINISTIC: equal fingerprints in a row without progress. Fewer are
//      enough at the same artifact or step; one more is needed if the exit code
//      is the only evidence. Only for causes that would repeat, and only while
//      every attempt had the same resources.
//   4. CRASH_LOOP: many failures within a short time.
//
// "Without progress" means that the reported progress did not grow or, if it is
// unknown, that the attempts ran for about the same time. `ran_for` is the run
// time of the current attempt. Times are those of the failures if known, else
// of the reports.
Derived DeriveCause(const CompiledDerivation& thresholds,
                    const v1::BudgetLedger& ledger, const Failure& failure,
                    const v1::Progress& progress, absl::Time failed_at,
                    std::optional<absl::Duration> ran_for = std::nullopt);

// Returns whether the workload failed on that node within the last day.
bool FailedThereBefore(const v1::BudgetLedger& ledger, const Failure& failure,
                       absl::Time failed_at);

// Returns how many failures in a row like the current one, at the same place
// and including it, make it DETERMINISTIC; 0 if that is disabled. `timed`:
// their run times are known.
std::int32_t EnoughAlike(const CompiledDerivation& thresholds,
                         const Failure& failure, const v1::Progress& progress,
                         bool timed);

// Returns the current number of such failures in a row; 1 for the first.
std::int32_t CountAlike(const v1::BudgetLedger& ledger, const Failure& failure,
                        const v1::Progress& progress,
                        std::optional<absl::Duration> ran_for);

// Returns whether the previous attempt failed in the same way after about the
// same time, or with another permanent error and at least as far on, so that no
// checkpoint helped. False if a time is unknown, and for resource limits, which
// are reached after the same time whatever the progress.
bool EndedThereBefore(const v1::BudgetLedger& ledger, const Failure& failure,
                      const v1::Progress& progress);

// The latest failures in a ledger that match one another.
struct Loop {
  // Index in `ledger.history` of the latest one.
  int record = -1;
  // How many there are in a row, how many make another attempt hopeless (0 if
  // that is disabled), and the longest run among them.
  std::int32_t alike = 0;
  std::int32_t enough = 0;
  absl::Duration longest = absl::ZeroDuration();
  // Another attempt may get past it: nothing says why the program failed, or a
  // long run may have left a checkpoint.
  bool weak = false;
};

// Returns the latest loop; empty if the latest failure has no fingerprint.
// Disruptions, incidents and waits are skipped. Progress, another fingerprint
// or other resources end the row.
std::optional<Loop> FindLoop(const CompiledDerivation& thresholds,
                             const v1::BudgetLedger& ledger);

// How often the work has failed in the same way while others retried it
// unchanged, including the current failure, and whether one of these was
// charged. `times` is 1 for the first failure since the caller started it.
struct Unchanged {
  std::int32_t times = 1;
  bool paid = false;
};
Unchanged TriedUnchanged(const v1::BudgetLedger& ledger,
                         const Failure& failure);

// Returns whether the loss of the failure's node is already charged: a pod that
// ran there at the same time ended with it. The pods work independently, so
// each is a failure with a record of its own.
bool IsPaidLoss(const v1::BudgetLedger& ledger, const Failure& failure);

// Returns the budget for a failure known only from an operator's counter or a
// message without a reason. The failure counts as one more of the explained
// failures (those in the ledger and, if `fingerprint` is not empty, the current
// one). Returns nullopt unless all of these cost the same:
//
//   1. Nothing (empty): each ran out of memory and was retried by others, or
//      was uncharged and has the same fingerprint.
//   2. One budget: all were disruptions, or there are at least two and all have
//      the same fingerprint.
std::optional<std::string_view> PayerOfCounted(const v1::BudgetLedger& ledger,
                                               std::string_view fingerprint);

// Returns how many of a container's first `ends` terminations, each followed by
// a restart by the kubelet, have no record. The record at index `latest`, if
// not negative, is of a later end and does not count.
std::int32_t Unrecorded(const v1::BudgetLedger& ledger, std::int32_t ends,
                        int latest = -1);

// Returns whether an attempt that ran for `ran_for` got further than one that
// ran for `than`, judging by time alone.
bool RanFurther(absl::Duration ran_for, absl::Duration than);

// How far an attempt got; empty where unknown.
struct Reached {
  std::optional<absl::Duration> ran;
  std::optional<double> progress;
};

Reached ReachedBy(const v1::AttemptRecord& record);

// Returns whether `attempt` got further than `before`: by progress if both have
// it, else by run time. False if neither is known.
bool GotFurther(const Reached& attempt, const Reached& before);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_HISTORY_H_
