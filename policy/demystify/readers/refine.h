// Refines a conclusion by other facts and context.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_REFINE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_REFINE_H_

#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"

namespace mulligan::demystify {

// Replaces the winner of `conclusion` by a more specific fact, or its cause by
// the one that its context suggests.
void RefineConclusion(const Context& context, Conclusion& conclusion);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_REFINE_H_
