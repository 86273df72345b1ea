#include "policy/operators/kubeflow/exit_codes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace mulligan::kubeflow {
namespace {

constexpr std::array<std::int32_t, 4> kTf2018Retryable = {130, 137, 138, 143};

}  // namespace

bool IsRetryableExitCode(std::int32_t code, ExitCodeTable table) {
  if (table == ExitCodeTable::kAtLeast128) return code >= 128;
  return std::find(kTf2018Retryable.begin(), kTf2018Retryable.end(), code) !=
         kTf2018Retryable.end();
}

std::int32_t ExitCodeOf(const Pod& pod, std::string_view container) {
  std::int32_t code = kNoExitCode;
  for (const ContainerStatus& status : pod.status().container_statuses()) {
    if (status.name() == container && status.state().has_terminated()) {
      code = status.state().terminated().exit_code();
    }
  }
  return code;
}

}  // namespace mulligan::kubeflow
