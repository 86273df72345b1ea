#include "policy/request/workload_view.h"

#include "absl/strings/numbers.h"
#include "policy/base/labels.h"

namespace mulligan {

int RestartAttemptOf(const kubernetes::meta::v1::ObjectMeta& metadata) {
  const std::string_view label =
      LabelOf(metadata.labels(), "jobset.sigs.k8s.io/restart-attempt");
  if (label.empty()) return -1;
  int attempt = -1;
  return absl::SimpleAtoi({label.data(), label.size()}, &attempt) ? attempt
                                                                  : -1;
}

}  // namespace mulligan
