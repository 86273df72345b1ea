// One policy: as it was written, and compiled.
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
  // Compiles and checks `policy`, adding every problem to `issues` at its
  // position: missing default, unknown budget, RETRY without a budget, bad
  // bounds, patterns RE2 refuses, contradictory fields. What loads but was
  // probably not meant becomes a warning. Returns null when there are errors.
  // What the patterns cost is taken from `allowance`; a pattern beyond it is an
  // error.
  static std::unique_ptr<const Ruleset> Compile(v1::RetryPolicy policy,
                                                SourceMap positions,
                                                Issues& issues,
                                                PatternAllowance& allowance);

  const std::string& name() const { return source_.metadata().name(); }
  // As written: pasted native blocks are in compiled() only.
  const v1::RetryPolicy& source() const { return source_; }
  const SourceMap& positions() const { return positions_; }
  const CompiledPolicy& compiled() const { return compiled_; }
  // Whether it decides about every workload that no other policy selects.
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
