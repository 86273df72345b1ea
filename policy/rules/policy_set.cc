#include "policy/rules/policy_set.h"

#include <algorithm>
#include <functional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/message_json.h"
#include "policy/base/pattern_allowance.h"
#include "policy/base/stable_hash.h"
#include "policy/limits.h"
#include "policy/request/refusal.h"
#include "policy/rules/selector.h"

namespace mulligan {
namespace {

using Policies = std::vector<std::unique_ptr<const Ruleset>>;

bool TriedBefore(const std::unique_ptr<const Ruleset>& a,
                 const std::unique_ptr<const Ruleset>& b) {
  const auto key = [](const Ruleset& policy) {
    return std::tuple(policy.source().spec().only_by_name(),
                      policy.IsCatchAll(), policy.source().spec().order(),
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
    if (!policy->IsCatchAll()) continue;
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
    if (policy.IsCatchAll() || policy.source().spec().only_by_name()) continue;
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
  return std::ranges::any_of(policies, [](const auto& policy) {
    const CompiledPolicy& compiled = policy->compiled();
    return !compiled.selector.labels.empty() ||
           std::ranges::any_of(compiled.rules, [](const auto& rule) {
             return !rule.when.labels.empty();
           });
  });
}

std::vector<const CompiledSelector*> Selectors(const Policies& policies) {
  std::vector<const CompiledSelector*> selectors;
  selectors.reserve(policies.size());
  for (const auto& policy : policies) {
    if (policy->source().spec().only_by_name()) break;  // these come last
    selectors.push_back(&policy->compiled().selector);
  }
  return selectors;
}

std::string RevisionOf(const std::string& bytes) {
  std::string revision = "inline-";
  AppendHex(StableHash().Add(bytes).value(), revision);
  return revision;
}

absl::Status OutOfBounds(const char* field, const std::string& description) {
  return Refusal(absl::StrCat(field, ": ", description),
                 {{field, description}});
}

// Checks what can be checked without compiling.
absl::Status CheckSize(const v1::RetryPolicy& policy) {
  if (const std::size_t bytes = policy.ByteSizeLong();
      bytes > kMaxInlinePolicyBytes) {
    return OutOfBounds("inlinePolicy",
                       absl::StrFormat("has %d bytes; expected at most %d",
                                       bytes, kMaxInlinePolicyBytes));
  }
  const std::size_t patterns = PatternsIn(policy);
  if (patterns > std::size_t{kMaxInlinePatterns}) {
    return OutOfBounds("inlinePolicy.spec",
                       absl::StrFormat("has %d patterns; expected at most %d",
                                       patterns, kMaxInlinePatterns));
  }
  return absl::OkStatus();
}

absl::StatusOr<ChosenPolicy> ChooseInline(const v1::RetryPolicy& policy,
                                          InlinePolicies* inline_policies) {
  if (absl::Status size = CheckSize(policy); !size.ok()) return size;
  const std::string bytes = DeterministicBytes(policy);
  absl::StatusOr<std::shared_ptr<const Ruleset>> rules =
      inline_policies != nullptr ? inline_policies->Compile(policy, bytes)
                                 : CompileInline(policy);
  if (!rules.ok()) return rules.status();
  ChosenPolicy chosen;
  chosen.inline_rules = *std::move(rules);
  chosen.rules = chosen.inline_rules.get();
  chosen.inline_revision = RevisionOf(bytes);
  return chosen;
}

template <typename Request>
absl::StatusOr<ChosenPolicy> Choose(const Request& request,
                                    const v1::WorkloadReference& workload,
                                    const PolicySet& policies,
                                    InlinePolicies* inline_policies) {
  if (request.has_inline_policy()) {
    return ChooseInline(request.inline_policy(), inline_policies);
  }
  ChosenPolicy chosen;
  chosen.rules = request.policy().empty() ? &policies.Select(workload)
                                          : policies.Find(request.policy());
  if (chosen.rules == nullptr) {
    return absl::NotFoundError(
        absl::StrFormat("policy \"%s\" is not loaded", request.policy()));
  }
  chosen.set_revision = &policies.revision();
  return chosen;
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
    return std::ranges::count_if(issues, [](const Issue& issue) {
      return issue.severity == Issue::Severity::kError;
    });
  };
  const auto before = errors();
  std::ranges::sort(policies, TriedBefore);
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

std::size_t PatternsIn(const v1::RetryPolicy& policy) {
  const auto& rules = policy.spec().rules();
  const auto& signatures = policy.spec().signatures();
  const auto of_rules = [&rules](const std::string& (v1::When::*pattern)()
                                     const) {
    return std::ranges::count_if(rules, [pattern](const v1::Rule& rule) {
      return !(rule.when().*pattern)().empty();
    });
  };
  return static_cast<std::size_t>(
      of_rules(&v1::When::message_pattern) +
      of_rules(&v1::When::status_pattern) +
      std::ranges::count_if(signatures, [](const v1::Signature& signature) {
        return !signature.message_pattern().empty();
      }));
}

absl::StatusOr<std::shared_ptr<const Ruleset>> CompileInline(
    const v1::RetryPolicy& policy) {
  Issues issues;
  PatternAllowance allowance(kMaxInlineCompileSteps);
  std::shared_ptr<const Ruleset> rules =
      Ruleset::Compile(policy, SourceMap("inlinePolicy"), issues, allowance);
  if (rules != nullptr) return rules;
  std::string text = "inlinePolicy cannot be compiled";
  std::vector<FieldViolation> violations;
  for (const Issue& issue : issues) {
    if (issue.severity != Issue::Severity::kError) continue;
    absl::StrAppend(&text, "; ", issue.message);
    violations.push_back({"inlinePolicy", issue.message});
  }
  return Refusal(text, violations);
}

absl::StatusOr<ChosenPolicy> ChoosePolicy(const v1::DecideRequest& request,
                                          const v1::WorkloadReference& workload,
                                          const PolicySet& policies,
                                          InlinePolicies* inline_policies) {
  return Choose(request, workload, policies, inline_policies);
}

absl::StatusOr<ChosenPolicy> ChoosePolicy(const v1::DemystifyRequest& request,
                                          const v1::WorkloadReference& workload,
                                          const PolicySet& policies,
                                          InlinePolicies* inline_policies) {
  return Choose(request, workload, policies, inline_policies);
}

}  // namespace mulligan
