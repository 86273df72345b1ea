// The MultiKueue admission check on the manager: what the worker clusters'
// trouble means for the workload here.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_MULTIKUEUE_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_MULTIKUEUE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

// multiKueue.workerLostTimeout when the configuration is silent.
inline constexpr absl::Duration kWorkerLostTimeout = absl::Minutes(15);

// One worker cluster and its copy of the workload.
struct Worker {
  std::string name;
  bool reachable = true;
  // How long it has been out of reach.
  absl::Duration lost_for;
  // Absent: the cluster has no copy.
  std::optional<WorkloadStatus> remote;
  // The copy's spec differs from ours; the manager deletes it.
  bool out_of_sync = false;
};

struct ManagerView {
  const Workload& workload;
  // The check of this workload.
  const AdmissionCheckState& check;
  // Whether the workload belongs to a job.
  bool has_owner = true;
  // Set for an owner MultiKueue cannot dispatch: its group, version and kind
  // as Go prints them, "/v1, Kind=Pod".
  std::string unsupported_owner = {};
  // Set for an owner that is not managed by Kueue: why.
  std::string unmanaged_reason = {};
  // The clusters of the check's configuration.
  std::vector<Worker> workers = {};
  absl::Duration worker_lost_timeout = kWorkerLostTimeout;
};

struct ManagerVerdict {
  AdmissionCheckState check;
  // The workload is finished here with this condition.
  std::optional<Condition> finished;
  // The worker's job status is copied here: the name of the worker.
  std::string copies_job_status_of;
  std::optional<Event> event;
  // When to look again; 0: not by itself.
  absl::Duration requeue_after;
};

// An eviction on a worker, a lost worker and a lost copy retry the check, which
// evicts the workload here (see kueue_reconcile.h); an owner that cannot be
// dispatched rejects it.
ManagerVerdict FollowWorkers(const ManagerView& view);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_MULTIKUEUE_H_
