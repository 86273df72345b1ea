#include "policy/request/owners.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <tuple>
#include <utility>
#include <vector>

#include "policy/base/conditions.h"
#include "policy/base/labels.h"
#include "policy/request/kind_names.h"
#include "policy/request/kinds.h"
#include "policy/request/owner_graph.h"
#include "policy/request/views/views.h"

namespace mulligan {
namespace {

// Kueue 0.15 reads this label on everything that it queues.
std::string_view QueueLabel(const kubernetes::meta::v1::ObjectMeta& metadata) {
  return LabelOf(metadata.labels(), "kueue.x-k8s.io/queue-name");
}

template <typename Objects>
std::string_view FirstQueue(const Objects& objects) {
  for (const auto& object : objects) {
    const std::string_view queue = QueueLabel(object.metadata());
    if (!queue.empty()) return queue;
  }
  return {};
}

// Returns the earliest transition time of the true conditions of these types;
// empty if none is true.
std::optional<std::int64_t> Since(
    const ConditionList& conditions,
    std::initializer_list<std::string_view> types) {
  std::optional<std::int64_t> since;
  for (const ConditionView condition : conditions) {
    if (condition.status() != "True" ||
        std::ranges::find(types, condition.type()) == types.end()) {
      continue;
    }
    const std::int64_t at = condition.last_transition_time().seconds();
    since = std::min(since.value_or(at), at);
  }
  return since;
}

// Returns when the deadline passed if the object failed because of it; empty if
// it failed otherwise or the time is unknown.
std::optional<std::int64_t> DeadlinePassed(const WorkloadView& view) {
  const auto is_deadline = [](const ConditionView& condition) {
    return condition.reason() == "DeadlineExceeded";
  };
  if (view.attempt_began == nullptr || view.attempt_began->seconds() <= 0 ||
      view.deadline_seconds <= 0 ||
      (view.reason != "DeadlineExceeded" &&
       std::ranges::none_of(view.conditions, is_deadline))) {
    return std::nullopt;
  }
  return view.attempt_began->seconds() + view.deadline_seconds;
}

// Returns since when a queue holds back work that it had admitted, for a reason
// of its own; empty if it does not. Pods that were not ready in time are no
// such reason, because they may have failed.
std::optional<std::int64_t> InterruptedSince(const ConditionList& conditions) {
  std::optional<std::int64_t> since;
  for (const ConditionView condition : conditions) {
    const std::string_view reason = condition.reason();
    if (condition.status() == "True" &&
        (condition.type() == "Preempted" ||
         (condition.type() == "Evicted" && reason != "PodsReadyTimeout" &&
          !reason.starts_with("DeactivatedDueTo")))) {
      since = std::max(since.value_or(0),
                       condition.last_transition_time().seconds());
    }
  }
  return since;
}

// Returns the longest delay in seconds before a Job creates a pod again: 10 s,
// doubled with each failure, up to six minutes (Kubernetes 1.34).
std::int64_t LongestBackOff(const kubernetes::batch::v1::Job& job) {
  const int doubled = std::clamp(job.status().failed() - 1, 0, 6);
  return std::min<std::int64_t>(std::int64_t{10} << doubled, 360);
}

// A deadline stops the work when it passes. The conditions come later, in some
// releases only when the pods are gone.
std::optional<std::int64_t> FailedSince(const WorkloadView& view) {
  if (!view.has_failed()) return std::nullopt;
  std::optional<std::int64_t> since =
      Since(view.conditions, {"Failed", "FailureTarget"});
  if (!since && !view.statements.empty()) {
    since = view.statements.front().at->seconds();
  }
  if (const auto passed = DeadlinePassed(view)) {
    since = std::min(since.value_or(*passed), *passed);
  }
  return since.value_or(0);
}

std::optional<std::int64_t> RestartsSince(const WorkloadView& view) {
  if (view.phase != WorkloadPhase::kRestarts) return std::nullopt;
  return Since(view.conditions, {"Restarting", "Evicted"}).value_or(0);
}

// Returns when the Job gave up according to its events; empty if it did not.
std::optional<std::int64_t> GivenUpByEvents(const v1::FailureReport& report) {
  std::optional<std::int64_t> since;
  for (const auto& event : report.events()) {
    if (event.involved_object().kind() != "Job" ||
        (event.reason() != "BackoffLimitExceeded" &&
         event.reason() != "DeadlineExceeded")) {
      continue;
    }
    const std::int64_t at = std::max(event.first_timestamp().seconds(),
                                     event.event_time().seconds());
    since = std::min(since.value_or(at), at);
  }
  return since;
}

void AddSince(std::optional<std::int64_t> since,
              std::optional<std::int64_t>& first) {
  if (since) first = std::min(first.value_or(*since), *since);
}

// Jobs of earlier JobSet attempts gave up before, so they are ignored.
WorkloadPhase FurthestOfJobs(const Owners& owners) {
  const auto& jobs = owners.report.jobs();
  const auto has_failed = [](const auto& job) {
    return ReportsFailed(job.status().conditions());
  };
  const int newest =
      std::ranges::any_of(jobs, has_failed) ? owners.NewestAttempt() : -1;
  WorkloadPhase furthest = WorkloadPhase::kSilent;
  for (const auto& job : jobs) {
    if (owners.AttemptOf(job.metadata()) < newest) continue;
    furthest = std::max(furthest, ViewOf(job).phase);
  }
  return furthest;
}

}  // namespace

Owners::Owners(const v1::FailureReport& of) : report(of) {
  WorkloadView next;
  for (const Kind& kind : Kinds()) {
    // Does not change `next` if the report has no such object.
    if (kind.view == nullptr || !kind.view(report, next)) continue;
    next.kind = &kind;
    next.queue = QueueLabel(*next.meta);
    views.push_back(std::exchange(next, {}));
  }
  const auto seniority = [](const WorkloadView& view) {
    return view.kind->seniority;
  };
  std::ranges::stable_sort(views, std::ranges::greater(), seniority);
  for (const WorkloadView& view : views) {
    phase = view.phase;
    if (phase != WorkloadPhase::kSilent) break;
  }
  if (views.empty() && report.jobs_size() > 1) FindSuccession();
  if (phase == WorkloadPhase::kSilent) phase = FurthestOfJobs(*this);
  FindCleanUp();
}

// An owner of unknown kind retries by creating another Job (docs/integrate.md).
// A Job created after a sibling failed is the next attempt.
void Owners::FindSuccession() {
  struct Made {
    std::string_view owner;
    std::int64_t at;
    const kubernetes::batch::v1::Job* job;
  };
  std::vector<Made> jobs;
  for (const auto& job : report.jobs()) {
    const auto* const owner = ControllerOf(job.metadata());
    if (owner == nullptr || owner->uid().empty() ||
        FindKind(owner->kind()) != nullptr) {
      continue;
    }
    jobs.push_back(
        {owner->uid(), job.metadata().creation_timestamp().seconds(), &job});
  }
  std::ranges::stable_sort(jobs, [](const Made& a, const Made& b) {
    return std::tie(a.owner, a.at) < std::tie(b.owner, b.at);
  });
  int attempt = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (i > 0 && jobs[i].owner == jobs[i - 1].owner) {
      const auto failed = FailedSince(ViewOf(*jobs[i - 1].job));
      if (failed && *failed > 0 && *failed <= jobs[i].at) ++attempt;
    } else {
      attempt = 0;
    }
    succession_.emplace_back(jobs[i].job->metadata().uid(), attempt);
  }
}

