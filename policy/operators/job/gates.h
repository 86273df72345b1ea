// Feature gates of the Job controller.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_GATES_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_GATES_H_

#include <string>
#include <vector>

#include "mulligan/v1/native.pb.h"

namespace mulligan::job {

// Gates that change what happens to failed pods, with the defaults of
// Kubernetes 1.34. On by default since the release in brackets.
struct Gates {
  // JobPodFailurePolicy [1.26].
  bool pod_failure_policy = true;
  // SidecarContainers [1.29].
  bool sidecar_containers = true;
  // JobBackoffLimitPerIndex [1.29]: off, the limits per index and the action
  // FailIndex are unknown.
  bool backoff_limit_per_index = true;
  // JobPodReplacementPolicy [1.29]: off, spec.podReplacementPolicy is not read
  // and status.terminating not written.
  bool pod_replacement_policy = true;
  // JobSuccessPolicy [1.31].
  bool success_policy = true;
  // JobManagedBy [1.32].
  bool managed_by = true;
  // No gate: releases before 1.31 announce only verdicts of a pod failure
  // policy by FailureTarget, whatever the gates say.
  bool interim_conditions = true;
};

// Whether every terminal verdict is first written as FailureTarget or
// SuccessCriteriaMet and becomes Failed or Complete when no pod is left.
bool DelaysTerminalCondition(const Gates& gates);

// Gates of one release, and what was not understood.
struct GateSetup {
  Gates gates;
  // "kubernetes 1.34".
  std::string semantics;
  std::vector<std::string> warnings;
};

// Defaults of the release versions["kubernetes"] ("1.30", "v1.30.4"; absent:
// 1.34), then feature_gates by name. Gates of others are passed over.
GateSetup GatesFor(const v1::NativeSemantics& semantics);

// Sets the gate called `name`; false when the Job controller has none of that
// name, or one that changes nothing here.
bool SetGate(const std::string& name, bool enabled, Gates& gates);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_GATES_H_
