// Labels and annotations of objects.
#ifndef MULLIGAN_POLICY_BASE_LABELS_H_
#define MULLIGAN_POLICY_BASE_LABELS_H_

#include <algorithm>
#include <string_view>

namespace mulligan {

// A pod's number in an Indexed Job: a label, and an annotation too.
inline constexpr char kCompletionIndexLabel[] =
    "batch.kubernetes.io/job-completion-index";

// The UID of its Job, which the Job controller writes on each pod that it
// creates (Kubernetes 1.27 and later).
inline constexpr char kControllerUidLabel[] =
    "batch.kubernetes.io/controller-uid";

// The value at `key`; empty: there is none.
template <typename Map>
std::string_view LabelOf(const Map& labels, const char* key) {
  // Most objects of tests and of hand-written reports have none.
  if (labels.empty()) return {};
  const auto found = labels.find(key);
  return found == labels.end() ? std::string_view() : found->second;
}

// Whether all of `wanted`, pairs of key and value, are there.
template <typename Map, typename Pairs>
bool HasLabels(const Map& labels, const Pairs& wanted) {
  return std::ranges::all_of(wanted, [&labels](const auto& label) {
    const auto found = labels.find(label.first);
    return found != labels.end() && found->second == label.second;
  });
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_LABELS_H_
