#include "policy/rules/lint.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/demystify/causes.h"
#include "policy/request/kind_names.h"
#include "policy/rules/covers.h"

namespace mulligan {
namespace {

// A limit that is never reached in practice.
constexpr std::int64_t kPracticallyUnbounded = 10000;

std::string RulePath(std::size_t index) {
  return absl::StrCat("spec.rules[", index, "]");
}

bool AsksForCausesOnly(const Predicates& when) {
  Predicates causes_only;
  causes_only.causes = when.causes;
  return Covers(when, causes_only);
}

bool AllowsAnyCause(const Predicates& when) {
  return when.causes.Covers(CauseSet::All());
}

bool AsksForDomainsOnly(const Predicates& when) {
  Predicates domains_only;
  domains_only.fault_domains = when.fault_domains;
  return !when.fault_domains.empty() && Covers(when, domains_only);
}

// Returns the causes whose default fault domain is in `domains`.
CauseSet CausesByDefault(DomainSet domains) {
  CauseSet usual;
  for (int number = v1::Cause_MIN; number <= v1::Cause_MAX; ++number) {
    const auto cause = static_cast<v1::Cause>(number);
    if (v1::Cause_IsValid(number) && domains.Contains(RowOf(cause).domain)) {
      usual.Add(cause);
    }
  }
  return usual;
}

// Returns for example "\"oom\" (line 12)"; the name alone without a line.
std::string ShownRule(const CompiledRule& rule) {
  const v1::RuleReference& at = rule.reference;
  return at.line() > 0
             ? absl::StrFormat("\"%s\" (line %d)", at.rule(), at.line())
             : absl::StrFormat("\"%s\"", at.rule());
}

// Causes that a rule decides unconditionally, ahead of later rules.
struct Taken {
  CauseSet causes;
  const CompiledRule* rule;
};

// Returns the rules, in order, that take some of `causes` first.
std::string RulesTaking(CauseSet causes, const std::vector<Taken>& taken) {
  std::string names;
  CauseSet seen;
  for (const Taken& one : taken) {
    const CauseSet its = one.causes.And(causes);
    if (seen.Covers(its)) continue;
    seen = seen.Or(its);
    absl::StrAppend(&names, names.empty() ? "" : ", ", ShownRule(*one.rule));
  }
  return names;
}

CauseSet AllOf(const std::vector<Taken>& taken) {
  CauseSet all;
  for (const Taken& one : taken) all = all.Or(one.causes);
  return all;
}

void LintReachability(const std::vector<CompiledRule>& rules,
                      IssueReporter& report) {
  std::vector<Taken> decided;  // by earlier unconditional rules
  std::vector<Taken> usual;    // by their default domains, likewise
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Predicates& when = rules[i].when;
    if (when.causes.empty()) continue;  // reported where it was compiled
    const CompiledRule* earlier = nullptr;
    for (std::size_t j = 0; j < i && earlier == nullptr; ++j) {
      if (Covers(rules[j].when, when)) earlier = &rules[j];
    }
    const std::string& name = rules[i].reference.rule();
    if (kNoFailures.Covers(when.causes)) {
      report.Warn(
          RulePath(i),
          absl::StrFormat("rule \"%s\" is never reached: its causes are "
                          "no failures, which no rule decides about",
                          name));
    } else if (earlier != nullptr) {
      report.Warn(RulePath(i),
                  absl::StrFormat("rule \"%s\" is never reached: %s matches "
                                  "everything it matches",
                                  name, ShownRule(*earlier)));
    } else if (AllOf(decided).Covers(when.causes)) {
      report.Warn(RulePath(i),
                  absl::StrFormat("rule \"%s\" is never reached: earlier rules "
                                  "match all its causes: %s",
                                  name, RulesTaking(when.causes, decided)));
    } else if (const CauseSet taken = when.causes.And(AllOf(decided));
               !AllowsAnyCause(when) && !taken.empty()) {
      report.Warn(RulePath(i),
                  absl::StrFormat("rule \"%s\" never decides about %s: earlier "
                                  "rules do: %s",
                                  name, CauseNames(taken),
                                  RulesTaking(taken, decided)));
    } else if (const CauseSet seldom = when.causes.And(AllOf(usual));
               AsksForCausesOnly(when) && !AllowsAnyCause(when) &&
               !seldom.empty()) {
      report.Warn(RulePath(i),
                  absl::StrFormat(
                      "rule \"%s\" seldom decides about %s: an earlier "
                      "rule matches the usual fault domain: %s",
                      name, CauseNames(seldom), RulesTaking(seldom, usual)));
    }
    if (AsksForCausesOnly(when)) decided.push_back({when.causes, &rules[i]});
    if (AsksForDomainsOnly(when)) {
      usual.push_back({CausesByDefault(when.fault_domains), &rules[i]});
    }
  }
}

void MarkUsed(const CompiledOutcome& outcome, std::vector<bool>& used) {
  const auto mark = [&used](int budget) {
    if (budget != kNoBudget) used[static_cast<std::size_t>(budget)] = true;
  };
  mark(outcome.budget);
  if (outcome.after_grace) mark(outcome.after_grace->budget);
}

void LintPayer(const CompiledPolicy& policy, const CompiledOutcome& outcome,
               const std::string& path, IssueReporter& report) {
  if (outcome.action != v1::Decision::RETRY || outcome.budget == kNoBudget) {
    return;
  }
  const CompiledBudget& budget =
      policy.budgets[static_cast<std::size_t>(outcome.budget)];
  if (budget.limit > 0 || budget.escalate_to != kNoBudget) return;
  report.Warn(path + ".budget",
              absl::StrFormat("budget \"%s\" has limit 0, so this RETRY is "
                              "never granted: raise the limit, or say FAIL",
                              budget.name));
}

void LintBudgets(const v1::RetryPolicySpec& spec, const CompiledPolicy& policy,
                 IssueReporter& report) {
  std::vector<bool> used(policy.budgets.size());
  for (const CompiledRule& rule : policy.rules) MarkUsed(rule.then, used);
  MarkUsed(policy.fallback, used);
  for (const CompiledBudget& budget : policy.budgets) {
    if (budget.escalate_to != kNoBudget) {
      used[static_cast<std::size_t>(budget.escalate_to)] = true;
    }
  }
  for (std::size_t i = 0; i < policy.budgets.size(); ++i) {
    const CompiledBudget& budget = policy.budgets[i];
    const std::string path = absl::StrCat("spec.budgets[", budget.name, "]");
    if (!used[i]) {
      report.Warn(
          path, absl::StrFormat("no rule charges budget \"%s\"", budget.name));
    }
    if (budget.limit > kPracticallyUnbounded) {
      report.Warn(path + ".limit",
                  absl::StrFormat("%d failures are no bound in practice",
                                  budget.limit));
    }
    if (budget.window && !spec.has_max_attempts()) {
      report.Warn(path + ".window",
                  absl::StrFormat("maxAttempts is absent, so the sum of all "
                                  "budgets, %d, caps the attempts over the "
                                  "whole life in spite of the window",
                                  policy.max_attempts));
    }
  }
}

void LintWait(const CompiledOutcome& outcome, const std::string& path,
              IssueReporter& report) {
  if (outcome.action == v1::Decision::WAIT && !outcome.after_grace &&
      !outcome.evidence_deadline && outcome.budget == kNoBudget) {
    report.Warn(path,
                "waits without end: give it afterGrace, evidenceDeadline or a "
                "budget, unless the state is sure to change by itself");
  }
}

// Any operator's kind is allowed, but near misses are mostly misspelt.
void LintKinds(const google::protobuf::RepeatedPtrField<std::string>& kinds,
               const std::string& path, IssueReporter& report) {
  for (int i = 0; i < kinds.size(); ++i) {
    const std::string_view meant = SuggestKind(kinds[i]);
    if (meant.empty()) continue;
    report.Warn(absl::StrCat(path, "[", i, "]"),
                absl::StrFormat("kind \"%s\" is not known, did you mean %s?",
                                kinds[i], meant));
  }
}

}  // namespace

void LintPolicy(const v1::RetryPolicy& source, const CompiledPolicy& compiled,
                IssueReporter& report) {
  LintReachability(compiled.rules, report);
  LintBudgets(source.spec(), compiled, report);
  LintKinds(source.spec().selector().kinds(), "spec.selector.kinds", report);
  for (int i = 0; i < source.spec().rules_size(); ++i) {
    LintKinds(source.spec().rules(i).when().kinds(),
              RulePath(static_cast<std::size_t>(i)) + ".when.kinds", report);
  }
  for (std::size_t i = 0; i < compiled.rules.size(); ++i) {
    if (kNoFailures.Covers(compiled.rules[i].when.causes)) continue;
    LintWait(compiled.rules[i].then, RulePath(i) + ".then", report);
    LintPayer(compiled, compiled.rules[i].then, RulePath(i) + ".then", report);
  }
  LintWait(compiled.fallback, "spec.default", report);
  LintPayer(compiled, compiled.fallback, "spec.default", report);
}

}  // namespace mulligan
