// What stands behind the strongest fact, where that is only its consequence or
// says too little by itself.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_BEHIND_H_
#define MULLIGAN_POLICY_DEMYSTIFY_BEHIND_H_

#include "policy/demystify/context.h"
#include "policy/demystify/judge.h"

namespace mulligan::demystify {

// Puts the fact behind the winner of `conclusion` in its place, or the cause
// that the surroundings of the report suggest.
void LookBehind(const Context& context, Conclusion& conclusion);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_BEHIND_H_
