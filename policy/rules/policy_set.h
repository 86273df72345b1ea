// The loaded policies: an immutable snapshot that decisions read, and which of
// them decides.
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

// Compiled policies in the order in which their selectors are tried, with an
// index so that selection does not slow down with their number. Immutable;
// safe to share between threads.
class PolicySet {
 public:
  // Takes compiled policies, sorts them by (selector before catch-all before
  // those only by name, order, name) and indexes them. Adds issues for
  // duplicate names, no or several catch-alls, and policies whose selector an
  // earlier one covers entirely; returns null when there are errors.
  static std::unique_ptr<const PolicySet> Create(
      std::vector<std::unique_ptr<const Ruleset>> policies,
      std::string revision, Issues& issues);

  ~PolicySet();

  // The policy of that name, or null.
  const Ruleset* Find(std::string_view name) const;

  // The first policy whose selector fits; never null (there is a catch-all).
  const Ruleset& Select(const v1::WorkloadReference& workload) const;

  // In the order in which they are tried.
  const std::vector<std::unique_ptr<const Ruleset>>& policies() const {
    return policies_;
  }

  // Whether a selector or rule of any policy looks at labels.
  bool matches_labels() const { return matches_labels_; }

  // Digest of the policy texts.
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

// Makes rules of the inline policies of requests.
class InlinePolicies {
 public:
  virtual ~InlinePolicies() = default;

  // `bytes` is the policy with its map entries in key order, so that equal
  // policies have equal bytes. INVALID_ARGUMENT lists every problem.
  virtual absl::StatusOr<std::shared_ptr<const Ruleset>> Compile(
      const v1::RetryPolicy& policy, const std::string& bytes) = 0;
};

// Patterns of its rules and signatures.
std::size_t PatternsIn(const v1::RetryPolicy& policy);

// Compiles an inline policy within the bounds for them (policy/limits.h).
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

// The policy the request names (NOT_FOUND when it is not loaded), its inline
// policy compiled as strictly as a file by `inline_policies` (null:
// CompileInline; INVALID_ARGUMENT listing every problem), or the first whose
// selector fits.
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
