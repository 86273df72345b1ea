// What a Job's own podFailurePolicy says of a failed pod: its controller writes
// that down a moment later, and of an ignored one nothing at all.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_JOB_RULES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_JOB_RULES_H_

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"

namespace mulligan::demystify {

// Adds what the rule that takes the exit code of the pod `index`, which has
// failed, makes of it. Rules about conditions of pods say nothing that these do
// not.
void ReadJobRules(const Context& context, int index, Candidates& facts);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_JOB_RULES_H_
