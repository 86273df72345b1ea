#include "policy/request/owners.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <utility>

#include "policy/base/labels.h"
#include "policy/request/kinds.h"
#include "policy/request/views/views.h"

namespace mulligan {
namespace {

// Kueue 0.15 reads it on all that it queues.
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

// The first time that one of `conditions` of these types came to hold; nothing
// where none of them does.
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

// When its deadline passed, where that is what it failed of; nothing: it failed
// of something else, or no time is known.
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

// What a deadline ends is stopped from then on; the conditions are written
// later, by some releases only when the pods are gone.
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

void AddSince(std::optional<std::int64_t> since,
              std::optional<std::int64_t>& first) {
  if (since) first = std::min(first.value_or(*since), *since);
}

// Those of an earlier attempt of their JobSet have given up long ago.
WorkloadPhase FurthestOfJobs(const Owners& owners) {
  const auto& jobs = owners.report.jobs();
  const auto has_failed = [](const auto& job) {
    return SaysFailed(job.status().conditions());
  };
  const int newest =
      std::ranges::any_of(jobs, has_failed) ? owners.NewestAttempt() : -1;
  WorkloadPhase furthest = WorkloadPhase::kSilent;
  for (const auto& job : jobs) {
    if (RestartAttemptOf(job.metadata()) < newest) continue;
    furthest = std::max(furthest, ViewOf(job).phase);
  }
  return furthest;
}

}  // namespace

Owners::Owners(const v1::FailureReport& of) : report(of) {
  WorkloadView next;
  for (const Kind& kind : Kinds()) {
    // Leaves the view alone where there is none.
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
  if (phase == WorkloadPhase::kSilent) phase = FurthestOfJobs(*this);
  FindCleanUp();
}

void Owners::FindCleanUp() {
  for (const WorkloadView& view : views) {
    AddSince(FailedSince(view), failed_since);
    AddSince(RestartsSince(view), cleans_up_since);
  }
  const int newest = report.jobs().empty() ? -1 : NewestAttempt();
  for (const auto& job : report.jobs()) {
    if (RestartAttemptOf(job.metadata()) < newest) continue;
    AddSince(FailedSince(ViewOf(job)), failed_since);
  }
  AddSince(failed_since, cleans_up_since);
  if (const auto queue = QueueIn(report)) {
    AddSince(RestartsSince(*queue), cleans_up_since);
    AddSince(Since(queue->conditions, {"Finished"}), cleans_up_since);
  }
}

bool Owners::SayThatItRuns() const {
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
  const int newest = report.jobs_size() > 1 ? NewestAttempt() : -1;
  return std::ranges::any_of(report.jobs(), [newest](const auto& job) {
    return RestartAttemptOf(job.metadata()) >= newest &&
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
    newest = std::max(newest, RestartAttemptOf(job.metadata()));
  }
  for (const auto& pod : report.pods()) {
    newest = std::max(newest, RestartAttemptOf(pod.metadata()));
  }
  for (const WorkloadView& view : views) {
    // Labels and status of one object are of two moments: what carries no label
    // is of an object that was cut down.
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
