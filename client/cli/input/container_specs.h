// What pod specifications ask for: resources, and volumes with where containers
// mount them. A Quantity has no mirror that fits both JSON and protobuf, so it
// is read from the JSON of the objects, as it was written, and the rest with
// it.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_CONTAINER_SPECS_H_
#define MULLIGAN_CLIENT_CLI_INPUT_CONTAINER_SPECS_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mulligan::cli {

// One volume of a pod.
struct VolumeSpec {
  // Its name in the pod.
  std::string name;
  // The member that says what it is: "emptyDir", "persistentVolumeClaim".
  std::string kind;
  // Name of the claim; of persistentVolumeClaim only.
  std::string claim;
  // Of emptyDir only, as written; empty: none.
  std::string size_limit;
};

// One container of one object.
struct ContainerSpec {
  // Name of the object, for example of the pod.
  std::string object;
  std::string container;
  // It is in a template, from which the pods of later attempts are made.
  bool in_template = false;
  // By resource, as written: {"memory": "4Gi"}.
  std::map<std::string, std::string> limits;
  std::map<std::string, std::string> requests;
};

// Containers and volumes of all objects read so far.
class ContainerSpecs {
 public:
  // Adds what stands anywhere in `json`, which CheckJsonValue accepted.
  void Read(std::string_view json);

  // Whether a pod or template with such a container was read.
  bool Knows(std::string_view container) const;

  // The limit of a container of the pod; nothing when it has none or is not
  // known.
  std::optional<std::string> LimitOf(std::string_view pod,
                                     std::string_view container,
                                     std::string_view resource) const;

  // What it requested, likewise.
  std::optional<std::string> RequestOf(std::string_view pod,
                                       std::string_view container,
                                       std::string_view resource) const;

  // The same in the templates: what to change for the next attempt. Those of
  // `workload` where they are known, else all. Nothing when none has it or they
  // do not agree.
  std::optional<std::string> TemplateLimitOf(std::string_view workload,
                                             std::string_view container,
                                             std::string_view resource) const;
  std::optional<std::string> TemplateRequestOf(std::string_view workload,
                                               std::string_view container,
                                               std::string_view resource) const;

  // The volume mounted closest above `path` in a container of the pod, or of
  // the templates where the pod is not known. Nothing where none is: the path
  // is on the container's own file system.
  std::optional<VolumeSpec> VolumeAt(std::string_view pod,
                                     std::string_view container,
                                     std::string_view path) const;

 private:
  // Where a walk through an object is.
  struct Place {
    std::string object;
    bool in_template = false;
  };
  struct Mount {
    std::string container;
    std::string path;
    std::string volume;
  };
  struct PodSpec {
    // Name of the object it is in.
    std::string object;
    std::vector<VolumeSpec> volumes;
    std::vector<Mount> mounts;
  };

  void Walk(std::string_view json, Place place);
  void ReadContainer(std::string_view json, const Place& place);

  std::vector<ContainerSpec> containers_;
  std::vector<PodSpec> pods_;
};

// `quantity` ("4Gi", "500m") times `factor`, rounded up to two decimals in the
// same unit, or in the next larger one where that is a whole number. Nothing
// for what is no quantity.
std::optional<std::string> Multiply(std::string_view quantity, double factor);

// `quantity` in its base unit: bytes, cores. Nothing for what is no quantity.
std::optional<double> QuantityValue(std::string_view quantity);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_CONTAINER_SPECS_H_
