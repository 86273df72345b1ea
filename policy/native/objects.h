// Lookups in Kubernetes objects that all operators share: labels, annotations,
// conditions, named list members, times.
#ifndef MULLIGAN_POLICY_NATIVE_OBJECTS_H_
#define MULLIGAN_POLICY_NATIVE_OBJECTS_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/kubernetes/meta/v1/object_meta.pb.h"
#include "policy/base/conditions.h"
#include "policy/base/times.h"

namespace mulligan {

// Returns the value at `key`; null if absent.
template <typename Map>
const typename Map::mapped_type* FindValue(const Map& values,
                                           std::string_view key) {
  const auto found = values.find(std::string(key));
  return found == values.end() ? nullptr : &found->second;
}

// Returns the text at `key`; empty if absent.
template <typename Map>
std::string ValueAt(const Map& values, std::string_view key) {
  const std::string* const found = FindValue(values, key);
  return found == nullptr ? std::string() : *found;
}

template <typename List>
bool HasText(const List& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

// Returns the first element that satisfies `predicate`, or null.
template <typename List, typename Predicate>
const typename List::value_type* FindIn(const List& list, Predicate predicate) {
  const auto found = std::ranges::find_if(list, predicate);
  return found == list.end() ? nullptr : &*found;
}

// Returns the first element called `name`, or null.
template <typename List>
const typename List::value_type* FindNamed(const List& list,
                                           std::string_view name) {
  return FindIn(list, [&](const auto& each) { return each.name() == name; });
}

// Returns the first condition of the type, or null.
template <typename Conditions>
const typename Conditions::value_type* FindCondition(
    const Conditions& conditions, std::string_view type) {
  return FindIn(conditions,
                [&](const auto& each) { return each.type() == type; });
}

// Returns whether an owner reference of the object has the kind and name.
inline bool IsOwnedBy(const kubernetes::meta::v1::ObjectMeta& object,
                      std::string_view kind, const std::string& name) {
  return FindIn(object.owner_references(), [&](const auto& owner) {
           return owner.kind() == kind && owner.name() == name;
         }) != nullptr;
}

// Returns whether a reference means the object: by UID, or by name if a UID is
// missing.
inline bool IsSame(const std::string& uid, const std::string& name,
                   const kubernetes::meta::v1::ObjectMeta& object) {
  return uid.empty() || object.uid().empty() ? name == object.name()
                                             : uid == object.uid();
}

// Returns nothing for a time that Kubernetes treats as absent.
inline std::optional<absl::Time> TimeIfSet(
    const google::protobuf::Timestamp& time) {
  return IsZeroTime(time) ? std::nullopt : std::optional(ToTime(time));
}

inline bool HasPhase(const kubernetes::core::v1::Pod& pod,
                     std::string_view phase) {
  return pod.status().phase() == phase;
}

// Returns whether the pod is neither in a terminal phase nor being deleted.
inline bool IsPodActive(const kubernetes::core::v1::Pod& pod) {
  return !HasPhase(pod, "Succeeded") && !HasPhase(pod, "Failed") &&
         !pod.metadata().has_deletion_timestamp();
}

// Returns the restarts of all containers and init containers.
inline std::int64_t ContainerRestartsOf(const kubernetes::core::v1::Pod& pod) {
  std::int64_t restarts = 0;
  for (const auto* containers : {&pod.status().container_statuses(),
                                 &pod.status().init_container_statuses()}) {
    for (const auto& container : *containers) {
      restarts += container.restart_count();
    }
  }
  return restarts;
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_NATIVE_OBJECTS_H_
