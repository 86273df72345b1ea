// Resources and mounted volumes in the pod specifications of a report.
#ifndef MULLIGAN_POLICY_WORDS_CONTAINER_SPECS_H_
#define MULLIGAN_POLICY_WORDS_CONTAINER_SPECS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mulligan/kubernetes/core/v1/pod_spec.pb.h"
#include "mulligan/v1/cause.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan {

// A resource-shortage cause, the resource, and its limit's name.
struct Growable {
  v1::Cause cause;
  std::string_view resource;
  std::string_view limit;
};

// Returns null if the cause is not about such a resource.
const Growable* GrowableOf(v1::Cause cause);

// One volume of a pod.
struct VolumeSpec {
  // Its name in the pod.
  std::string name;
  // Name of its persistent volume claim; empty if there is none.
  std::string claim;
  bool is_empty_dir = false;
  // The emptyDir's limit, as written; empty if there is none.
  std::string size_limit;

  friend bool operator==(const VolumeSpec&, const VolumeSpec&) = default;
};

// A container's limits or its requests.
enum class Amounts { kLimits, kRequests };

// Points into the report, which must outlive it.
class ContainerSpecs {
 public:
  // Without `has_owners` (Owners::any) there are no templates to look for.
  explicit ContainerSpecs(const v1::FailureReport& report,
                          bool has_owners = true)
      : report_(report), has_owners_(has_owners) {}

  // Returns whether a pod or template has the container.
  bool Knows(std::string_view container) const;

  // Returns the limit or request of a container of the pod, as written; empty
  // if it is not set or unknown.
  std::optional<std::string> OfPod(std::string_view pod,
                                   std::string_view container,
                                   std::string_view resource,
                                   Amounts amounts) const;

  // Returns the same from the templates, which the next attempt uses: those of
  // `workload` if known, else all. Empty if none has it or they differ.
  std::optional<std::string> OfTemplates(std::string_view workload,
                                         std::string_view container,
                                         std::string_view resource,
                                         Amounts amounts) const;

  // Returns the volume mounted closest above `path` in a container of the pod,
  // or of the first pod if the pod is unknown. Empty if there is none, so that
  // the path is on the container's own file system.
  std::optional<VolumeSpec> VolumeAt(std::string_view pod,
                                     std::string_view container,
                                     std::string_view path) const;

 private:
  // One pod specification.
  struct Spec {
    // Name of the object that contains it, such as the pod.
    std::string_view object;
    // It is the template of later attempts.
    bool in_template = false;
    const kubernetes::core::v1::PodSpec* spec = nullptr;
  };

  // Returns the specs of all pods and templates, which are collected once.
  const std::vector<Spec>& All() const;

  const v1::FailureReport& report_;
  const bool has_owners_;
  mutable std::vector<Spec> specs_;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_WORDS_CONTAINER_SPECS_H_
