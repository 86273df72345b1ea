// One policy, compiled: what the decision pipeline evaluates.
#ifndef MULLIGAN_POLICY_RULES_RULESET_H_
#define MULLIGAN_POLICY_RULES_RULESET_H_

#include <memory>
#include <string>

#include "mulligan/v1/policy.pb.h"
#include "policy/rules/issue.h"
#include "policy/rules/source_map.h"

namespace mulligan {

// To be completed by its owner: budgets, rules with compiled predicates,
// signatures, selector. Immutable; safe to share between threads.
class Ruleset {
 public:
  // Compiles and checks `policy`, adding every problem to `issues` at its
  // position: missing default, unknown budget, RETRY without a budget, bad
  // bounds, patterns RE2 refuses, contradictory fields. Returns null when
  // there are errors.
  static std::unique_ptr<const Ruleset> Compile(v1::RetryPolicy policy,
                                                SourceMap positions,
                                                Issues& issues);

  virtual ~Ruleset() = default;

  virtual const std::string& name() const = 0;
  virtual const v1::RetryPolicy& source() const = 0;
  virtual const SourceMap& positions() const = 0;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_RULESET_H_
