// Facts and context that change the conclusion.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_BEHIND_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_BEHIND_H_

#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"

namespace mulligan::demystify {

// Replaces the winner of `conclusion` by the fact behind it, or its cause by
// the one that its context suggests.
void LookBehind(const Context& context, Conclusion& conclusion);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_BEHIND_H_
