// Values that cannot be, or not together. Kubernetes' own API server would
// refuse most of them, but reports come from anywhere: they are answered, with
// a warning.
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

// Appends what is odd about one pod: an unknown phase, times in the future or
// in the wrong order, negative counts, containers in two states. Of each kind
// the first.
void CheckPod(const Context& context, const kubernetes::core::v1::Pod& pod,
              std::vector<std::string>& warnings);

// Appends times in the future and negative counts of Jobs and custom resources;
// of each kind of object the first.
void CheckObjects(const Context& context, std::vector<std::string>& warnings);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_ODD_VALUES_H_
