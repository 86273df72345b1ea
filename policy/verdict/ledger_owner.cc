// Whose ledger is it? A workload is told by whatever object is at hand: a pod,
// its Job, their JobSet. The ledger is tied to the most senior that was told.
//
//   1. The senior of a pod or Job of a JobSet is the JobSet, which their labels
//      name (jobset.sigs.k8s.io/jobset-uid, JobSet 0.6), whether it is in the
//      report or not: each restart makes new Jobs.
//   2. A ledger tied to an object that the report speaks of is the workload's.
//   3. An object that may own the other, or be owned by it, contradicts nothing;
//      one of the same rank with another UID is another workload.
#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/base/labels.h"
#include "policy/limits.h"
#include "policy/request/custom_resources.h"
#include "policy/request/ownership.h"
#include "policy/verdict/intake.h"

namespace mulligan {
namespace {

using kubernetes::meta::v1::ObjectMeta;

constexpr char kJobSetUid[] = "jobset.sigs.k8s.io/jobset-uid";

struct Owner {
  std::string_view kind;
  std::string_view uid;
};

// How senior objects of a kind are: what has a higher rank may own them.
int RankOf(std::string_view kind) {
  if (kind == "Pod") return 0;
  if (kind == "Job") return 1;
  if (kind == "JobSet" || kind == "RayCluster") return 2;
  return 3;
}

std::string_view JobSetUidIn(const v1::FailureReport& report) {
  if (report.pods_size() > 0) {
    return LabelOf(report.pods(0).metadata().labels(), kJobSetUid);
  }
  if (report.jobs_size() > 0) {
    return LabelOf(report.jobs(0).metadata().labels(), kJobSetUid);
  }
  return {};
}

Owner OwnerOf(const v1::FailureReport& report,
              const v1::WorkloadReference& workload) {
  Owner owner{workload.kind(), workload.uid()};
  if (RankOf(owner.kind) < 2) {
    const std::string_view job_set = JobSetUidIn(report);
    if (!job_set.empty()) owner = {"JobSet", job_set};
  }
  return owner;
}

bool Mentions(const ObjectMeta& object, std::string_view uid) {
  return object.uid() == uid ||
         LabelOf(object.labels(), kJobSetUid) == uid ||
         std::ranges::any_of(
             object.owner_references(),
             [uid](const auto& owner) { return owner.uid() == uid; });
}

bool Mentions(const v1::FailureReport& report, std::string_view uid) {
  const auto mentions = [uid](const auto& object) {
    return Mentions(object.metadata(), uid);
  };
  if (std::ranges::any_of(report.pods(), mentions) ||
      std::ranges::any_of(report.jobs(), mentions) ||
      mentions(report.kueue_workload())) {
    return true;
  }
  return std::ranges::any_of(CustomResources(report),
                             [uid](const CustomResource& resource) {
                               return Mentions(*resource.metadata, uid);
                             });
}

}  // namespace

absl::Status CheckLedgerOwner(const v1::BudgetLedger& ledger,
                              const v1::FailureReport& report,
                              const v1::WorkloadReference& workload) {
  const Owner owner = OwnerOf(report, workload);
  if (ledger.workload_uid().empty() || owner.uid.empty() ||
      ledger.workload_uid() == owner.uid ||
      Mentions(report, ledger.workload_uid())) {
    return absl::OkStatus();
  }
  if (!ledger.workload_kind().empty() &&
      RankOf(ledger.workload_kind()) != RankOf(owner.kind)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrFormat(
      "ledger.workloadUid is %s, but the report is about workload UID %s; "
      "expected the ledger of that workload, or none for a new one",
      ledger.workload_uid(), std::string(owner.uid)));
}

void TieLedger(const v1::FailureReport& report,
               const v1::WorkloadReference& workload, bool recorded,
               v1::BudgetLedger& ledger) {
  const Owner owner = OwnerOf(report, workload);
  if (owner.uid.empty() || owner.uid.size() > kMaxLedgerUidBytes ||
      owner.kind.size() > kMaxLedgerUidBytes) {
    return;
  }
  if (ledger.workload_uid().empty()) {
    ledger.set_workload_uid(std::string(owner.uid));
  }
  if (!recorded) return;
  const bool same = ledger.workload_uid() == owner.uid;
  const bool senior = ledger.workload_kind().empty() ||
                      RankOf(ledger.workload_kind()) < RankOf(owner.kind);
  if (!same && !senior) return;
  ledger.set_workload_uid(std::string(owner.uid));
  ledger.set_workload_kind(std::string(owner.kind));
}

}  // namespace mulligan
