#include "policy/verdict/escalation.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "policy/base/counts.h"
#include "policy/budget/history.h"
#include "policy/rules/predicates.h"
#include "policy/verdict/expected.h"

namespace mulligan {
namespace {

using Rung = v1::Escalation::Rung;

// A future retry, as far as placement and resources depend on it.
struct Step {
  const CompiledOutcome& outcome;
  std::int64_t used = 0;  // of the paying budget, including that retry
  std::int64_t bound = 0;
  bool on_a_node = false;  // the failed node is known
  bool suspected = false;  // and evidence points to it
};

// The ladder: when a decision for `outcome` is on each rung, and when a future
// step will be. The highest row that holds is the rung; IN_PLACE if none does.
struct LadderRow {
  Rung rung;
  bool (*is_taken)(const v1::Decision& decision,
                   const CompiledOutcome& outcome);
  bool (*comes)(const Step& step);
  // The lowest budget use at which it may apply; 0 if use does not matter.
  std::int64_t (*from)(const Step& step);
};

bool Advises(const CompiledOutcome& outcome) {
  return outcome.placement.has_value();
}

constexpr LadderRow kLadder[] = {
    {v1::Escalation::MORE_RESOURCES,
     // Does not count growth granted to earlier failures, which is repeated.
     [](const v1::Decision& d, const CompiledOutcome& o) {
       return o.resources && !d.resources().empty();
     },
     [](const Step& s) { return s.outcome.resources.has_value(); },
     [](const Step&) { return std::int64_t{0}; }},
    {v1::Escalation::ON_DEMAND,
     [](const v1::Decision& d, const CompiledOutcome&) {
       return d.placement().on_demand();
     },
     [](const Step& s) {
       if (!Advises(s.outcome)) return false;
       const CompiledPlacement& placement = *s.outcome.placement;
       return (placement.on_demand_after &&
               s.used >= *placement.on_demand_after) ||
              (placement.on_demand_for_last &&
               s.bound - s.used < *placement.on_demand_for_last);
     },
     [](const Step& s) {
       if (!Advises(s.outcome)) return std::int64_t{0};
       const CompiledPlacement& placement = *s.outcome.placement;
       std::int64_t first = std::numeric_limits<std::int64_t>::max();
       if (placement.on_demand_after) first = *placement.on_demand_after;
       if (placement.on_demand_for_last) {
         first = std::min(first, s.bound - *placement.on_demand_for_last + 1);
       }
       return first;
     }},
    {v1::Escalation::ANOTHER_NODE,
     [](const v1::Decision& d, const CompiledOutcome&) {
       return !d.placement().avoid_nodes().empty();
     },
     [](const Step& s) {
       return Advises(s.outcome) && s.on_a_node &&
              s.outcome.placement->avoid_failed_node &&
              (s.suspected || !s.outcome.placement->if_suspected) &&
              s.used >= s.outcome.placement->avoid_after;
     },
     [](const Step& s) {
       return Advises(s.outcome) ? s.outcome.placement->avoid_after
                                 : std::int64_t{0};
     }},
};

Rung RungOf(const v1::Decision& decision, const Verdict& verdict) {
  if (decision.action() != v1::Decision::RETRY) return v1::Escalation::PERSON;
  for (const LadderRow& row : kLadder) {
    if (row.is_taken(decision, *verdict.outcome)) return row.rung;
  }
  return v1::Escalation::IN_PLACE;
}

Rung RungOf(const Step& step) {
  for (const LadderRow& row : kLadder) {
    if (row.comes(step)) return row.rung;
  }
  return v1::Escalation::IN_PLACE;
}

// Returns how many failures `budget` and its successors still tolerate.
std::int64_t RoomFrom(const Accounts& accounts, int budget) {
  std::int64_t room = 0;
  while (budget != kNoBudget) {
    const Account& account = accounts.at(budget);
    room += std::max<std::int64_t>(account.limit - account.used, 0);
    const CompiledBudget& policy =
        accounts.budgets()[static_cast<std::size_t>(budget)];
    budget = policy.on_exhausted == v1::Decision::RETRY ? policy.escalate_to
                                                        : kNoBudget;
  }
  return room;
}

// Evaluates further repetitions of the same failure.
class Ahead {
 public:
  Ahead(const Case& failure, const Verdict& verdict, const Accounts& accounts)
      : failure_(failure),
        verdict_(verdict),
        accounts_(accounts),
        on_a_node_(!failure.what().culprit.node.empty()) {}

  // Returns the first rung above `rung`, and how many failures it takes.
  std::pair<Rung, std::int64_t> Next(Rung rung) const {
    for (const std::int64_t more : CountsToTry()) {
      const Rung then = After(more);
      if (then > rung) return {then, more};
    }
    return {v1::Escalation::PERSON, UntilRefused()};
  }

 private:
  // Rules on the number of failures use small numbers.
  static constexpr std::int64_t kRulesAhead = 4;

