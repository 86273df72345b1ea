// A pod's state and its strongest fact.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_READER_H_

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"

namespace mulligan::demystify {

struct PodReading {
  int pod = -1;
  PodState state;
  // The strongest fact; `row` is null if nothing is wrong with the pod.
  Candidate best;

  bool failing() const { return best.row != nullptr; }
};

// Reads pods[index] with its events and node. Appends all facts, weighed
// against each other, to `facts`, and sets `best`. Linear in the size of the
// pod and its events.
// REQUIRES: `facts` is empty.
PodReading ReadPod(const Context& context, int index, Candidates& facts);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_READER_H_
