#include "policy/verdict/advice.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/times.h"
#include "policy/limits.h"

namespace mulligan {
namespace {

// A bad node is avoided this long when the rule does not say.
constexpr absl::Duration kBadNodeAvoidance = absl::Hours(1);

void AvoidNode(const Case& failure, const CompiledOutcome& outcome,
               v1::Decision& decision) {
  const std::string& node = failure.diagnosis.culprit().node();
  const bool bad_node = failure.diagnosis.derived_cause() == v1::BAD_NODE;
  const bool by_rule =
      outcome.placement && outcome.placement->avoid_failed_node;
  // A longer name is none that Kubernetes knows, and would not fit the ledger.
  if (node.empty() || node.size() > kMaxLedgerNodeBytes ||
      !(by_rule || bad_node)) {
    return;
  }
  v1::AvoidNode& avoid = *decision.mutable_placement()->add_avoid_nodes();
  avoid.set_node(node);
  avoid.set_hard(bad_node || outcome.placement->hard);
  SetTime(failure.now +
              (by_rule ? outcome.placement->expires_after : kBadNodeAvoidance),
          *avoid.mutable_expires_at());
}

void ChooseCapacity(const CompiledPlacement& placement, const Verdict& verdict,
                    v1::Decision& decision) {
  const bool after =
      placement.on_demand_after && verdict.used >= *placement.on_demand_after;
  // With limit L the budget pays for attempts 1..L; attempt `used` comes next.
  const bool last =
      placement.on_demand_for_last &&
      verdict.bound - verdict.used < *placement.on_demand_for_last;
  if (after || last) decision.mutable_placement()->set_on_demand(true);
}

// The change of `resource` for `container`, added when there is none.
v1::ResourceChange& ChangeOf(const char* resource, const std::string& container,
                             v1::Decision& decision) {
  for (v1::ResourceChange& change : *decision.mutable_resources()) {
    if (change.resource() == resource && change.container() == container) {
      return change;
    }
  }
  v1::ResourceChange& change = *decision.add_resources();
  change.set_resource(resource);
  change.set_container(container);
  return change;
}

// By `factor` more than was granted before: what nobody was told of, an attempt
// that only a later report shows, grew nothing.
void Grow(const char* resource, double factor, const CompiledResources& policy,
          const Case& failure, v1::Decision& decision,
          std::vector<std::string>& warnings) {
  if (factor == 0) return;
  const std::string& container = failure.diagnosis.culprit().container();
  if (container.size() > kMaxLedgerNodeBytes) return;
  v1::ResourceChange& change = ChangeOf(resource, container, decision);
  const double granted =
      std::min(std::max(change.factor(), 1.0) * factor, policy.max_factor);
  if (change.factor() >= policy.max_factor) {
    warnings.push_back(
        absl::StrFormat("%s is at its greatest factor, %g: the next attempt "
                        "gets no more than this one had",
                        resource, policy.max_factor));
  }
  change.set_factor(std::max(granted, change.factor()));
  change.set_request_only(policy.request_only);
}

// Keeps the record within its share of the ledger.
void BoundAdvice(v1::Decision& decision) {
  const int extra = decision.resources_size() - kMaxRecordAdvice;
  if (extra > 0) decision.mutable_resources()->DeleteSubrange(0, extra);
}

}  // namespace

void RepeatEarlierGrowth(const v1::BudgetLedger& ledger,
                         v1::Decision& decision) {
  decision.clear_resources();
  for (int i = ledger.history_size(); i-- > 0;) {
    const v1::Decision& earlier = ledger.history(i).decision();
    if (earlier.action() != v1::Decision::RETRY) continue;
    *decision.mutable_resources() = earlier.resources();
    return;
  }
}

void FillAdvice(const Case& failure, const Verdict& verdict,
                v1::Decision& decision, std::vector<std::string>& warnings) {
  const CompiledOutcome& outcome = *verdict.outcome;
  AvoidNode(failure, outcome, decision);
  if (outcome.placement) {
    ChooseCapacity(*outcome.placement, verdict, decision);
  }
  RepeatEarlierGrowth(failure.ledger, decision);
  if (outcome.resources) {
    const CompiledResources& policy = *outcome.resources;
    Grow("memory", policy.memory_factor, policy, failure, decision, warnings);
    Grow("ephemeral-storage", policy.storage_factor, policy, failure, decision,
         warnings);
  }
  BoundAdvice(decision);
}

void FillAdviceText(const v1::AttemptRecord& record, v1::Decision& decision) {
  if (!decision.has_placement()) return;
  v1::Placement& placement = *decision.mutable_placement();
  for (v1::AvoidNode& avoid : *placement.mutable_avoid_nodes()) {
    avoid.set_reason(
        absl::StrCat(v1::Cause_Name(record.cause()), " on this node"));
  }
  if (placement.on_demand()) {
    placement.set_on_demand_reason(absl::StrCat(record.charged_to(), ": ",
                                                record.used(), " of ",
                                                record.bound(), " used"));
  }
}

}  // namespace mulligan
