// Events of the newer API group, in the form of the older one.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_EVENT_JSON_H_
#define MULLIGAN_CLIENT_CLI_INPUT_EVENT_JSON_H_

#include <string>

#include "client/cli/input/kubernetes_object.h"

namespace mulligan::cli {

// The object as a core/v1 Event. Group events.k8s.io renamed fields (v1:
// regarding, note, reportingController, deprecatedCount and its siblings);
// other members, and events that are core/v1 already, stay as they are.
std::string CoreEventJson(const KubernetesObject& event);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_EVENT_JSON_H_
