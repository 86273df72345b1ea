// Comparison of rule conditions.
#ifndef MULLIGAN_POLICY_RULES_COVERS_H_
#define MULLIGAN_POLICY_RULES_COVERS_H_

#include "policy/rules/predicates.h"

namespace mulligan {

// Returns whether `wide` provably matches everything that `narrow` matches.
// True is always correct; false may mean that there is no proof.
bool Covers(const Predicates& wide, const Predicates& narrow);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_COVERS_H_
