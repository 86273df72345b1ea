// What is odd about the report itself.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_ODD_VALUES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_ODD_VALUES_H_

#include <string>
#include <vector>

#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "policy/demystify/context.h"

namespace mulligan::demystify {

// Whether a container of the pod is said to wait, run or have ended, and
// another of these at the same time.
bool ContainerInTwoStates(const kubernetes::core::v1::Pod& pod);

// Appends what is odd about the report itself: values and kinds this version
// does not know, values that cannot be or not together, times in the future.
void CheckReport(const Context& context, std::vector<std::string>& warnings);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_ODD_VALUES_H_
