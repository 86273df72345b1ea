// One policy, compiled: what the decision pipeline evaluates.
#ifndef MULLIGAN_POLICY_RULES_RULESET_H_
#define MULLIGAN_POLICY_RULES_RULESET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mulligan/v1/explanation.pb.h"
#include "mulligan/v1/native.pb.h"
#include "mulligan/v1/policy.pb.h"
#include "policy/base/issue.h"
#include "policy/demystify/signatures/user_signatures.h"
#include "policy/rules/outcome.h"
#include "policy/rules/predicates.h"
#include "policy/rules/selector.h"

namespace mulligan {

struct CompiledRule {
  v1::RuleReference reference;
  Predicates when;
  CompiledOutcome then;
};

// What a policy says about the workloads' own operators.
struct CompiledNative {
  bool decides = false;   // native.useOwnSpec
  bool compares = false;  // compareNative
  v1::NativeSemantics semantics;
};

// Everything a decision needs of a policy, resolved and in native types.
struct CompiledPolicy {
  std::vector<CompiledBudget> budgets;  // sorted by name
  std::vector<CompiledRule> rules;      // in the order of the file
  CompiledOutcome fallback;             // `default`
  v1::RuleReference fallback_reference;
  std::int32_t max_attempts = 1;    // 0: no cap, the operator decides
  bool max_attempts_given = false;  // else implied by the budgets
  bool kill_switch = false;
  std::string kill_switch_reason;
  CompiledDerivation derivation;
  CompiledSelector selector;
  // Null when the policy never asks the operator.
  std::unique_ptr<const CompiledNative> native;
  // Null when the policy has no signatures.
  std::unique_ptr<const UserSignatures> signatures;
};

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
