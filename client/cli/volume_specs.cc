#include "client/cli/volume_specs.h"

#include <cstddef>
#include <utility>

#include "client/cli/json_text.h"

namespace mulligan::cli {
namespace {

std::string_view Member(std::string_view object, std::string_view key) {
  if (TypeOfJson(object) != JsonType::kObject) return "null";
  for (const JsonMember& member : JsonMembers(object)) {
    if (member.key == key) return member.value;
  }
  return "null";
}

std::string Text(std::string_view object, std::string_view key) {
  const std::string_view value = Member(object, key);
  if (TypeOfJson(value) == JsonType::kString) return JsonStringValue(value);
  return value == "null" ? "" : std::string(value);
}

VolumeSpec VolumeIn(std::string_view json) {
  VolumeSpec volume;
  for (const JsonMember& member : JsonMembers(json)) {
    if (member.key == "name") {
      volume.name = JsonStringValue(member.value);
      continue;
    }
    volume.kind = member.key;
    volume.claim = Text(member.value, "claimName");
    volume.size_limit = Text(member.value, "sizeLimit");
    volume.medium = Text(member.value, "medium");
  }
  return volume;
}

// Whether `path` is `folder` or below it.
bool IsBelow(std::string_view path, std::string_view folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.remove_suffix(1);
  return path.starts_with(folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

void VolumeSpecs::Walk(std::string_view json, std::string object) {
  if (TypeOfJson(json) == JsonType::kArray) {
    for (const std::string_view item : JsonItems(json)) Walk(item, object);
    return;
  }
  const std::vector<JsonMember> members = JsonMembers(json);
  for (const JsonMember& member : members) {
    if (member.key != "metadata") continue;
    const std::string name = Text(member.value, "name");
    if (!name.empty()) object = name;
  }
  PodSpec spec{object, {}, {}};
  for (const JsonMember& member : members) {
    if (member.key == "status" || member.key == "metadata") continue;
    if (member.key == "volumes") {
      for (const std::string_view item : JsonItems(member.value)) {
        spec.volumes.push_back(VolumeIn(item));
      }
    } else if (member.key == "containers" || member.key == "initContainers") {
      for (const std::string_view item : JsonItems(member.value)) {
        for (const std::string_view mount :
             JsonItems(Member(item, "volumeMounts"))) {
          spec.mounts.push_back({Text(item, "name"), Text(mount, "mountPath"),
                                 Text(mount, "name")});
        }
      }
    } else {
      Walk(member.value, object);
    }
  }
  if (!spec.mounts.empty()) specs_.push_back(std::move(spec));
}

void VolumeSpecs::Read(std::string_view json) { Walk(json, ""); }

std::optional<VolumeSpec> VolumeSpecs::At(std::string_view pod,
                                          std::string_view container,
                                          std::string_view path) const {
  const PodSpec* found = nullptr;
  for (const PodSpec& spec : specs_) {
    if (found == nullptr || spec.object == pod) found = &spec;
    if (spec.object == pod) break;
  }
  if (found == nullptr) return std::nullopt;
  const Mount* closest = nullptr;
  for (const Mount& mount : found->mounts) {
    if (mount.container != container || !IsBelow(path, mount.path)) continue;
    if (closest == nullptr || mount.path.size() > closest->path.size()) {
      closest = &mount;
    }
  }
  if (closest == nullptr) return std::nullopt;
  for (const VolumeSpec& volume : found->volumes) {
    if (volume.name == closest->volume) return volume;
  }
  return std::nullopt;
}

}  // namespace mulligan::cli
