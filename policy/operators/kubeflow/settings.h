// Releases and settings of training-operator v1, and which exit codes it
// retries under restartPolicy ExitCode.
#ifndef MULLIGAN_POLICY_OPERATORS_KUBEFLOW_SETTINGS_H_
#define MULLIGAN_POLICY_OPERATORS_KUBEFLOW_SETTINGS_H_

#include <cstdint>

#include "mulligan/v1/native.pb.h"
#include "policy/operators/release.h"

namespace mulligan::kubeflow {

enum class ExitCodeTable {
  // Every code from 128 on: kubeflow/common since August 2020, and all of
  // training-operator v1.
  kAtLeast128,
  // tf-operator 2018 to 2020, and the public documentation long after: 130,
  // 137, 143, and 138 (SIGUSR1) for programs that ask for a retry.
  kTf2018,
};

bool IsRetryableExitCode(std::int32_t code, ExitCodeTable table);

// What changes the outcome of a failure, with the defaults of release 1.9.
struct Version {
  ExitCodeTable exit_codes = ExitCodeTable::kAtLeast128;
  // Since 1.8 (#2071) a permanent exit code fails the job. Before, the job was
  // left to the kind's status logic: a PyTorchJob hung in Restarting (#2044).
  bool permanent_code_fails_job = true;
  // Since 1.9: a job managed by another controller is left alone.
  bool managed_by = true;
  // Times the work queue has already repeated the job's key. In the operator's
  // memory only: nothing in the reported objects tells.
  std::int64_t requeues = 0;
};

// versions["kubeflow"]: a release ("1.8", "v1.8.1"; absent: 1.9) or "tf-2018"
// for the old table of exit codes; settings["kubeflow.requeues"].
Setup<Version> VersionFor(const v1::NativeSemantics& semantics);

}  // namespace mulligan::kubeflow

#endif  // MULLIGAN_POLICY_OPERATORS_KUBEFLOW_SETTINGS_H_
