// Decides which workload a ledger belongs to. Reports may show a pod, its Job
// or their JobSet. The ledger is tied to the most senior object that was
// reported.
//
//   1. An object's senior is its creator, even if it is not in the report,
//      because a restart makes new Jobs and clusters. A label names the JobSet
//      of a pod (JobSet 0.6: jobset.sigs.k8s.io/jobset-uid); owner references
//      name that of a Job and the RayJob of a cluster. Pods show that they
//      belong to a RayJob, but not to which (KubeRay 1.1:
//      ray.io/originated-from-crd), so they match any.
//   2. A ledger tied to an object that the report mentions is the workload's.
//   3. Objects of different rank may own one another, so they do not conflict.
//      An object of the same rank with another UID is another workload.
#include "policy/verdict/ledger_owner.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/base/labels.h"
#include "policy/limits.h"
#include "policy/request/kind_names.h"
#include "policy/request/owner_graph.h"
#include "policy/request/owners.h"
#include "policy/request/workload_view.h"

namespace mulligan {
namespace {

using kubernetes::meta::v1::ObjectMeta;

constexpr char kRayMaker[] = "ray.io/originated-from-crd";

// Returns the creator of `object` if it is a workload, so not a CronJob.
LedgerOwner CreatorOf(const ObjectMeta& object) {
  const std::string_view job_set = LabelOf(object.labels(), kJobSetUidLabel);
  if (!job_set.empty()) return {"JobSet", job_set};
  const std::string_view ray = LabelOf(object.labels(), kRayMaker);
  if (!ray.empty() && ray != "RayCluster") return {ray, {}};
  const auto* controller = ControllerOf(object);
  if (controller == nullptr) return {};
  const Kind* const kind = FindKind(controller->kind());
  if (kind == nullptr || !kind->is_workload) return {};
  return {controller->kind(), controller->uid()};
}

bool Mentions(const ObjectMeta& object, std::string_view uid) {
  return object.uid() == uid ||
         LabelOf(object.labels(), kJobSetUidLabel) == uid ||
         std::ranges::any_of(
             object.owner_references(),
             [uid](const auto& owner) { return owner.uid() == uid; });
}

bool Mentions(const Owners& owners, std::string_view uid) {
  const v1::FailureReport& report = owners.report;
  const auto mentions = [uid](const auto& object) {
    return Mentions(object.metadata(), uid);
  };
  if (std::ranges::any_of(report.pods(), mentions) ||
      std::ranges::any_of(report.jobs(), mentions) ||
      mentions(report.kueue_workload())) {
    return true;
  }
  return std::ranges::any_of(owners.views, [uid](const WorkloadView& view) {
    return Mentions(*view.meta, uid);
  });
}

}  // namespace

LedgerOwner LedgerOwnerOf(const Owners& owners,
                          const v1::WorkloadReference& workload) {
  const v1::FailureReport& report = owners.report;
  LedgerOwner owner{workload.kind(), workload.uid()};
  const auto climb = [&owner](const ObjectMeta& object) {
    const LedgerOwner creator = CreatorOf(object);
    if (creator.kind != owner.kind &&
        SeniorityOf(creator.kind) > SeniorityOf(owner.kind)) {
      owner = creator;
    }
  };
  if (report.pods_size() > 0) climb(report.pods(0).metadata());
  if (report.jobs_size() > 0) climb(report.jobs(0).metadata());
  for (const WorkloadView& view : owners.views) climb(*view.meta);
  return owner;
}

absl::Status CheckLedgerOwner(const v1::BudgetLedger& ledger,
                              const Owners& owners, const LedgerOwner& owner) {
  // A new ledger fits any workload.
  if (ledger.workload_uid().empty()) return absl::OkStatus();
  if (owner.uid.empty() || ledger.workload_uid() == owner.uid ||
      Mentions(owners, ledger.workload_uid())) {
    return absl::OkStatus();
  }
  if (!ledger.workload_kind().empty() &&
      SeniorityOf(ledger.workload_kind()) != SeniorityOf(owner.kind)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrFormat(
      "ledger.workloadUid is %s, but the report is about workload UID %s; "
      "expected the ledger of that workload, or none for a new one",
      ledger.workload_uid(), std::string(owner.uid)));
}

void TieLedger(const LedgerOwner& owner, bool recorded,
               v1::BudgetLedger& ledger) {
  if (owner.uid.empty() || owner.uid.size() > kMaxLedgerUidBytes ||
      owner.kind.size() > kMaxLedgerUidBytes) {
    return;
  }
  if (ledger.workload_uid().empty()) {
    ledger.set_workload_uid(std::string(owner.uid));
    // The object is new, so the caller started the next attempt.
    if (!ledger.history().empty()) {
      ledger.mutable_history()->rbegin()->clear_retried_by();
    }
  }
  if (!recorded) return;
  const bool same = ledger.workload_uid() == owner.uid;
  const bool senior =
      ledger.workload_kind().empty() ||
      SeniorityOf(ledger.workload_kind()) < SeniorityOf(owner.kind);
  if (!same && !senior) return;
  ledger.set_workload_uid(std::string(owner.uid));
  ledger.set_workload_kind(std::string(owner.kind));
}

}  // namespace mulligan
