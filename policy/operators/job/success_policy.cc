#include "policy/operators/job/success_policy.h"

#include <cstdint>
#include <optional>

namespace mulligan::job {
namespace {

bool IsMet(const kubernetes::batch::v1::SuccessPolicyRule& rule,
           std::int64_t completions, const IndexSet& succeeded) {
  if (!rule.has_succeeded_indexes()) {
    return rule.has_succeeded_count() &&
           succeeded.total() >= rule.succeeded_count();
  }
  const IndexSet required =
      IndexSet::Parse(rule.succeeded_indexes(), completions);
  if (required.empty()) return false;
  const std::int64_t met = required.CountIn(succeeded);
  return met == required.total() ||
         (rule.has_succeeded_count() && met >= rule.succeeded_count());
}

}  // namespace

std::optional<int> MatchSuccessPolicy(const SuccessPolicy& policy,
                                      std::int64_t completions,
                                      const IndexSet& succeeded) {
  if (succeeded.empty()) return std::nullopt;
  for (int i = 0; i < policy.rules_size(); ++i) {
    if (IsMet(policy.rules(i), completions, succeeded)) return i;
  }
  return std::nullopt;
}

}  // namespace mulligan::job
