// The objects of a report that Jobs and pods are made for.
#ifndef MULLIGAN_POLICY_REQUEST_CUSTOM_RESOURCES_H_
#define MULLIGAN_POLICY_REQUEST_CUSTOM_RESOURCES_H_

#include <string_view>

#include "absl/container/inlined_vector.h"
#include "mulligan/kubernetes/meta/v1/object_meta.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan {

struct CustomResource {
  std::string_view kind;
  const kubernetes::meta::v1::ObjectMeta* metadata;
};

// Those that `report` has, the most senior kind first. Kueue's Workload is none
// of them: it stands beside what it queues. They point into the report.
absl::InlinedVector<CustomResource, 2> CustomResources(
    const v1::FailureReport& report);

// Whether the report has an object that pods are made for.
bool HasOwner(const v1::FailureReport& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_CUSTOM_RESOURCES_H_
