#include "policy/operators/kueue/multikueue.h"

#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/operators/kueue/admission_checks.h"
#include "policy/operators/kueue/conditions.h"

namespace mulligan::kueue {
namespace {

class WorkerFollower {
 public:
  explicit WorkerFollower(const ManagerView& view) : view_(view) {
    verdict_.check = view.check;
  }

  ManagerVerdict Run() && {
    if (RejectsOwner()) return verdict_;
    const WorkloadStatus& local = view_.workload.status();
    if (IsFinished(local)) return verdict_;
    if (const Worker* const worker = First(kFinished)) {
      Finish(*worker);
    } else if (const Worker* const evicted = First(kEvicted);
               evicted != nullptr && FollowEviction(*evicted)) {
      return verdict_;
    } else if (const Worker* const admitted = First(kAdmitted)) {
      Adopt(*admitted);
    } else if (view_.check.state() == kCheckReady) {
      FollowLoss();
    }
    return verdict_;
  }

 private:
  // The first reachable worker whose copy has the condition. A copy that is
  // out of sync is deleted before it could be admitted.
  const Worker* First(std::string_view type) const {
    for (const Worker& worker : view_.workers) {
      if (worker.reachable && worker.remote.has_value() &&
          !(type == kAdmitted && worker.out_of_sync) &&
          IsTrue(worker.remote->conditions(), type)) {
        return &worker;
      }
    }
    return nullptr;
  }

  const std::string& admitting() const {
    return view_.workload.status().cluster_name();
  }

  const Worker* AdmittingWorker() const {
    for (const Worker& worker : view_.workers) {
      if (worker.name == admitting()) return &worker;
    }
    return nullptr;
  }

  void Become(std::string_view state, std::string_view message) {
    verdict_.check.set_message(absl::StrFormat(
        "%s, Previously: \"%s\"", message, verdict_.check.state()));
    verdict_.check.set_state(std::string(state));
  }

  void Announce() {
    verdict_.event = Event{std::string(kNormalEvent), "MultiKueue",
                           EventMessage(verdict_.check.message())};
  }

  bool RejectsOwner() {
    if (!view_.has_owner) {
      Become(kCheckRejected, "No multikueue adapter found");
      return true;
    }
    if (!view_.unsupported_owner.empty()) {
      Become(
          kCheckRejected,
          absl::StrFormat("No multikueue adapter found for owner kind \"%s\"",
                          view_.unsupported_owner));
      return true;
    }
    if (view_.unmanaged_reason.empty()) return false;
    Become(kCheckRejected, absl::StrFormat("The owner is not managed by Kueue: "
                                           "%s",
                                           view_.unmanaged_reason));
    return true;
  }

  void Finish(const Worker& worker) {
    const Condition& finished =
        *FindCondition(worker.remote->conditions(), kFinished);
    if (finished.reason() != "OutOfSync") {
      verdict_.copies_job_status_of = worker.name;
      verdict_.finished = finished;
      return;
    }
    // The copy is not the user's end: dispatch anew.
    if (view_.check.state() != kCheckReady) return;
    Become(kCheckRetry,
           absl::StrFormat("Remote workload on worker cluster \"%s\" is out of "
                           "sync with its user job, resetting for re-dispatch",
                           worker.name));
    Announce();
  }

  bool FollowEviction(const Worker& worker) {
    if (IsEvicted(view_.workload.status())) {
      verdict_.copies_job_status_of = worker.name;
      return true;
    }
    if (view_.check.state() != kCheckReady) return false;
    verdict_.check.set_message(absl::StrFormat(
        "Workload evicted on worker cluster: \"%s\", resetting for "
        "re-admission. Previously: \"%s\"",
        admitting().empty() ? worker.name : admitting(), view_.check.state()));
    verdict_.check.set_state(std::string(kCheckRetry));
    Announce();
    return true;
  }

  void Adopt(const Worker& worker) {
    if (IsEvicted(view_.workload.status()) ||
        view_.check.state() == kCheckReady ||
        view_.check.state() == kCheckRetry) {
      return;
    }
    verdict_.check.set_state(std::string(kCheckReady));
    verdict_.check.set_message(
        absl::StrFormat("The workload was admitted on \"%s\"", worker.name));
    Announce();
  }

  void FollowLoss() {
    if (admitting().empty()) {
      return Become(kCheckRetry,
                    "Admission check is Ready but no admitting cluster is "
                    "recorded; this is unexpected, please report it");
    }
    const Worker* const worker = AdmittingWorker();
    if (worker != nullptr && !worker->reachable) {
      if (worker->lost_for < view_.worker_lost_timeout) {
        verdict_.requeue_after = view_.worker_lost_timeout - worker->lost_for;
        return;
      }
      return Become(kCheckRetry, "Admitting remote lost");
    }
    // A cluster that was taken out of the configuration is not waited for.
    Become(kCheckRetry, worker != nullptr && worker->out_of_sync
                            ? "Remote workload out of sync"
                            : "Admitting remote no longer exists");
  }

  const ManagerView& view_;
  ManagerVerdict verdict_;
};

}  // namespace

ManagerVerdict FollowWorkers(const ManagerView& view) {
  return WorkerFollower(view).Run();
}

}  // namespace mulligan::kueue
