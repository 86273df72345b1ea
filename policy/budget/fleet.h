// Causes derived from the failures of other workloads.
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

// The current failure, for the choice of canaries.
struct Asking {
  std::uint64_t identity = 0;  // hash of workload and failure
  absl::Time now;              // report.observed_at
};

// How a workload affected by an incident proceeds.
enum class Turn : std::uint8_t {
  kWait,
  // Retries first, to test whether the incident is over.
  kCanary,
  // Retries because a canary recovered.
  kOver,
};

struct FleetFinding {
  Derived derived;
  Turn turn = Turn::kWait;  // for INCIDENT
};

// Compares `failure` with the digests of recent failures, which Validate has
// checked. Returns the first cause that holds:
//
//   1. BAD_NODE: more workloads failed on the culprit's node than chance
//      explains (a chance of at most 1 in 20 that any node has so many), by
//      causes that a node can produce. Causes that the program may have
//      produced count once per group: a broken sweep on one node proves
//      nothing.
//   2. INCIDENT: many workloads failed in the same zone, with the same image
//      and cause, or with the same cause, within a window of at most an hour.
//      The causes must be faults of shared resources. Never for a workload
//      whose incident retries reached the policy's bound, so that waits end.
//
// Every five minutes a hash picks about one canary among the workloads that
// failed alike, but none while the digest shows a running canary.
FleetFinding DeriveFromFleet(
    const CompiledDerivation& thresholds,
    const google::protobuf::RepeatedPtrField<v1::RecentFailures>& recent,
    const v1::BudgetLedger& ledger, const Failure& failure,
    const Asking& asking);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_FLEET_H_
