// What events say.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_EVENT_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_EVENT_READER_H_

#include "mulligan/kubernetes/core/v1/event.pb.h"
#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"

namespace mulligan::demystify {

// Adds what the events about pods[index] and about its node say. Events of a
// stage of life that the pod has left behind are history and say nothing.
void ReadEventsOfPod(const Context& context, int index, const PodState& state,
                     Candidates& facts);

// Adds what events about the workload's other objects say; for reports without
// a failing pod.
void ReadOtherEvents(const Context& context, Candidates& facts);

// Adds what events say about nodes and claims that nothing in the report
// connects with the workload.
void ReadSharedEvents(const Context& context, Candidates& facts);

// First occurrence, whichever form the event has.
Seconds FirstTime(const kubernetes::core::v1::Event& event);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_EVENT_READER_H_
