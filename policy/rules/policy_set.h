// The loaded policies: an immutable snapshot that decisions read.
#ifndef MULLIGAN_POLICY_RULES_POLICY_SET_H_
#define MULLIGAN_POLICY_RULES_POLICY_SET_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mulligan/v1/report.pb.h"
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

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_POLICY_SET_H_
