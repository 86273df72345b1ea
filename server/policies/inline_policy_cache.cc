#include "server/policies/inline_policy_cache.h"

#include <utility>

#include "policy/request/refusal.h"

namespace mulligan {
std::shared_ptr<const Ruleset> InlinePolicyCache::Find(
    const std::string& bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = by_bytes_.find(bytes);
  if (found == by_bytes_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->rules;
}

void InlinePolicyCache::Keep(Entry entry) {
  // Freed after the lock is released.
  Entries dropped;
  const std::lock_guard lock(mutex_);
  if (by_bytes_.contains(entry.bytes)) return;  // another call was faster
  total_bytes_ += entry.bytes.size();
  total_patterns_ += entry.patterns;
  entries_.push_front(std::move(entry));
  by_bytes_.emplace(entries_.front().bytes, entries_.begin());
  while (total_bytes_ > kMaxBytes || total_patterns_ > kMaxPatterns) {
    const auto last = std::prev(entries_.end());
    by_bytes_.erase(last->bytes);
    total_bytes_ -= last->bytes.size();
    total_patterns_ -= last->patterns;
    dropped.splice(dropped.begin(), entries_, last);
  }
}

absl::StatusOr<std::shared_ptr<const Ruleset>> InlinePolicyCache::Compile(
    const v1::RetryPolicy& policy, const std::string& bytes) {
  if (std::shared_ptr<const Ruleset> rules = Find(bytes)) return rules;
  absl::StatusOr<std::shared_ptr<const Ruleset>> rules = CompileInline(policy);
  if (rules.ok()) Keep({bytes, *rules, PatternsIn(policy)});
  return rules;
}

absl::StatusOr<std::shared_ptr<const Ruleset>> NoInlinePolicies::Compile(
    const v1::RetryPolicy&, const std::string&) {
  constexpr char kWhy[] =
      "not accepted by this server (--inline-policies=off); expected the name "
      "of a "
      "loaded policy in field policy, or neither";
  return Refusal(std::string("inlinePolicy: ") + kWhy,
                 {{"inlinePolicy", kWhy}});
}

}  // namespace mulligan
