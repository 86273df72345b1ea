// Advice for pods that no node accepts or keeps.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/quantity.h"
#include "policy/words/remedies.h"
#include "re2/re2.h"

namespace mulligan::words {
namespace {

// Returns for example "gpu=h200, zone=a", in the order of the keys.
std::string SelectorOf(const kubernetes::core::v1::Pod& pod) {
  std::vector<std::string> labels;
  for (const auto& [key, value] : pod.spec().node_selector()) {
    labels.push_back(absl::StrCat(key, "=", value));
  }
  std::ranges::sort(labels);
  std::string text;
  for (const std::string& label : labels) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", label);
  }
  return text;
}

}  // namespace

Remedy RemedyOfSelector(const kubernetes::core::v1::Pod& pod,
                        const Particulars& found) {
  static const RE2 kNone(
      "0/(\\d+) nodes are available: (\\d+) node\\(s\\) didn't match (?:Pod's "
      "node affinity|node selector|node affinity)");
  for (const std::string& text : found.texts) {
    std::string all;
    std::string refused;
    if (!RE2::PartialMatch(text, kNone, &all, &refused) || all != refused) {
      continue;
    }
    const std::string selector = SelectorOf(pod);
    Remedy remedy;
    remedy.source = text;
    remedy.problem =
        selector.empty()
            ? absl::StrCat("none of ", all,
                           " nodes meets the pod's node affinity")
            : absl::StrCat("none of ", all, " nodes has label ", selector);
    remedy.step =
        selector.empty()
            ? "correct the pod's nodeAffinity, or label a node for it"
            : absl::StrCat("correct the pod's nodeSelector ", selector,
                           ", or label or add nodes for it");
    remedy.actor = v1::FirstStep::USER;
    return remedy;
  }
  return {};
}

Remedy RemedyOfPressure(const Particulars& found) {
  static const RE2 kUse(
      "low on resource: ([\\w.-]*\\w)\\. Threshold quantity: (\\w+), "
      "available: "
      "(\\w+)\\. .*?Container (\\S+) was using (\\w+), request is (\\w+)");
  // Process ids cannot be requested.
  static const RE2 kProcesses("(?i)low on resource: pids|PIDPressure");
  for (const std::string& text : found.texts) {
    if (RE2::PartialMatch(text, kProcesses)) {
      return {
          .step = absl::StrFormat(
              "find who starts so many processes on %s; podPidsLimit of the "
              "kubelet bounds each pod",
              Named("node", found.node)),
          .actor = v1::FirstStep::PLATFORM};
    }
    std::string resource, threshold, available, container, used, requested;
    if (!RE2::PartialMatch(text, kUse, &resource, &threshold, &available,
                           &container, &used, &requested)) {
      continue;
    }
    const auto use = QuantityValue(used);
    const auto wanted = QuantityValue(threshold);
    const auto left = QuantityValue(available);
    if (!use || !wanted || !left) return {};
    Remedy remedy;
    // The node would have been low without the pod.
    if (*use < *wanted - *left) {
      remedy.actor = v1::FirstStep::PLATFORM;
      remedy.step = absl::StrFormat(
          "see what else uses up the %s of %s: container %s used only %s",
          resource, Named("node", found.node), container, BytesText(*use));
      return remedy;
    }
    remedy.actor = v1::FirstStep::USER;
    remedy.step = absl::StrFormat(
        "request as much %s as container %s uses: it used %s and had "
        "requested %s; pods above their request are evicted first",
        resource, container, BytesText(*use), requested);
    return remedy;
  }
  return {};
}

}  // namespace mulligan::words
