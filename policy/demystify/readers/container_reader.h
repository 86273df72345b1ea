// How the containers of a pod ended.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_CONTAINER_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_CONTAINER_READER_H_

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"

namespace mulligan::demystify {

// Reads init and main containers (never ephemeral ones) of pods[index] into
// `facts`. Returns `before` with the state of the containers added.
//
//   1. `state` counts before `lastState`, which counts only while the container
//      waits for a restart or runs again.
//   2. Init containers fail a pod; sidecars do not.
//   3. Of several, the first that ended by itself decides; those killed after
//      it are echoes.
PodState ReadContainers(const Context& context, int index,
                        const PodState& before, Candidates& facts);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_CONTAINER_READER_H_
