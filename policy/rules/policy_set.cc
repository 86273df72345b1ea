#include "policy/rules/policy_set.h"

#include <algorithm>
#include <functional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/rules/selector_index.h"

namespace mulligan {
namespace {

using Policies = std::vector<std::unique_ptr<const Ruleset>>;

bool IsOnlyByName(const Ruleset& policy) {
  return policy.source().spec().only_by_name();
}

bool IsCatchAll(const Ruleset& policy) {
  return !IsOnlyByName(policy) && policy.compiled().selector.IsCatchAll();
}

bool TriedBefore(const std::unique_ptr<const Ruleset>& a,
                 const std::unique_ptr<const Ruleset>& b) {
  const auto key = [](const Ruleset& policy) {
    return std::tuple(IsOnlyByName(policy), IsCatchAll(policy),
                      policy.source().spec().order(),
                      std::string_view(policy.name()));
  };
  return key(*a) < key(*b);
}

void Add(const Ruleset& policy, Issue::Severity severity, const char* path,
         std::string message, Issues& issues) {
  issues.push_back({severity, policy.positions().file(),
                    policy.positions().Find(path), std::move(message)});
}

void CheckNames(const Policies& policies, Issues& issues) {
  std::unordered_map<std::string, const Ruleset*> seen;
  for (const auto& policy : policies) {
    const auto [first, is_new] = seen.emplace(policy->name(), policy.get());
    if (is_new) continue;
    Add(*policy, Issue::Severity::kError, "metadata.name",
        absl::StrFormat("another policy is called \"%s\" already, in %s",
                        policy->name(), first->second->positions().file()),
        issues);
  }
}

void CheckCatchAll(const Policies& policies, Issues& issues) {
  const Ruleset* first = nullptr;
  for (const auto& policy : policies) {
    if (!IsCatchAll(*policy)) continue;
    if (first != nullptr) {
      Add(*policy, Issue::Severity::kError, "spec.selector",
          absl::StrFormat("policy \"%s\" selects every workload, and so does "
                          "\"%s\"; expected exactly one without a selector",
                          policy->name(), first->name()),
          issues);
    } else {
      first = policy.get();
    }
  }
  if (first == nullptr) {
    issues.push_back({Issue::Severity::kError,
                      "",
                      {},
                      "no policy is for all workloads; expected exactly one "
                      "without a selector"});
  }
}

void LintSelectors(const Policies& policies, Issues& issues) {
  for (std::size_t i = 1; i < policies.size(); ++i) {
    const Ruleset& policy = *policies[i];
    if (IsCatchAll(policy) || IsOnlyByName(policy)) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (!Covers(policies[j]->compiled().selector,
                  policy.compiled().selector)) {
        continue;
      }
      Add(policy, Issue::Severity::kWarning, "spec.selector",
          absl::StrFormat("policy \"%s\" is never reached: \"%s\", tried "
                          "before it, selects all its workloads",
                          policy.name(), policies[j]->name()),
          issues);
      break;
    }
  }
}

bool AnyMatchesLabels(const Policies& policies) {
  return std::any_of(policies.begin(), policies.end(), [](const auto& policy) {
    const CompiledPolicy& compiled = policy->compiled();
    return !compiled.selector.labels.empty() ||
           std::any_of(
               compiled.rules.begin(), compiled.rules.end(),
               [](const auto& rule) { return !rule.when.labels.empty(); });
  });
}

std::vector<const CompiledSelector*> Selectors(const Policies& policies) {
  std::vector<const CompiledSelector*> selectors;
  selectors.reserve(policies.size());
  for (const auto& policy : policies) {
    if (IsOnlyByName(*policy)) break;  // these come last
    selectors.push_back(&policy->compiled().selector);
  }
  return selectors;
}

}  // namespace

class PolicySet::Index {
 public:
  explicit Index(const Policies& policies) : selectors(Selectors(policies)) {
    for (const auto& policy : policies) {
      by_name.emplace(policy->name(), policy.get());
    }
  }

  SelectorIndex selectors;
  // The keys are views of names that the policies own.
  std::unordered_map<std::string_view, const Ruleset*> by_name;
};

PolicySet::PolicySet(Policies policies, std::string revision)
    : policies_(std::move(policies)),
      revision_(std::move(revision)),
      matches_labels_(AnyMatchesLabels(policies_)),
      index_(std::make_unique<const Index>(policies_)) {}

PolicySet::~PolicySet() = default;

std::unique_ptr<const PolicySet> PolicySet::Create(Policies policies,
                                                   std::string revision,
                                                   Issues& issues) {
  const auto errors = [&issues] {
    return std::count_if(issues.begin(), issues.end(), [](const Issue& issue) {
      return issue.severity == Issue::Severity::kError;
    });
  };
  const auto before = errors();
  std::sort(policies.begin(), policies.end(), TriedBefore);
  CheckNames(policies, issues);
  CheckCatchAll(policies, issues);
  if (errors() > before) return nullptr;
  LintSelectors(policies, issues);
  return std::unique_ptr<const PolicySet>(
      new PolicySet(std::move(policies), std::move(revision)));
}

const Ruleset* PolicySet::Find(std::string_view name) const {
  const auto found = index_->by_name.find(name);
  return found == index_->by_name.end() ? nullptr : found->second;
}

const Ruleset& PolicySet::Select(const v1::WorkloadReference& workload) const {
  return *policies_[index_->selectors.FindFirst(workload)];
}

}  // namespace mulligan
