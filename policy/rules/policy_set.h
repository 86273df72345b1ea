// The loaded policies and the choice among them.
#ifndef MULLIGAN_POLICY_RULES_POLICY_SET_H_
#define MULLIGAN_POLICY_RULES_POLICY_SET_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "mulligan/v1/report.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/base/issue.h"
#include "policy/rules/ruleset.h"

namespace mulligan {

// An immutable snapshot of compiled policies in the order in which their
// selectors are tried. An index keeps selection fast for many policies. Safe to
// share between threads.
class PolicySet {
 public:
  // Sorts compiled policies (those with selectors, catch-alls, those used only
  // by name; each group by order and name) and indexes them. Adds issues for
  // duplicate names, a missing or second catch-all, and selectors that an
  // earlier one covers. Returns null if there are errors.
  static std::unique_ptr<const PolicySet> Create(
      std::vector<std::unique_ptr<const Ruleset>> policies,
      std::string revision, Issues& issues);

  ~PolicySet();

  // Returns the policy of that name; null if there is none.
  const Ruleset* Find(std::string_view name) const;

  // Returns the first policy that selects `workload`; a catch-all always does.
  const Ruleset& Select(const v1::WorkloadReference& workload) const;

  // Returns all policies in the order in which they are tried.
  const std::vector<std::unique_ptr<const Ruleset>>& policies() const {
    return policies_;
  }

  // Returns whether a selector or rule of any policy reads labels.
  bool matches_labels() const { return matches_labels_; }

  // Returns the digest of the policy texts.
  const std::string& revision() const { return revision_; }

 private:
  class Index;

  PolicySet(std::vector<std::unique_ptr<const Ruleset>> policies,
            std::string revision);

  std::vector<std::unique_ptr<const Ruleset>> policies_;
  std::string revision_;
  bool matches_labels_;
  std::unique_ptr<const Index> index_;
};

// Compiles, and may cache, the inline policies of requests.
class InlinePolicies {
 public:
  virtual ~InlinePolicies() = default;

  // Compiles `policy`. `bytes` is its serialization with map entries ordered by
  // key, so equal policies have equal bytes. INVALID_ARGUMENT lists every
  // problem.
  virtual absl::StatusOr<std::shared_ptr<const Ruleset>> Compile(
      const v1::RetryPolicy& policy, const std::string& bytes) = 0;
};

// Returns the number of patterns in the rules and signatures of `policy`.
std::size_t PatternsIn(const v1::RetryPolicy& policy);

// Compiles an inline policy within its bounds (policy/limits.h).
absl::StatusOr<std::shared_ptr<const Ruleset>> CompileInline(
    const v1::RetryPolicy& policy);

struct ChosenPolicy {
  // Owned by the set, or by `inline_rules`.
  const Ruleset* rules = nullptr;
  const std::string* set_revision = nullptr;
  std::shared_ptr<const Ruleset> inline_rules;
  std::string inline_revision;

  const std::string& revision() const {
    return inline_rules == nullptr ? *set_revision : inline_revision;
  }
};

// Returns the policy of the request, the first that applies:
//
//   1. The policy that it names; NOT_FOUND if that is not loaded.
//   2. Its inline policy, compiled as strictly as a file by `inline_policies`,
//      or by CompileInline if null; INVALID_ARGUMENT lists every problem.
//   3. The first policy that selects `workload`.
absl::StatusOr<ChosenPolicy> ChoosePolicy(const v1::DecideRequest& request,
                                          const v1::WorkloadReference& workload,
                                          const PolicySet& policies,
                                          InlinePolicies* inline_policies);
absl::StatusOr<ChosenPolicy> ChoosePolicy(const v1::DemystifyRequest& request,
                                          const v1::WorkloadReference& workload,
                                          const PolicySet& policies,
                                          InlinePolicies* inline_policies);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_POLICY_SET_H_
