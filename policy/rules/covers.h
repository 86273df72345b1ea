// Comparison of rule conditions.
#ifndef MULLIGAN_POLICY_RULES_COVERS_H_
#define MULLIGAN_POLICY_RULES_COVERS_H_

#include "policy/rules/predicates.h"

namespace mulligan {

// Returns whether everything that `narrow` matches is certainly matched by
// `wide`. May return false for such a pair, but never true wrongly.
bool Covers(const Predicates& wide, const Predicates& narrow);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_COVERS_H_