int Owners::AttemptOf(const kubernetes::meta::v1::ObjectMeta& metadata) const {
  const int labelled = RestartAttemptOf(metadata);
  if (labelled >= 0 || succession_.empty()) return labelled;
  const auto* const owner = ControllerOf(metadata);
  const auto found = std::ranges::find_if(succession_, [&](const auto& job) {
    return job.first == metadata.uid() ||
           (owner != nullptr && job.first == owner->uid());
  });
  return found == succession_.end() ? -1 : found->second;
}

bool Owners::IsPartOfQueuedWork() const {
  const auto& workload = report.kueue_workload();
  if (IsTrue(workload.status().conditions(), "Finished")) return false;
  const auto is_here = [this](const auto& owner) {
    const auto has_uid = [&owner](const auto& object) {
      return object.metadata().uid() == owner.uid();
    };
    return std::ranges::any_of(report.jobs(), has_uid) ||
           std::ranges::any_of(report.pods(), has_uid) ||
           std::ranges::any_of(views, [&owner](const WorkloadView& view) {
             return view.meta->uid() == owner.uid();
           });
  };
  return std::ranges::any_of(workload.metadata().owner_references(),
                             [&](const auto& owner) {
                               return !owner.uid().empty() && !is_here(owner);
                             });
}

void Owners::FindCleanUp() {
  for (const WorkloadView& view : views) {
    AddSince(FailedSince(view), failed_since);
    AddSince(RestartsSince(view), cleans_up_since);
  }
  const int newest = report.jobs().empty() ? -1 : NewestAttempt();
  for (const auto& job : report.jobs()) {
    if (AttemptOf(job.metadata()) < newest) continue;
    AddSince(FailedSince(ViewOf(job)), failed_since);
  }
  AddSince(failed_since, cleans_up_since);
  if (views.empty() && report.jobs_size() == 1) {
    const auto passed = DeadlinePassed(ViewOf(report.jobs(0)));
    if (passed && gave_up()) {
      retried_until = *passed - LongestBackOff(report.jobs(0));
    }
  }
  if (report.jobs().empty() && views.empty()) {
    AddSince(GivenUpByEvents(report), cleans_up_since);
  }
  if (const auto queue = QueueIn(report)) {
    const bool retries = !views.empty() || !report.jobs().empty();
    if (retries && !gave_up()) {
      retried_until = InterruptedSince(queue->conditions);
    }
    AddSince(RestartsSince(*queue), cleans_up_since);
    AddSince(Since(queue->conditions, {"Finished"}), cleans_up_since);
  }
}

