// The objects above the pods of a report, and their counts of failures.
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

// Return the view of one Job and of the report's Kueue Workload; the second is
// empty if the report has none.
WorkloadView ViewOf(const kubernetes::batch::v1::Job& job);
std::optional<WorkloadView> QueueIn(const v1::FailureReport& report);

// The objects above the pods of `report`, which must outlive this.
struct Owners {
  explicit Owners(const v1::FailureReport& of);

  const v1::FailureReport& report;
  // Objects that own Jobs or pods, the most senior kind first. Excludes Kueue's
  // Workload, which is not an owner.
  absl::InlinedVector<WorkloadView, 2> views;
  // State of the work: from the most senior object that states it, else from
  // the Job of the newest attempt that is furthest along.
  WorkloadPhase phase = WorkloadPhase::kSilent;
  // When an object above the pods failed for good, in epoch seconds; 0 if the
  // time is unknown; empty if none did.
  std::optional<std::int64_t> failed_since;
  // When an owner first had its own reason to delete pods, in epoch seconds; 0
  // if the time is unknown. The reasons: the owner failed for good, it
  // restarts, or its queue requeued it before it ran, or has finished with it.
  // Later deletions are cleanup and not evidence about the work.
  std::optional<std::int64_t> cleans_up_since;

  // Every failure before this time (epoch seconds) was followed by another
  // attempt. Set if a Job missed its deadline or its queue stopped it while
  // running. Else empty.
  std::optional<std::int64_t> retried_until;

  // Returns whether the work has failed for good or is about to. Pods that
  // still run do not count, and pods stopped now did not fail on their own.
  bool gave_up() const { return phase >= WorkloadPhase::kGivesUp; }
  // Returns whether gave_up() already held at `seconds`, in epoch seconds.
  bool HadGivenUp(std::int64_t seconds) const {
    return gave_up() && failed_since.value_or(0) <= seconds;
  }
  // Returns whether an object reports that the work runs: a Job with ready
  // pods, an admitted Workload with ready pods, another object by its state.
  // Startup events are then obsolete.
  bool ReportRunning() const;
  // Returns whether the object that decides how the work ends has not
  // succeeded: the most senior one, or else a Job of the newest attempt. True
  // if Kueue queues more than those Jobs. False if there is no such object.
  bool HasNotSucceeded() const;
  // Returns whether the report has an object that owns pods or queues them.
  bool any() const;
  // Returns the attempt of its owner that a pod or Job belongs to; -1 if
  // unknown. Uses its label (RestartAttemptOf). For Jobs of an owner of unknown
  // kind, counts the Jobs that had failed before it was created.
  int AttemptOf(const kubernetes::meta::v1::ObjectMeta& metadata) const;
  // Returns the highest attempt of pods, Jobs and their owner; -1 if unknown.
  int NewestAttempt() const;
  // Returns whether Kueue queues more than the report has, so that the end of
  // the reported part does not end the work.
  bool IsPartOfQueuedWork() const;

 private:
  void FindSuccession();
  void FindCleanUp();

  // UIDs of Jobs that followed one another, with the attempt of each.
  absl::InlinedVector<std::pair<std::string_view, int>, 2> succession_;
};

// Returns the queue from Kueue's object or a label; empty if none.
std::string_view QueueOf(const Owners& owners);

// Returns the failure count of the most senior object that has a counter.
// `earlier` is the number of failed attempts in the report before the current
// one. The current one is excluded if the operator has counted it (views.h says
// how for each kind).
NativeCount CountNativeFailures(const Owners& owners, std::int32_t earlier);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_OWNERS_H_
