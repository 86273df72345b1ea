// Pod conditions: disruption, queue, scheduling, initialisation.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_CONDITIONS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_CONDITIONS_H_

#include "policy/demystify/candidate.h"
#include "policy/demystify/context.h"
#include "policy/demystify/readers/pod_reader.h"

namespace mulligan::demystify {

// Adds what the conditions of pods[index] say. A DisruptionTarget that is not
// True is stale and says nothing.
void ReadPodConditions(const Context& context, int index, const PodState& state,
                       Candidates& facts);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_CONDITIONS_H_
