// Facts from events.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_EVENT_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_EVENT_READER_H_

#include "mulligan/kubernetes/core/v1/event.pb.h"
#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"

namespace mulligan::demystify {

// Adds facts from events about pods[index] and its node. Skips events of a
// stage that the pod has passed.
void ReadEventsOfPod(const Context& context, int index, const PodState& state,
                     Candidates& facts);

// Adds facts from events about other objects of the workload, for reports
// without a failing pod.
void ReadOtherEvents(const Context& context, Candidates& facts);

// Adds facts from events about nodes and claims that the report does not
// connect to the workload.
void ReadSharedEvents(const Context& context, Candidates& facts);

// Returns the time of the first occurrence, for either form of event.
Seconds FirstTime(const kubernetes::core::v1::Event& event);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_EVENT_READER_H_
