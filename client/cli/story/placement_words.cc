#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/input/container_specs.h"
#include "client/cli/story/problems.h"
#include "re2/re2.h"

namespace mulligan::cli {
namespace {

// "gpu=h200, zone=a", in the order of their keys.
std::string SelectorOf(const kubernetes::core::v1::Pod& pod) {
  std::vector<std::string> labels;
  for (const auto& [key, value] : pod.spec().node_selector()) {
    labels.push_back(absl::StrCat(key, "=", value));
  }
  std::sort(labels.begin(), labels.end());
  std::string text;
  for (const std::string& label : labels) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", label);
  }
  return text;
}

// Bytes as people write them: "39.93Gi".
std::string Bytes(double bytes) {
  for (const auto& [unit, size] : {std::pair{"Ti", 1099511627776.0},
                                   {"Gi", 1073741824.0},
                                   {"Mi", 1048576.0},
                                   {"Ki", 1024.0}}) {
    if (bytes >= size) return absl::StrFormat("%.4g%s", bytes / size, unit);
  }
  return absl::StrFormat("%.0f", bytes);
}

}  // namespace

void FindSelectorProblem(const kubernetes::core::v1::Pod& pod,
                         const std::vector<std::string>& texts,
                         Particulars& found) {
  static const RE2 kNone(
      "0/(\\d+) nodes are available: (\\d+) node\\(s\\) didn't match (?:Pod's "
      "node affinity|node selector|node affinity)");
  for (const std::string& text : texts) {
    std::string all;
    std::string refused;
    if (!RE2::PartialMatch(text, kNone, &all, &refused) || all != refused) {
      continue;
    }
    const std::string selector = SelectorOf(pod);
    if (selector.empty()) {
      found.problem =
          absl::StrCat("none of ", all, " nodes meets the pod's node affinity");
      found.remedy = "correct the pod's nodeAffinity, or label a node for it";
      return;
    }
    found.problem =
        absl::StrCat("none of ", all, " nodes has label ", selector);
    found.remedy = absl::StrCat("correct the pod's nodeSelector ", selector,
                                ", or label or add nodes for it");
    return;
  }
}

void FindPressureRemedy(const std::vector<std::string>& texts,
                        Particulars& found) {
  static const RE2 kUse(
      "low on resource: ([\\w.-]*\\w)\\. Threshold quantity: (\\w+), "
      "available: "
      "(\\w+)\\. .*?Container (\\S+) was using (\\w+), request is (\\w+)");
  for (const std::string& text : texts) {
    std::string resource, threshold, available, container, used, requested;
    if (!RE2::PartialMatch(text, kUse, &resource, &threshold, &available,
                           &container, &used, &requested)) {
      continue;
    }
    const auto use = QuantityValue(used);
    const auto wanted = QuantityValue(threshold);
    const auto left = QuantityValue(available);
    if (!use || !wanted || !left) return;
    // Without the pod the node would have been as low.
    if (*use < *wanted - *left) {
      found.remedy = absl::StrFormat(
          "see what else uses up the %s of %s: container %s used only %s",
          resource, Named("node", found.node), container, Bytes(*use));
      return;
    }
    found.remedy = absl::StrFormat(
        "request as much %s as container %s uses: it used %s and had "
        "requested %s; who is above its request goes first",
        resource, container, Bytes(*use), requested);
    return;
  }
}

}  // namespace mulligan::cli
