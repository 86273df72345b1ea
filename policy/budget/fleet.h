// What the failures of other workloads say beyond the failure at hand.
#ifndef MULLIGAN_POLICY_BUDGET_FLEET_H_
#define MULLIGAN_POLICY_BUDGET_FLEET_H_

#include <cstdint>

#include "absl/time/time.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/recent.pb.h"
#include "policy/budget/history.h"
#include "policy/demystify/failure.h"
#include "policy/rules/outcome.h"

namespace mulligan {

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

// Looks at `failure` beside the digests of recent failures, which Validate
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
    const v1::BudgetLedger& ledger, const Failure& failure,
    const Asking& asking);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_FLEET_H_