  Step StepOf(const CompiledOutcome& outcome, std::int64_t more) const {
    const int budget =
        outcome.budget != kNoBudget ? outcome.budget : verdict_.charged;
    Step step{outcome};
    if (budget != kNoBudget) {
      step.used = accounts_.at(budget).used + more;
      step.bound = accounts_.at(budget).limit;
    }
    step.on_a_node = on_a_node_;
    // Assumes that the next failure is on the same node.
    step.suspected =
        failure_.what().incident.of_node ||
        (more > 0 && failure_.what().outlook == v1::Diagnosis::OUTLOOK_UNKNOWN);
    return step;
  }

  // Returns, sorted, the numbers of failures that may make a difference.
  absl::InlinedVector<std::int64_t, 8> CountsToTry() const {
    absl::InlinedVector<std::int64_t, 8> counts;
    const std::int64_t last = UntilRefused();
    for (std::int64_t more = 1; more <= kRulesAhead && more <= last; ++more) {
      counts.push_back(more);
    }
    const Step now = StepOf(*verdict_.outcome, 0);
    for (const LadderRow& row : kLadder) {
      const std::int64_t more = row.from(now) - now.used;
      if (more > kRulesAhead && more <= last) counts.push_back(more);
    }
    std::ranges::sort(counts);
    return counts;
  }

  // Returns after how many failures the budget or the cap ends it.
  std::int64_t UntilRefused() const {
    const std::int64_t attempts =
        std::int64_t{failure_.at.max_attempts()} - failure_.attempts;
    // A limit that was too low is charged only once.
    const int budget = verdict_.charged != kNoBudget ? verdict_.charged
                                                     : verdict_.outcome->budget;
    return std::max<std::int64_t>(
        std::min(RoomFrom(accounts_, budget) + 1, attempts), 1);
  }

  Rung After(std::int64_t more) const {
    if (more >= UntilRefused()) return v1::Escalation::PERSON;
    v1::Stake stake = failure_.stake;
    stake.set_alike(CountOf(stake.alike() + more));
    stake.set_failed_again(CountOf(stake.failed_again() + more));
    const Failure& what = failure_.what();
    const std::int32_t enough =
        EnoughAlike(failure_.policy().derivation, what, failure_.progress(),
                    stake.has_ran());
    const bool deterministic = enough > 0 && stake.alike() >= enough;
    const v1::DerivedCause derived =
        deterministic ? v1::DETERMINISTIC : v1::DERIVED_CAUSE_UNSPECIFIED;
    const Facts facts = {failure_.owners,
                         what,
                         failure_.workload(),
                         what.cause,
                         derived,
                         CountOf(failure_.attempt + more),
                         stake,
                         failure_.at.patterns};
    const CompiledRule* const rule = FirstMatching(facts);
    const CompiledOutcome& outcome =
        rule != nullptr ? rule->then : failure_.policy().fallback;
    const bool expected = rule != nullptr && !rule->when.derived_causes.empty();
    // A wait is tried again later, so it does not end the work.
    const bool ends = outcome.action == v1::Decision::FAIL ||
                      outcome.action == v1::Decision::WAIT_FOR_SPEC_UPDATE;
    const bool loses =
        outcome.passes &&
        LosesHours(failure_.policy().worth,
                   PassesOf(failure_.policy().worth, *outcome.passes, stake),
                   stake);
    if (ends || loses || (deterministic && !expected)) {
      return v1::Escalation::PERSON;
    }
    return RungOf(StepOf(outcome, more));
  }

  // Returns the first rule that matches, or null; searches texts only once.
  const CompiledRule* FirstMatching(const Facts& facts) const {
    const CompiledPolicy& policy = failure_.policy();
    const std::vector<int>& rules = policy.RulesOf(facts.cause);
    of_failure_.resize(rules.size());
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const CompiledRule& rule = policy.rule(rules[i]);
      if (of_failure_[i] == false) continue;
      if (!MatchesHistory(rule.when, facts)) continue;
      if (!of_failure_[i]) of_failure_[i] = MatchesFailure(rule.when, facts);
      if (*of_failure_[i]) return &rule;
    }
    return nullptr;
  }

  const Case& failure_;
  const Verdict& verdict_;
  const Accounts& accounts_;
  const bool on_a_node_;
  // For each rule of the cause: whether it matches the failure, once evaluated.
  mutable absl::InlinedVector<std::optional<bool>, 32> of_failure_;
};

}  // namespace

void FillEscalation(const Case& failure, const Verdict& verdict,
                    const Accounts& accounts, v1::Decision& decision) {
  if (decision.action() == v1::Decision::IGNORE ||
      decision.action() == v1::Decision::WAIT) {
    return;
  }
  v1::Escalation& escalation = *decision.mutable_escalation();
  escalation.set_rung(RungOf(decision, verdict));
  if (escalation.rung() == v1::Escalation::PERSON) return;
  const auto [next, after] =
      Ahead(failure, verdict, accounts).Next(escalation.rung());
  escalation.set_next(next);
  escalation.set_after(CountOf(after));
}

}  // namespace mulligan
