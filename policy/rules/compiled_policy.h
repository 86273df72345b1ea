// A compiled policy, as the decision pipeline evaluates it.
#ifndef MULLIGAN_POLICY_RULES_COMPILED_POLICY_H_
#define MULLIGAN_POLICY_RULES_COMPILED_POLICY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mulligan/v1/explanation.pb.h"
#include "mulligan/v1/native.pb.h"
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

// Everything that a decision needs from a policy, in native types.
struct CompiledPolicy {
  std::vector<CompiledBudget> budgets;  // sorted by name
  std::vector<CompiledRule> rules;      // in the order of the file
  // By cause: the indexes of the rules that may apply, in order.
  std::vector<std::vector<int>> rules_of;
  CompiledOutcome fallback;  // `default`
  v1::RuleReference fallback_reference;
  std::int32_t max_attempts = 1;    // 0: no cap, the operator decides
  bool max_attempts_given = false;  // else implied by the budgets
  bool kill_switch = false;
  std::string kill_switch_reason;
  CompiledDerivation derivation;
  CompiledBrake brake;
  CompiledWorth worth;
  CompiledSelector selector;
  // Null if the policy never asks the operator.
  std::unique_ptr<const CompiledNative> native;
  // Null if the policy has no signatures.
  std::unique_ptr<const UserSignatures> signatures;

  const std::vector<int>& RulesOf(v1::Cause cause) const {
    return rules_of[static_cast<std::size_t>(cause)];
  }
  const CompiledRule& rule(int index) const {
    return rules[static_cast<std::size_t>(index)];
  }
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_COMPILED_POLICY_H_
