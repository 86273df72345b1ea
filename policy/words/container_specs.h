// What the pod specifications of a report ask for: resources, and volumes with
// where containers mount them.
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

// Causes about a resource that can be raised, and which.
struct Growable {
  v1::Cause cause;
  std::string_view resource;
  std::string_view limit;
};

// Null: no such cause.
const Growable* GrowableOf(v1::Cause cause);

// One volume of a pod.
struct VolumeSpec {
  // Its name in the pod.
  std::string name;
  // Name of the persistent volume claim behind it; empty: there is none.
  std::string claim;
  bool is_empty_dir = false;
  // Of an emptyDir only, as written; empty: none.
  std::string size_limit;

  friend bool operator==(const VolumeSpec&, const VolumeSpec&) = default;
};

// A container's limits or its requests.
enum class Amounts { kLimits, kRequests };

// Points into the report, which must outlive it.
class ContainerSpecs {
 public:
  explicit ContainerSpecs(const v1::FailureReport& report);

  // Whether a pod or template has such a container.
  bool Knows(std::string_view container) const;

  // How much a container of the pod may use or requested, as written; nothing
  // when it does not say, or is not known.
  std::optional<std::string> OfPod(std::string_view pod,
                                   std::string_view container,
                                   std::string_view resource,
                                   Amounts amounts) const;

  // The same in the templates: what to change for the next attempt. Those of
  // `workload` where they are known, else all. Nothing when none has it or they
  // do not agree.
  std::optional<std::string> OfTemplates(std::string_view workload,
                                         std::string_view container,
                                         std::string_view resource,
                                         Amounts amounts) const;

  // The volume mounted closest above `path` in a container of the pod, or of
  // the first where the pod is not known. Nothing where none is: the path is on
  // the container's own file system.
  std::optional<VolumeSpec> VolumeAt(std::string_view pod,
                                     std::string_view container,
                                     std::string_view path) const;

 private:
  // One pod specification.
  struct Spec {
    // Name of the object it is in, for example of the pod.
    std::string_view object;
    // Pods of later attempts are made from it.
    bool in_template = false;
    const kubernetes::core::v1::PodSpec* spec = nullptr;
  };

  std::vector<Spec> specs_;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_WORDS_CONTAINER_SPECS_H_
