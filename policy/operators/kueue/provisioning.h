// The admission check that asks the cluster autoscaler for capacity
// (ProvisioningRequest).
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_PROVISIONING_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_PROVISIONING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/operators/kueue/conditions.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

// retryStrategy of a ProvisioningRequestConfig.
struct RetryStrategy {
  std::int64_t backoff_limit_count = 3;
  std::int64_t backoff_base_seconds = 60;
  std::int64_t backoff_max_seconds = 1800;
};

struct ProvisioningRequest {
  const Conditions& conditions;
  // Number of the request, 1 for the first; the end of its name.
  std::int64_t attempt = 1;
};

struct CheckUpdate {
  AdmissionCheckState check;
  // Set when the state changed.
  std::optional<Event> event;
};

// The check after the request's conditions. A failed request is retried, or
// rejected beyond the limit; a booking that expires matters only before the
// admission, revoked capacity as long as the workload is active.
CheckUpdate FollowRequest(const AdmissionCheckState& check,
                          const ProvisioningRequest& request,
                          const RetryStrategy& strategy,
                          const Workload& workload);

// An object for the check that cannot be created. The check stays as it is and
// creation is tried again for ever.
struct FailedCreation {
  // "PodTemplate" or "ProvisioningRequest".
  std::string kind;
  std::string name;
  // Text of the API server.
  std::string error;
  // The server says that the object exists already, and the controller's cache
  // does not show it: a race, about which nothing is said.
  bool exists_unseen = false;
};
CheckUpdate FollowFailedCreation(const AdmissionCheckState& check,
                                 const FailedCreation& creation);

// "wl-check-1" and "ppt-wl-check-1-main".
std::string RequestName(std::string_view workload, std::string_view check,
                        std::int64_t attempt);
std::string PodTemplateName(std::string_view request, std::string_view pod_set);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_PROVISIONING_H_
