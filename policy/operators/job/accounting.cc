#include "policy/operators/job/accounting.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "google/protobuf/repeated_ptr_field.h"
#include "policy/operators/job/counting.h"
#include "policy/operators/job/indexes.h"
#include "policy/operators/job/pods.h"
#include "policy/operators/kubernetes_index_set.h"

namespace mulligan::job {
namespace {

using Uids = google::protobuf::RepeatedPtrField<std::string>;

std::set<std::string> ToSet(const Uids& uids) {
  return {uids.begin(), uids.end()};
}

// Drops the UIDs that are not in `keep`; their number.
int DropOthers(const std::set<std::string>& keep, Uids& uids) {
  const auto gone = std::remove_if(
      uids.begin(), uids.end(),
      [&](const std::string& uid) { return keep.count(uid) == 0; });
  const int count = static_cast<int>(uids.end() - gone);
  uids.erase(gone, uids.end());
  return count;
}

class Accounting {
 public:
  Accounting(const AccountingInput& input, JobStatus& status)
      : input_(input),
        status_(status),
        uncounted_(*status.mutable_uncounted_terminated_pods()),
        listed_succeeded_(ToSet(uncounted_.succeeded())),
        listed_failed_(ToSet(uncounted_.failed())),
        counted_indexes_(IndexSet::Parse(input.job.status().completed_indexes(),
                                         input.job.spec().completions())) {
    for (const Pod* pod : input.pods) {
      if (HasTrackingFinalizer(*pod)) {
        with_finalizer_.insert(pod->metadata().uid());
      }
    }
  }

  bool Run() {
    CountReleased();
    const bool complete = ListFinished();
    CountReleased();
    if (IsIndexed(input_.job.spec())) {
      const IndexSet indexes = SucceededIndexes(input_.job, input_.pods);
      status_.set_succeeded(static_cast<std::int32_t>(indexes.total()));
      status_.set_completed_indexes(indexes.ToString());
    }
    return complete;
  }

 private:
  void CountReleased() {
    status_.set_succeeded(
        status_.succeeded() +
        DropOthers(with_finalizer_, *uncounted_.mutable_succeeded()));
    status_.set_failed(
        status_.failed() +
        DropOthers(with_finalizer_, *uncounted_.mutable_failed()));
  }

  bool ListFinished() {
    for (const Pod* pod : input_.pods) {
      if (!HasTrackingFinalizer(*pod) || !MayRelease(*pod)) continue;
      with_finalizer_.erase(pod->metadata().uid());
      List(*pod);
      if (new_indexes_ + uncounted_.succeeded_size() +
              uncounted_.failed_size() >=
          kMaxUncountedPods) {
        return false;
      }
    }
    return true;
  }

  bool MayRelease(const Pod& pod) const {
    if (input_.ended || input_.job.metadata().has_deletion_timestamp() ||
        HasPhase(pod, "Succeeded")) {
      return true;
    }
    if (!IsPodFailed(pod, input_.job.spec(), input_.gates)) return false;
    const auto index = CompletionIndex(pod);
    if (!index.has_value()) return true;
    const auto awaiting = input_.awaiting_replacement.find(*index);
    return awaiting == input_.awaiting_replacement.end() ||
           awaiting->second->metadata().uid() != pod.metadata().uid();
  }

  void List(const Pod& pod) {
    const JobSpec& spec = input_.job.spec();
    const std::string& uid = pod.metadata().uid();
    const bool listed_failed = listed_failed_.count(uid) > 0;
    if (HasPhase(pod, "Succeeded") && !listed_failed) {
      if (!IsIndexed(spec)) {
        if (listed_succeeded_.count(uid) == 0) uncounted_.add_succeeded(uid);
      } else if (HasValidIndex(pod, spec) &&
                 !counted_indexes_.Contains(*CompletionIndex(pod))) {
        ++new_indexes_;
      }
      return;
    }
    if ((IsPodFailed(pod, spec, input_.gates) || input_.remaining_pods_fail) &&
        !listed_failed && HasValidIndex(pod, spec) &&
        CountsAsFailed(pod, spec, input_.gates)) {
      uncounted_.add_failed(uid);
    }
  }

  const AccountingInput& input_;
  JobStatus& status_;
  kubernetes::batch::v1::UncountedTerminatedPods& uncounted_;
  const std::set<std::string> listed_succeeded_;
  const std::set<std::string> listed_failed_;
  const IndexSet counted_indexes_;
  std::int64_t new_indexes_ = 0;
  std::set<std::string> with_finalizer_;
};

}  // namespace

bool AccountPods(const AccountingInput& input, JobStatus& status) {
  return Accounting(input, status).Run();
}

}  // namespace mulligan::job
