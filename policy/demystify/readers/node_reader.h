// Facts from nodes.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_NODE_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_NODE_READER_H_

#include <string_view>

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"

namespace mulligan::demystify {

// Adds taints, conditions and deletion of the node of pods[index], and
// unhealthy devices of the pod.
void ReadNodeOf(const Context& context, int index, const PodState& state,
                Candidates& facts);

// Adds the same for nodes[index], for reports without pods.
void ReadNode(const Context& context, int index, Candidates& facts);

// Returns whether pods[index] ran on spot or preemptible capacity, and sets the
// label that shows it.
bool FindSpotSign(const Context& context, int index, Place& place,
                  std::string_view& label);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_NODE_READER_H_
