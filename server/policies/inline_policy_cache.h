// The compiled inline policies of recent requests.
#ifndef MULLIGAN_SERVER_POLICIES_INLINE_POLICY_CACHE_H_
#define MULLIGAN_SERVER_POLICIES_INLINE_POLICY_CACHE_H_

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "policy/rules/policy_set.h"

namespace mulligan {

// Keeps compiled policies and drops the least recently used first. Bounded by
// their bytes and by their patterns, each of which may use kMaxPatternMemory
// once searched. Does not keep errors. Thread-safe.
class InlinePolicyCache final : public InlinePolicies {
 public:
  static constexpr std::size_t kMaxBytes = 4 << 20;
  static constexpr std::size_t kMaxPatterns = 400;

  absl::StatusOr<std::shared_ptr<const Ruleset>> Compile(
      const v1::RetryPolicy& policy, const std::string& bytes) override;

 private:
  struct Entry {
    std::string bytes;
    std::shared_ptr<const Ruleset> rules;
    std::size_t patterns;
  };
  using Entries = std::list<Entry>;

  std::shared_ptr<const Ruleset> Find(const std::string& bytes);
  void Keep(Entry entry);

  std::mutex mutex_;
  Entries entries_;  // the most recent first
  // Keys are views of the entries' bytes.
  std::unordered_map<std::string_view, Entries::iterator> by_bytes_;
  std::size_t total_bytes_ = 0;
  std::size_t total_patterns_ = 0;
};

// --inline-policies=off: refuses every inline policy.
class NoInlinePolicies final : public InlinePolicies {
 public:
  absl::StatusOr<std::shared_ptr<const Ruleset>> Compile(
      const v1::RetryPolicy& policy, const std::string& bytes) override;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_POLICIES_INLINE_POLICY_CACHE_H_
