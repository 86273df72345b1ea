// Feature gates and releases of Kueue.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_GATES_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_GATES_H_

#include <string>
#include <vector>

#include "mulligan/v1/native.pb.h"

namespace mulligan::kueue {

// What changes the outcome of a failure, with the defaults of Kueue 0.19.
struct Gates {
  // SkipReassignmentForPodOwnedWorkloads: a preempted workload of a single pod
  // is not queued again, since its pod will not come back.
  bool skip_pod_owned_workloads = true;
  // DisableWaitForPodsReady (alpha): no readiness timeouts at all.
  bool disable_wait_for_pods_ready = false;
  // UnadmittedWorkloadsObservability: fine-grained reasons of QuotaReserved.
  bool unadmitted_observability = true;
  // TASReplaceNodeOnPodTermination. Off: nodes are judged without a look at the
  // pods.
  bool replace_node_on_pod_termination = true;
  // TASReplaceNodeOnNodeTaints: taints the pods do not tolerate count.
  bool replace_node_on_taints = true;
  // TASReplaceNodeDueToNotReadyOverFixedTime (deprecated): NotReady for 30 s is
  // enough, whatever the pods do.
  bool replace_node_after_fixed_time = false;
  // TASFailedNodeReplacementFailFast: evicted at once when no node can take
  // over.
  bool fail_fast_without_replacement = true;
  // No gate: a workload that Kueue deactivated is queued again when it is made
  // active (kueue#14870). Until 0.19 only one that a user deactivated.
  bool reactivates_own_deactivations = false;
};

// Gates of one release, and what was not understood.
struct GateSetup {
  Gates gates;
  // "kueue 0.19".
  std::string semantics;
  std::vector<std::string> warnings;
};

// Defaults of the release versions["kueue"] ("0.18", "v0.18.2"; absent: 0.19),
// then feature_gates by name. Gates of others are passed over.
GateSetup GatesFor(const v1::NativeSemantics& semantics);

// Sets the gate called `name`; false when Kueue has none of that name, or one
// that changes nothing here.
bool SetGate(const std::string& name, bool enabled, Gates& gates);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_GATES_H_
