// What stands above the pods of a report, and who counts its failures.
#ifndef MULLIGAN_POLICY_REQUEST_OWNERS_H_
#define MULLIGAN_POLICY_REQUEST_OWNERS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "mulligan/kubernetes/batch/v1/job.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/request/workload_view.h"

namespace mulligan {

// The view of one Job, and of the report's Workload.
WorkloadView ViewOf(const kubernetes::batch::v1::Job& job);
std::optional<WorkloadView> QueueIn(const v1::FailureReport& report);

// What stands above the pods of one report, which must outlive it.
struct Owners {
  explicit Owners(const v1::FailureReport& of);

  const v1::FailureReport& report;
  // Objects that Jobs and pods are made for, the most senior kind first.
  // Kueue's Workload is none of them: it stands beside what it queues.
  absl::InlinedVector<WorkloadView, 2> views;
  // Where the work is: as the most senior that says so has it, else the Job of
  // the newest attempt that is furthest.
  WorkloadPhase phase = WorkloadPhase::kSilent;
  // Since when an object above the pods says that its work has failed for good.
  std::optional<std::int64_t> failed_since;
  // Since when one of them has a reason of its own to delete pods: it has
  // failed for good, starts again, or its queue has put it back before it ran,
  // or is done with it. What is deleted from then on is cleaned up, and says
  // nothing of how the work fares. 0: since nobody knows when.
  std::optional<std::int64_t> cleans_up_since;

  // Of a Job that failed because its deadline passed: what had failed before
  // this time it had tried again since. Nothing: it failed of something else.
  std::optional<std::int64_t> retried_until;

  // The work has failed for good or is about to: pods that still live do not
  // count, and those that are stopped now did not fail by it.
  bool gave_up() const { return phase >= WorkloadPhase::kGivesUp; }
  // So it was at `seconds`: what is deleted then has come to its end before.
  bool HadGivenUp(std::int64_t seconds) const {
    return gave_up() && failed_since.value_or(0) <= seconds;
  }
  // An object says that the work runs: a Job with ready pods, an admitted
  // Workload whose pods are ready, others by their state. What an event said on
  // the way there is over then.
  bool SayThatItRuns() const;
  // The object that decides how the work ends does not say that it succeeded:
  // the most senior one, or with none above them a Job of the newest attempt.
  // False where there is no such object.
  bool HasNotSucceeded() const;
  // Whether there is an object that pods are made for.
  bool any() const;
  // Which attempt of its owner a pod or Job is of: by its label
  // (RestartAttemptOf), else, of Jobs of an owner whose kind is not known, by
  // how many of them had failed when it was made. -1: nothing tells.
  int AttemptOf(const kubernetes::meta::v1::ObjectMeta& metadata) const;
  // The highest of all pods and Jobs, and what their owner has counted; -1:
  // nothing tells.
  int NewestAttempt() const;
  // Kueue queues more than the report has: what ends a part does not end it.
  bool IsQueuedAsMore() const;

 private:
  void FindSuccession();
  void FindCleanUp();

  // UIDs of Jobs that followed each other, and the attempt of each.
  absl::InlinedVector<std::pair<std::string_view, int>, 2> succession_;
};

// The queue of the workload: Kueue's object says it, or a label; empty: none.
std::string_view QueueOf(const Owners& owners);

// Reads the most senior object that counts; the report shows `earlier` failed
// attempts besides the one at hand. That one is left out where the
// operator has counted it already; how is said at the function of the kind.
NativeCount CountNativeFailures(const Owners& owners, std::int32_t earlier);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_OWNERS_H_
