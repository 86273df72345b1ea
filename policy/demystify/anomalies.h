// Anomalies of a report.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_ANOMALIES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_ANOMALIES_H_

#include <string>
#include <vector>

#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "policy/demystify/context.h"

namespace mulligan::demystify {

// Returns whether a container of the pod has more than one of the states
// waiting, running and terminated.
bool ContainerInTwoStates(const kubernetes::core::v1::Pod& pod);

// Appends the anomalies of the report: unknown values and kinds, impossible or
// contradictory values, times in the future.
void CheckReport(const Context& context, std::vector<std::string>& warnings);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_ANOMALIES_H_
