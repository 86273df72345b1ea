#include "policy/verdict/record.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/counts.h"
#include "policy/base/times.h"
#include "policy/budget/ledger.h"
#include "policy/limits.h"
#include "policy/request/kubernetes_codec.h"
#include "policy/request/workload.h"
#include "policy/verdict/reach.h"

namespace mulligan {
namespace {

// How long a bad node is avoided if the rule does not say.
constexpr absl::Duration kBadNodeAvoidance = absl::Hours(1);

void AvoidNode(const Case& failure, const Verdict& verdict,
               v1::Decision& decision) {
  const CompiledOutcome& outcome = *verdict.outcome;
  const std::string& node = failure.what().culprit.node;
  const bool bad_node = failure.what().derived_cause == v1::BAD_NODE;
  const bool by_rule =
      outcome.placement && outcome.placement->avoid_failed_node &&
      (!outcome.placement->if_suspected || failure.what().incident.of_node) &&
      verdict.used >= outcome.placement->avoid_after;
  // Kubernetes has no longer names, and the ledger has no room for them.
  if (node.empty() || node.size() > kMaxLedgerNodeBytes ||
      !(by_rule || bad_node)) {
    return;
  }
  v1::AvoidNode& avoid = *decision.mutable_placement()->add_avoid_nodes();
  avoid.set_node(node);
  avoid.set_hard(bad_node || outcome.placement->hard);
  SetTime(failure.now() +
              (by_rule ? outcome.placement->expires_after : kBadNodeAvoidance),
          *avoid.mutable_expires_at());
}

void ChooseCapacity(const CompiledPlacement& placement, const Verdict& verdict,
                    v1::Decision& decision) {
  const bool after =
      placement.on_demand_after && verdict.used >= *placement.on_demand_after;
  // With limit L the budget pays for attempts 1..L; attempt `used` is next.
  const bool last =
      placement.on_demand_for_last &&
      verdict.bound - verdict.used < *placement.on_demand_for_last;
  if (after || last) decision.mutable_placement()->set_on_demand(true);
}

// Returns the change of `resource` for `container`, added if there is none.
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

// Multiplies the resources granted before by `factor`. An attempt that only a
// later report shows was granted nothing.
void Grow(const char* resource, double factor, const CompiledResources& policy,
          const Case& failure, v1::Decision& decision,
          std::vector<std::string>& warnings) {
  if (factor == 0) return;
  const std::string& container = failure.what().short_container;
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

// Stores both times of a failure that struck before its end.
void FillLifetime(const Incident& incident, v1::AttemptRecord& record) {
  if (!incident.struck) return;
  const bool ended = IsSet(record.finished_at());
  if (!ended ||
      absl::ToUnixSeconds(*incident.struck) < record.finished_at().seconds()) {
    SetTime(*incident.struck, *record.mutable_struck_at());
  }
  if (ended || !incident.begin) return;
  const absl::Duration ran = *incident.struck - *incident.begin;
  if (ran >= absl::ZeroDuration()) SetDuration(ran, *record.mutable_ran_for());
}

// Bounds the record's share of the ledger.
void BoundAdvice(v1::Decision& decision) {
  const int extra = decision.resources_size() - kMaxRecordAdvice;
  if (extra > 0) decision.mutable_resources()->DeleteSubrange(0, extra);
}

// Fills placement and resources of a RETRY. The caller may drop advice that it
// cannot follow; advice never turns a retry into a failure. Growth is relative
// to the first attempt's spec, so it starts from what earlier failures were
// granted. Growth at its cap adds a warning.
void FillAdvice(const Case& failure, const Verdict& verdict,
                v1::Decision& decision, std::vector<std::string>& warnings) {
  const CompiledOutcome& outcome = *verdict.outcome;
  AvoidNode(failure, verdict, decision);
  if (outcome.placement) {
    ChooseCapacity(*outcome.placement, verdict, decision);
  }
  RepeatEarlierGrowth(failure.ledger, failure.what().incident.part, decision);
  if (outcome.resources) {
    const CompiledResources& policy = *outcome.resources;
    Grow("memory", policy.memory_factor, policy, failure, decision, warnings);
    // Only Kubernetes gives a container a part of its node's disk. Argo quotes
    // its kubelet.
    if (!failure.owners.report.has_ended_attempt() ||
        failure.what().signature.starts_with("kubelet/")) {
      Grow("ephemeral-storage", policy.storage_factor, policy, failure,
           decision, warnings);
    }
  }
  BoundAdvice(decision);
}

}  // namespace

const std::string& BudgetName(const Case& failure, int budget) {
  return failure.policy().budgets[static_cast<std::size_t>(budget)].name;
}

void FillDecision(const Case& failure, const Verdict& verdict,
                  v1::Decision& decision, std::vector<std::string>& warnings) {
  decision.set_action(verdict.action);
  decision.set_scope(verdict.scope);
  if (verdict.delay) {
    SetDuration(std::min(*verdict.delay, kLongestDelay),
                *decision.mutable_retry_after());
  }
  if (verdict.action == v1::Decision::RETRY) {
    decision.set_queue(verdict.outcome->queue);
    decision.set_requires_recreate(
        IsInFinalState(failure.owners, failure.workload()));
    decision.set_last_attempt(verdict.last_attempt);
    decision.set_canary(verdict.canary);
    FillAdvice(failure, verdict, decision, warnings);
  } else if (verdict.action == v1::Decision::WAIT) {
    if (verdict.evidence_deadline) {
      SetTime(*verdict.evidence_deadline,
              *decision.mutable_evidence_deadline());
    }
  }
}

void FillRecord(const Case& failure, const Verdict& verdict,
                const v1::Decision& decision, v1::AttemptRecord& record) {
  const Failure& what = failure.what();
  record.set_failure_id(failure.diagnosed.id.id);
  record.set_named(failure.diagnosed.id.named);
  record.set_attempt(failure.attempt);
  record.set_cause(what.cause);
  record.set_retried_by(what.retried_by);
  if (verdict.charged != kNoBudget) {
    record.set_charged_to(BudgetName(failure, verdict.charged));
  }
  if (what.culprit.node.size() <= kMaxLedgerNodeBytes) {
    record.set_node(what.culprit.node);
  }
  if (IsSet(what.finished_at)) {
    *record.mutable_finished_at() = what.finished_at;
  }
  if (what.fingerprint.size() <= kMaxFingerprintBytes) {
    record.set_fingerprint(what.fingerprint);
  }
  if (failure.progress().has_value()) {
    record.set_progress(failure.progress().value());
  }
  record.set_artifact(failure.progress().artifact());
  *record.mutable_decision() = decision;
  if (const auto ran = what.ran_for) {
    SetDuration(*ran, *record.mutable_ran_for());
  }
  const Incident& incident = what.incident;
  FillLifetime(incident, record);
  record.set_part(incident.part);
  record.set_cannot_recover(what.outlook == v1::Diagnosis::CANNOT_RECOVER ||
                            what.fatal_if_repeated);
  SetTime(failure.now(), *record.mutable_observed_at());
  record.set_refused_by(verdict.refused_by);
  if (verdict.refusing_budget != kNoBudget) {
    record.set_refusing_budget(BudgetName(failure, verdict.refusing_budget));
  }
  if (verdict.refused_by == v1::AttemptRecord::DERIVED_CAUSE ||
      (verdict.by_history && IsRefusal(verdict.action)) ||
      what.derived_cause == v1::INCIDENT) {
    record.set_derived_cause(what.derived_cause);
  }
  record.set_used(CountOf(verdict.used));
  record.set_bound(CountOf(verdict.bound));
}

void Book(const Accounts& accounts, std::int32_t attempts,
          v1::AttemptRecord& record, v1::BudgetLedger& ledger) {
  WriteAccounts(accounts, ledger);
  AddRecord(attempts, record, ledger);
}

void RepeatEarlierGrowth(const v1::BudgetLedger& ledger,
                         const std::string& part, v1::Decision& decision) {
  decision.clear_resources();
  for (int i = ledger.history_size(); i-- > 0;) {
    const v1::Decision& earlier = ledger.history(i).decision();
    // Others started this attempt without the growth.
    if (earlier.action() != v1::Decision::RETRY ||
        ledger.history(i).part() != part ||
        IsRetriedByOthers(ledger.history(i))) {
      continue;
    }
    *decision.mutable_resources() = earlier.resources();
    return;
  }
}

}  // namespace mulligan