bool Owners::ReportRunning() const {
  for (const WorkloadView& view : views) {
    if (view.phase > WorkloadPhase::kOpen) {
      return view.phase == WorkloadPhase::kRuns;
    }
  }
  for (const auto& job : report.jobs()) {
    if (ViewOf(job).phase == WorkloadPhase::kRuns) return true;
  }
  const auto queue = QueueIn(report);
  return queue && queue->phase == WorkloadPhase::kRuns;
}

bool Owners::HasNotSucceeded() const {
  if (!views.empty()) return views.front().phase != WorkloadPhase::kSucceeded;
  if (IsPartOfQueuedWork()) return true;
  const int newest = report.jobs_size() > 1 ? NewestAttempt() : -1;
  return std::ranges::any_of(report.jobs(), [&](const auto& job) {
    return AttemptOf(job.metadata()) >= newest &&
           ViewOf(job).phase != WorkloadPhase::kSucceeded;
  });
}

bool Owners::any() const {
  return !views.empty() || !report.jobs().empty() ||
         report.has_kueue_workload();
}

int Owners::NewestAttempt() const {
  int newest = -1;
  for (const auto& job : report.jobs()) {
    newest = std::max(newest, AttemptOf(job.metadata()));
  }
  for (const auto& pod : report.pods()) {
    newest = std::max(newest, AttemptOf(pod.metadata()));
  }
  for (const WorkloadView& view : views) {
    // Labels and status of an object may differ in age. Without labels, the
    // report was cut down.
    if (newest >= 0 || *view.attempt_label != '\0') {
      newest = std::max(newest, int{view.restarts});
    }
  }
  return newest;
}

std::string_view QueueOf(const Owners& owners) {
  const v1::FailureReport& report = owners.report;
  if (!report.kueue_workload().spec().queue_name().empty()) {
    return report.kueue_workload().spec().queue_name();
  }
  for (const WorkloadView& view : owners.views) {
    if (!view.queue.empty()) return view.queue;
  }
  const std::string_view of_jobs = FirstQueue(report.jobs());
  return of_jobs.empty() ? FirstQueue(report.pods()) : of_jobs;
}

NativeCount CountNativeFailures(const Owners& owners, std::int32_t earlier) {
  for (const WorkloadView& view : owners.views) {
    if (view.kind->count == nullptr) continue;
    return view.kind->count(owners.report, earlier);
  }
  return owners.report.jobs_size() == 1 ? CountJob(owners.report, earlier)
                                        : NativeCount();
}

}  // namespace mulligan
