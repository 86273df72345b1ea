// Which exit codes training-operator v1 retries under restartPolicy ExitCode.
#ifndef MULLIGAN_POLICY_OPERATORS_KUBEFLOW_EXIT_CODES_H_
#define MULLIGAN_POLICY_OPERATORS_KUBEFLOW_EXIT_CODES_H_

#include <cstdint>
#include <string_view>

#include "policy/operators/kubeflow/types.h"

namespace mulligan::kubeflow {

enum class ExitCodeTable {
  // Every code from 128 on: kubeflow/common since August 2020, and all of
  // training-operator v1.
  kAtLeast128,
  // tf-operator 2018 to 2020, and the public documentation long after: 130,
  // 137, 143, and 138 (SIGUSR1) for programs that ask for a retry.
  kTf2018,
};

// Exit code of a pod that shows none: evicted, or its node lost. The operator's
// placeholder 0xbeef, which its table takes for retryable.
inline constexpr std::int32_t kNoExitCode = 0xbeef;

bool IsRetryableExitCode(std::int32_t code, ExitCodeTable table);

// The code with which `container` ended, from its present state; the last one
// listed counts. kNoExitCode: it has not ended, or there is no such container.
std::int32_t ExitCodeOf(const Pod& pod, std::string_view container);

}  // namespace mulligan::kubeflow

#endif  // MULLIGAN_POLICY_OPERATORS_KUBEFLOW_EXIT_CODES_H_
