// Labels and annotations of objects.
#ifndef MULLIGAN_POLICY_BASE_LABELS_H_
#define MULLIGAN_POLICY_BASE_LABELS_H_

#include <algorithm>
#include <string_view>

namespace mulligan {

// A pod's index in an Indexed Job, both a label and an annotation.
inline constexpr char kCompletionIndexLabel[] =
    "batch.kubernetes.io/job-completion-index";

// The UID of a pod's Job, set by the Job controller since Kubernetes 1.27.
inline constexpr char kControllerUidLabel[] =
    "batch.kubernetes.io/controller-uid";

// The UID of a pod's JobSet (JobSet 0.6).
inline constexpr char kJobSetUidLabel[] = "jobset.sigs.k8s.io/jobset-uid";

// Returns the value at `key`; empty if absent.
template <typename Map>
std::string_view LabelOf(const Map& labels, std::string_view key) {
  // Comparing a few keys takes less time than hashing one.
  if (labels.size() <= 6) {
    for (const auto& [name, value] : labels) {
      if (name == key) return value;
    }
    return {};
  }
  const auto found = labels.find(key);
  return found == labels.end() ? std::string_view() : found->second;
}

// Returns whether `labels` has all pairs of key and value in `wanted`.
template <typename Map, typename Pairs>
bool HasLabels(const Map& labels, const Pairs& wanted) {
  return std::ranges::all_of(wanted, [&labels](const auto& label) {
    const auto found = labels.find(label.first);
    return found != labels.end() && found->second == label.second;
  });
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_LABELS_H_
