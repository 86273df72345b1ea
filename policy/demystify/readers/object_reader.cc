#include "policy/demystify/readers/object_reader.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "policy/base/conditions.h"
#include "policy/demystify/member.h"
#include "policy/demystify/readers/creation_error_reader.h"
#include "policy/demystify/readers/event_reader.h"
#include "policy/demystify/readers/exit_reader.h"
#include "policy/demystify/readers/node_reader.h"
#include "policy/demystify/readers/operator_reader.h"
#include "policy/demystify/readers/queue_reader.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/weighing/scene.h"
#include "policy/demystify/weighing/weighing.h"
#include "policy/request/owner_graph.h"

namespace mulligan::demystify {
namespace {

// Returns whether nodes and claims that may be another workload's can explain
// the failure: its pods wait for something, or the report has nothing else.
bool LeavesOpen(const Context& context, const Gang& gang) {
  const v1::FailureReport& report = context.report;
  if (!report.pods().empty()) return gang.running + gang.succeeded == 0;
  return !context.owners.any() && !report.has_creation_error();
}

// Returns whether creation failed, so that no pod or Job of it has events.
bool NothingWasCreated(const Context& context) {
  const v1::FailureReport& report = context.report;
  return report.has_creation_error() && report.pods().empty() &&
         !context.owners.any();
}

// Returns whether the fact is an event of an attempt that another followed: a
// later pod is healthy, or the owner has begun again since. Of a Job, the first
// time counts, because its controller repeats what ended it.
bool HasSuccessor(const Attempt& attempt, const Candidate& fact) {
  if (fact.place.root != Root::kEvents || !Known(fact.at)) return false;
  const auto& event = attempt.report().events(fact.place.index);
  const std::string& kind = event.involved_object().kind();
  const Seconds first = FirstTime(event);
  if (kind == "Pod") {
    return std::ranges::any_of(attempt.pods, [&](int pod) {
      const Member& member = attempt.member(pod);
      return !member.reading.failing() && !Before(member.begin, first);
    });
  }
  return std::ranges::any_of(
      attempt.context.owners.views, [&](const WorkloadView& view) {
        const Seconds at = kind == "Job"            ? first
                           : kind == view.kind_name ? fact.at
                                                    : kUnknownTime;
        return view.was_tried && view.attempt_began != nullptr && Known(at) &&
               at <= view.attempt_began->seconds();
      });
}

// Returns whether the event is of an owner that could not create a Job or
// RayCluster, and that is there: the owner saw an old state (JobSet 0.12,
// KubeRay 1.6).
bool IsCreated(const Attempt& attempt, const Candidate& fact) {
  if (fact.place.root != Root::kEvents) return false;
  const auto& event = attempt.report().events(fact.place.index);
  const std::string& owner = event.involved_object().uid();
  const auto is_here = [&](const kubernetes::meta::v1::ObjectMeta& meta) {
    const auto* const controller = ControllerOf(meta);
    return controller != nullptr && controller->uid() == owner &&
           ContainsName(event.message(), meta.name());
  };
  const auto is_job_here = [&](const auto& job) {
    return is_here(job.metadata());
  };
  const auto is_view_here = [&](const WorkloadView& view) {
    return is_here(*view.meta);
  };
  return !owner.empty() &&
         (std::ranges::any_of(attempt.report().jobs(), is_job_here) ||
          std::ranges::any_of(attempt.context.owners.views, is_view_here));
}

void WeighOtherEvents(const Attempt& attempt, const Gang& gang,
                      std::span<Candidate> facts) {
  const auto& jobs = attempt.report().jobs();
  const Owners& owners = attempt.context.owners;
  Scene scene = {
      .fails = gang.root >= 0,
      .work_goes_on = owners.ReportRunning() ||
                      (gang.root < 0 && gang.succeeded + gang.running > 0),
      .has_active = !jobs.empty() && jobs[0].status().active() > 0};
  const bool has_run =
      std::ranges::any_of(owners.views, &WorkloadView::has_run);
  for (Candidate& fact : facts) {
    scene.has_run = has_run || IsCreated(attempt, fact);
    scene.has_successor = HasSuccessor(attempt, fact);
    Weigh(Round::kEvents, fact, scene);
  }
}

// Returns whether an owner failed only because of the `done` pods, which
// succeeded while being deleted: no pod failed, and its Job counts no other.
bool FailedOnlyByDeletion(const Attempt& attempt, const Gang& gang,
                          std::string_view owner,
                          const std::vector<int>& done) {
  for (const auto& job : attempt.report().jobs()) {
    if (job.metadata().uid() != owner) continue;
    return ReportsFailed(job.status().conditions()) &&
           job.status().failed() <= static_cast<int>(done.size());
  }
  const auto& views = attempt.context.owners.views;
  return !views.empty() && views.front().has_failed() && gang.root < 0 &&
         gang.succeeded == static_cast<int>(attempt.pods.size()) &&
         std::ranges::all_of(done, [&](int pod) {
           return attempt.report().pods(pod).status().phase() == "Failed";
         });
}

// Adds a sign for an owner that failed only because of deleted pods that
// succeeded. A pod counts as failed from its deletion on, and its phase says
// so, even if its program then succeeds (Job of Kubernetes 1.34,
// podReplacementPolicy TerminatingOrFailed; kubernetes#125695).
void ReadDoneThoughDeleted(const Attempt& attempt, const Gang& gang,
                           Candidates& facts) {
  if (gang.succeeded == 0) return;
  std::map<std::string_view, std::vector<int>> done_of_owner;
  for (const int index : attempt.pods) {
    const auto& metadata = attempt.report().pods(index).metadata();
    const auto* const owner = ControllerOf(metadata);
    if (attempt.member(index).succeeded() && owner != nullptr &&
        metadata.has_deletion_timestamp()) {
      done_of_owner[owner->uid()].push_back(index);
    }
  }
  for (const auto& [owner, pods] : done_of_owner) {
    if (!FailedOnlyByDeletion(attempt, gang, owner, pods)) continue;
    AddSign(facts, sign::kDoneThoughDeleted,
            {Root::kPods, pods.front(), "", -1, ".metadata.deletionTimestamp"},
            "set");
  }
}

}  // namespace

void ReadObjects(const Attempt& attempt, const Gang& gang, Candidates& facts,
                 std::optional<std::int32_t>& exit_code) {
  const Context& context = attempt.context;
  const v1::FailureReport& report = context.report;
  ReadCreationError(context, facts);
  ReadQueue(context, facts);
  ReadOperators(context, facts);
  ReadDoneThoughDeleted(attempt, gang, facts);
  if (report.pods().empty()) ReadExit(context, facts, exit_code);
  const std::size_t before = facts.size();
  const bool open = LeavesOpen(context, gang);
  if (!NothingWasCreated(context)) ReadOtherEvents(context, facts);
  if (open) ReadSharedEvents(context, facts);
  WeighOtherEvents(attempt, gang, std::span(facts).subspan(before));
  if (!report.pods().empty() || !open) return;
  for (int i = 0; i < report.nodes_size(); ++i) ReadNode(context, i, facts);
}

}  // namespace mulligan::demystify
