// The compiled outcomes, budgets and thresholds of a policy. Absent fields have
// their documented defaults.
#ifndef MULLIGAN_POLICY_RULES_OUTCOME_H_
#define MULLIGAN_POLICY_RULES_OUTCOME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "mulligan/v1/decision.pb.h"
#include "policy/rules/backoff.h"

namespace mulligan {

// Means "no budget" where an index into CompiledPolicy::budgets is expected.
inline constexpr int kNoBudget = -1;

struct CompiledPlacement {
  std::optional<std::int64_t> on_demand_after;
  std::optional<std::int64_t> on_demand_for_last;
  bool avoid_failed_node = false;
  bool hard = false;
  // Only if evidence points to the node.
  bool if_suspected = false;
  absl::Duration expires_after;
  // Only once the use of the paying budget has reached this number.
  std::int64_t avoid_after = 1;
};

struct CompiledResources {
  double memory_factor = 0;   // 0: leave memory alone
  double storage_factor = 0;  // 0: leave storage alone
  double max_factor = 8;
  bool request_only = false;
};

// What happens when a WAIT lasts longer than `grace`.
struct CompiledGrace {
  absl::Duration grace;
  v1::Decision::Action action = v1::Decision::FAIL;
  int budget = kNoBudget;
};

struct CompiledOutcome {
  v1::Decision::Action action = v1::Decision::ACTION_UNSPECIFIED;
  v1::Decision::Scope scope =
      v1::Decision::SCOPE_UNSPECIFIED;  // unspecified: natural
  int budget = kNoBudget;
  v1::Decision::Queue queue = v1::Decision::IN_PLACE;
  std::optional<CompiledBackoff> backoff;
  std::optional<CompiledPlacement> placement;
  std::optional<CompiledResources> resources;
  std::optional<absl::Duration> evidence_deadline;
  std::optional<CompiledGrace> after_grace;
  std::optional<double> passes;
};

// Weights of hours and of people's time.
struct CompiledWorth {
  double weighs = 1;
  double given_up = 3;
  double person_hours = 100;
};

struct CompiledRefund {
  std::optional<double> min_growth;
  std::optional<absl::Duration> min_healthy;
  std::int64_t ceiling = 0;
};

// Bounds of a limit that a workload may set for itself.
struct CompiledRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

struct CompiledBudget {
  std::string name;
  std::int64_t limit = 0;
  v1::BudgetState::LimitSource source =
      v1::BudgetState::LIMIT_SOURCE_UNSPECIFIED;
  // Empty: a workload may not set the limit.
  std::optional<CompiledRange> own_limits;
  // Whether the limit in the workload's object applies.
  bool native_limit = false;
  std::optional<absl::Duration> window;
  std::optional<CompiledRefund> refund;
  // FAIL, WAIT_FOR_SPEC_UPDATE, or RETRY, which charges `escalate_to` instead.
  v1::Decision::Action on_exhausted = v1::Decision::FAIL;
  v1::Decision::Scope exhausted_scope =
      v1::Decision::SCOPE_UNSPECIFIED;  // unspecified: the rule's
  int escalate_to = kNoBudget;
};

// Thresholds of derived causes; 0 disables one.
struct CompiledDerivation {
  std::int32_t same_fingerprint = 3;
  std::int32_t distinct_nodes = 1;
  std::int32_t same_artifact = 2;
  std::int32_t crash_loop_failures = 5;
  absl::Duration crash_loop_window = absl::Minutes(10);
  std::int32_t bad_node_failures = 2;
  std::int32_t poison_nodes = 3;
  // Apply to the digests of recent failures.
  std::int32_t bad_node_workloads = 3;
  std::int32_t incident_workloads = 8;
  double incident_share = 0.5;
  std::int32_t incident_retries = 3;
};

// When retries made by others are ended.
struct CompiledBrake {
  v1::Brake::Mode mode = v1::Brake::HOPELESS;
  std::int32_t same_failure = 2;
  double outlived = 2;
};

// Returns the index of the budget called `name`; kNoBudget if there is none.
int FindBudget(const std::vector<CompiledBudget>& budgets,
               std::string_view name);

// Returns the default cap on attempts: all that the budgets can pay for, plus
// the one that exceeds them.
std::int32_t ImpliedMaxAttempts(const std::vector<CompiledBudget>& budgets);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_OUTCOME_H_
