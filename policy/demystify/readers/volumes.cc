#include "policy/demystify/readers/volumes.h"

#include <re2/re2.h>

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

// Returns whether `path` is `folder` or below it.
bool IsBelow(std::string_view path, std::string_view folder) {
  while (!folder.empty() && folder.back() == '/') folder.remove_suffix(1);
  return path.starts_with(folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

bool IsClaim(const core::Volume& volume) {
  return volume.has_persistent_volume_claim() ||
         volume.volume_source().has_persistent_volume_claim();
}

bool IsFolderOfNode(const core::Volume& volume) {
  return volume.has_host_path() || volume.volume_source().has_host_path();
}

// Returns whether a path in `line` is on a volume of that kind.
bool NamesPathOn(bool (*is_of_kind)(const core::Volume&), const core::Pod& pod,
                 std::string_view container, std::string_view line) {
  static const re2::RE2* const path =
      new re2::RE2("(?:^|[\\s'\"(=])(/[^\\s'\",;:()]+)");
  re2::StringPiece rest(line.data(), line.size());
  re2::StringPiece found;
  while (re2::RE2::FindAndConsume(&rest, *path, &found)) {
    const core::VolumeMount* const mount =
        MountAt(pod.spec(), container, {found.data(), found.size()});
    if (mount == nullptr) continue;
    for (const core::Volume& volume : pod.spec().volumes()) {
      if (volume.name() == mount->name() && is_of_kind(volume)) return true;
    }
  }
  return false;
}

}  // namespace

const core::VolumeMount* MountAt(const core::PodSpec& spec,
                                 std::string_view container,
                                 std::string_view path) {
  const core::VolumeMount* closest = nullptr;
  for (const auto* containers : {&spec.containers(), &spec.init_containers()}) {
    for (const core::Container& known : *containers) {
      if (known.name() != container) continue;
      for (const core::VolumeMount& mount : known.volume_mounts()) {
        const std::string_view folder = mount.mount_path();
        if (!folder.empty() && IsBelow(path, folder) &&
            (closest == nullptr ||
             folder.size() > closest->mount_path().size())) {
          closest = &mount;
        }
      }
    }
  }
  return closest;
}

bool IsAboutClaim(const core::Pod& pod, std::string_view container,
                  std::string_view line) {
  static const re2::RE2* const claim =
      new re2::RE2("(?i)persistent ?volume ?claim|\\bpvc\\b");
  return re2::RE2::PartialMatch(re2::StringPiece(line.data(), line.size()),
                                *claim) ||
         NamesPathOn(IsClaim, pod, container, line);
}

bool IsOnNode(const core::Pod& pod, std::string_view container,
              std::string_view line) {
  return NamesPathOn(IsFolderOfNode, pod, container, line);
}

}  // namespace mulligan::demystify
