// Which rules leave nothing to others.
#ifndef MULLIGAN_POLICY_RULES_COVERS_H_
#define MULLIGAN_POLICY_RULES_COVERS_H_

#include "policy/rules/predicates.h"

namespace mulligan {

// Whether everything `narrow` matches is matched by `wide` too, as far as can
// be told from the conditions alone. Never true wrongly.
bool Covers(const Predicates& wide, const Predicates& narrow);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_COVERS_H_
