// What stands behind the fact that decided.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_BEHIND_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_BEHIND_H_

#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"

namespace mulligan::demystify {

// Puts the fact behind the winner of `conclusion` in its place, or the cause
// that the surroundings of the report suggest.
void LookBehind(const Context& context, Conclusion& conclusion);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_BEHIND_H_
