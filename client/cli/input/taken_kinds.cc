#include "client/cli/input/taken_kinds.h"

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/base/utf8.h"
#include "policy/loader/suggest.h"
#include "policy/request/kind_names.h"

namespace mulligan::cli {

const Kind* FieldRow(const KubernetesObject& object) {
  for (const Kind& kind : Kinds()) {
    if (kind.name == object.kind && !kind.field.empty() &&
        (object.api_version.empty() ||
         kind.group == ApiGroup(object.api_version))) {
      return &kind;
    }
  }
  return nullptr;
}

std::vector<std::string> TakenKinds() {
  std::vector<std::string> names;
  for (const Kind& kind : Kinds()) {
    if (kind.field.empty()) continue;
    if (names.empty() || names.back() != kind.name) {
      names.emplace_back(kind.name);
    }
  }
  return names;
}

std::string InsteadOf(const KubernetesObject& object) {
  const std::vector<std::string> taken = TakenKinds();
  const std::string near = Nearest(object.kind, taken);
  if (near == object.kind) {
    return absl::StrFormat(
        "a report takes no %s of %s: give its pods (kubectl get pods -o json)",
        near, Printable(object.api_version));
  }
  return absl::StrFormat(
      "a report takes %s; of other workloads give the pods (kubectl get pods "
      "-o json)%s",
      absl::StrJoin(taken, ", "),
      near.empty() ? "" : absl::StrFormat("; is it meant to be %s?", near));
}

}  // namespace mulligan::cli
