// Volumes of pod specifications and where containers mount them: what stands
// behind a path that has no room left.
#ifndef MULLIGAN_CLIENT_CLI_VOLUME_SPECS_H_
#define MULLIGAN_CLIENT_CLI_VOLUME_SPECS_H_

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
  std::string medium;
};

// Volumes of all objects read so far.
class VolumeSpecs {
 public:
  // Adds the pod specifications anywhere in `json`, which CheckJsonValue
  // accepted.
  void Read(std::string_view json);

  // The volume mounted closest above `path` in a container of the pod, or of
  // the templates where the pod is not known. Nothing where none is: the path
  // is on the container's own file system.
  std::optional<VolumeSpec> At(std::string_view pod, std::string_view container,
                               std::string_view path) const;

 private:
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

  void Walk(std::string_view json, std::string object);

  std::vector<PodSpec> specs_;
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_VOLUME_SPECS_H_
