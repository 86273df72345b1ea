// Signs of nodes: taints, conditions and labels of Kubernetes, cloud providers,
// autoscalers and problem detectors.
#include "absl/strings/match.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

struct SpotLabel {
  std::string_view key;
  std::string_view value;
};
constexpr SpotLabel kSpotLabels[] = {
    {"cloud.google.com/gke-preemptible", "true"},
    {"cloud.google.com/gke-provisioning", "spot"},
    {"cloud.google.com/gke-spot", "true"},
    {"eks.amazonaws.com/capacityType", "spot"},
    {"karpenter.sh/capacity-type", "spot"},
    {"kubernetes.azure.com/scalesetpriority", "spot"},
    {"lifecycle", "ec2spot"},
    {"lifecycle", "spot"},
    {"node-lifecycle", "spot"},
    {"node.kubernetes.io/lifecycle", "spot"},
    {"oci.oraclecloud.com/oke-is-preemptible", "true"},
    {"spotinst.io/node-lifecycle", "spot"},
};

}  // namespace

const Signature* FindTaint(std::string_view key) {
  return Find(rows::Taints(), key);
}

const Signature* FindNodeCondition(std::string_view type,
                                   std::string_view status,
                                   std::string_view reason) {
  const auto of_type = [type](const Signature& row) {
    return row.key.size() > type.size() &&
           row.key.substr(0, type.size()) == type &&
           row.key[type.size()] == '=';
  };
  const Signature* found = nullptr;
  for (const Signature& row : rows::NodeConditions()) {
    if (!of_type(row)) continue;
    std::string_view rest = row.key.substr(type.size() + 1);
    if (rest == status) found = &row;
    if (rest.size() == status.size() + 1 + reason.size() &&
        rest.substr(0, status.size()) == status &&
        rest.substr(status.size() + 1) == reason &&
        rest[status.size()] == '/') {
      return &row;
    }
  }
  return found;
}

bool IsSpotLabel(std::string_view key, std::string_view value) {
  for (const SpotLabel& label : kSpotLabels) {
    if (key == label.key &&
        absl::EqualsIgnoreCase({value.data(), value.size()},
                               {label.value.data(), label.value.size()})) {
      return true;
    }
  }
  return false;
}

}  // namespace mulligan::demystify
