// Conditions of pods.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_CONDITION_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_CONDITION_READER_H_

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"

namespace mulligan::demystify {

// Adds facts from the conditions of pods[index]. Ignores a DisruptionTarget
// that is not True, because it is stale.
void ReadPodConditions(const Context& context, int index, const PodState& state,
                       Candidates& facts);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_CONDITION_READER_H_
