// What the attempt history, and the failures of other workloads, say beyond the
// failure at hand.
#ifndef MULLIGAN_POLICY_BUDGET_HISTORY_H_
#define MULLIGAN_POLICY_BUDGET_HISTORY_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/recent.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/rules/outcome.h"

namespace mulligan {

// A cause that only several failures together show.
struct Derived {
  v1::DerivedCause cause = v1::DERIVED_CAUSE_UNSPECIFIED;  // none
  std::string reason;
};

// Looks at the failure in `diagnosis` together with `ledger.history`, which
// does not contain it. Never derives anything from disruptions and incidents:
// they neither make nor break a streak. Asks in this order, the first that
// holds wins:
//
//   POISON_JOB     consecutive crashes or hangs, each on another node
//   BAD_NODE       causes that point to a node, on the same node within a day,
//                  other than the same crash of the program again
//   DETERMINISTIC  equal fingerprints in a row without progress, fewer of them
//                  where all met it at the same artifact, one more where an
//                  exit code is all there is; only for causes that would
//                  repeat, and only while every attempt had the same resources
//   CRASH_LOOP     many failures within a short time
//
// Without progress are attempts that reported no growth of it or, where it is
// not known, ran for about as long as each other; `ran_for` is how long the one
// at hand did. Times are those of the failures where they are known, else of
// the reports.
Derived DeriveCause(const CompiledDerivation& thresholds,
                    const v1::BudgetLedger& ledger,
                    const v1::Diagnosis& diagnosis,
                    const v1::Progress& progress, absl::Time failed_at,
                    std::optional<absl::Duration> ran_for = std::nullopt);

// The failure at hand, for the lottery of canaries.
struct Asking {
  std::uint64_t identity = 0;  // hash of workload and failure
  absl::Time now;              // report.observed_at
};

// What a victim of an incident is to do.
enum class Turn : std::uint8_t {
  kWait,
  // Goes first, to see whether the incident is over.
  kCanary,
  // It is over: a canary came through.
  kOver,
};

struct FleetFinding {
  Derived derived;
  Turn turn = Turn::kWait;  // for INCIDENT
};

// Looks at `diagnosis` beside the digests of recent failures, which Validate
// has checked. The first that holds wins:
//
//   BAD_NODE   more workloads failed on the culprit's node than chance explains
//              (below one in twenty for any of the nodes), for causes that
//              may be a node's. What a program may do by itself counts once a
//              group, because a broken sweep packed on one node proves nothing
//   INCIDENT   many workloads failed in the same zone, of the same image or of
//              the same cause, for causes that lie in what workloads share, in
//              a window of an hour at most. Not for a workload that was retried
//              in incidents as often as the policy allows: waits have an end
//
// About one in as many as have failed is the canary of each five minutes, drawn
// by a hash, and nobody while the digest knows of one under way.
FleetFinding DeriveFromFleet(
    const CompiledDerivation& thresholds,
    const google::protobuf::RepeatedPtrField<v1::RecentFailures>& recent,
    const v1::BudgetLedger& ledger, const v1::Diagnosis& diagnosis,
    const Asking& asking);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_HISTORY_H_
