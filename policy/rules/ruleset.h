// One policy, as written and compiled.
#ifndef MULLIGAN_POLICY_RULES_RULESET_H_
#define MULLIGAN_POLICY_RULES_RULESET_H_

#include <memory>
#include <string>

#include "mulligan/v1/policy.pb.h"
#include "policy/base/issue.h"
#include "policy/base/pattern_allowance.h"
#include "policy/rules/compiled_policy.h"

namespace mulligan {

// Immutable; safe to share between threads.
class Ruleset {
 public:
  // Compiles `policy` and adds every problem to `issues` with its position.
  // Errors are a missing default, an unknown budget, RETRY without a budget,
  // bad bounds, contradictory fields, and patterns that RE2 or `allowance`
  // refuses. Loadable but suspicious settings are warnings. Returns null if
  // there are errors.
  static std::unique_ptr<const Ruleset> Compile(v1::RetryPolicy policy,
                                                SourceMap positions,
                                                Issues& issues,
                                                PatternAllowance& allowance);

  const std::string& name() const { return source_.metadata().name(); }
  // As written: rules from pasted native blocks are only in compiled().
  const v1::RetryPolicy& source() const { return source_; }
  const SourceMap& positions() const { return positions_; }
  const CompiledPolicy& compiled() const { return compiled_; }
  // Returns whether it applies to every workload that no other policy selects.
  bool IsCatchAll() const {
    return !source_.spec().only_by_name() && compiled_.selector.IsCatchAll();
  }

 private:
  Ruleset(v1::RetryPolicy source, SourceMap positions, CompiledPolicy compiled);

  v1::RetryPolicy source_;
  SourceMap positions_;
  CompiledPolicy compiled_;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_RULESET_H_
