// Rules of a Job's podFailurePolicy for a failed pod. The Job controller
// reports their result later, and nothing for ignored pods.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_JOB_RULES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_JOB_RULES_H_

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"

namespace mulligan::demystify {

// Adds the result of the rule for the exit code of pods[index], which has
// failed. Ignores rules about pod conditions, which are facts themselves.
void ReadJobRules(const Context& context, int index, Candidates& facts);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_JOB_RULES_H_
