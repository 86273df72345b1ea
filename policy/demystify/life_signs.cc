#include "policy/demystify/life_signs.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "policy/base/labels.h"
#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/member.h"
#include "policy/demystify/readers/ended_container.h"
#include "policy/demystify/readers/pod_life.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/weighing/weighing.h"
#include "policy/request/kinds.h"
#include "policy/request/owner_graph.h"
#include "policy/request/pod_marks.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

// Seconds after which an init container, which may download, may be stuck.
constexpr Seconds kLongInit = 1800;

// Adds an object's statement, which a running pod supports.
bool AddAlive(const Context& context, const Place& place,
              std::string_view value, Seconds at, Candidates& facts) {
  Weigh(Round::kRead, AddSign(facts, sign::kObjectAlive, place, value, at),
        {.runs = std::ranges::any_of(context.report.pods(), PodRuns)});
  return true;
}

// Adds the latest condition that is true. Returns whether there is a status.
bool AddConditions(const Context& context, const WorkloadView& view,
                   Place place, Candidates& facts) {
  const auto at = [&view](int condition) {
    return ToSeconds(view.conditions[condition].last_transition_time());
  };
  int latest = -1;
  for (int i = 0; i < view.conditions.size(); ++i) {
    if (view.conditions[i].status() != "True") continue;
    if (latest < 0 || !Before(at(i), at(latest))) latest = i;
  }
  if (latest >= 0) {
    place.list = ".status.conditions";
    place.item = latest;
    place.leaf = ".type";
    return AddAlive(context, place, view.conditions[latest].type(), at(latest),
                    facts);
  }
  place.leaf = ".status";
  return view.has_status &&
         AddAlive(context, place, "no condition yet", kUnknownTime, facts);
}

bool AddOwner(const Context& context, const WorkloadView& view,
              Candidates& facts) {
  Place place = {Root::kOwner};
  place.owner = &view;
  if (view.state_leaf == nullptr) {
    return AddConditions(context, view, place, facts);
  }
  place.leaf = view.state_leaf;
  // An unknown state says nothing.
  return !view.state.empty() && view.phase != WorkloadPhase::kSilent &&
         AddAlive(context, place, view.state, kUnknownTime, facts);
}

bool AddJob(const Context& context, int index, Candidates& facts) {
  const auto& job = context.report.jobs(index);
  if (job.status().active() <= 0) {
    return AddConditions(context, ViewOf(job), {Root::kJobs, index}, facts);
  }
  AddSign(facts, sign::kPodsActive,
          {Root::kJobs, index, "", -1, ".status.active"}, {})
      .number = job.status().active();
  return true;
}

void AddPod(const Context& context, int index, Candidates& facts) {
  const core::Pod& pod = context.report.pods(index);
  const core::PodStatus& status = pod.status();
  const bool runs = status.phase() == "Running";
  const Seconds since =
      runs ? ToSeconds(status.start_time()) : StartingSince(pod);
  const bool slow =
      InitRuns(pod) && Known(since) && Before(since + kLongInit, context.now);
  const bool warned = std::ranges::any_of(facts, [](const Candidate& fact) {
    return fact.row == &sign::kUnreadWarning;
  });
  const Signature& sign = runs   ? sign::kPodRunning
                          : slow ? sign::kInitRunning
                                 : sign::kPodStarting;
  Weigh(Round::kRead,
        AddSign(facts, sign, {Root::kPods, index, "", -1, ".status.phase"},
                status.phase(), since),
        {.warned = warned});
}

// Prefers a running pod to a starting one; an unknown phase says nothing.
bool AddPods(const Attempt& attempt, Candidates& facts) {
  for (const char* phase : {"Running", "Pending"}) {
    for (const int pod : attempt.pods) {
      if (attempt.member(pod).reading.failing() ||
          attempt.report().pods(pod).status().phase() != phase) {
        continue;
      }
      AddPod(attempt.context, pod, facts);
      return true;
    }
  }
  return false;
}

// Returns whether the pod has failed by its phase, or soon will have, because a
// container failed for good.
bool HasFailed(const core::Pod& pod) {
  if (pod.status().phase() == "Failed") return true;
  return pod.spec().restart_policy() == "Never" &&
         std::ranges::any_of(pod.status().container_statuses(),
                             [&pod](const core::ContainerStatus& status) {
                               return status.state().terminated().exit_code() !=
                                          0 &&
                                      !IsHelper(pod, status.name());
                             });
}

template <typename Object>
bool NamesQueue(const Object& object) {
  return object.metadata().labels().contains("kueue.x-k8s.io/queue-name");
}

// Pods that are replaced while their leader runs.
struct Following {
  const char* role;
  std::string_view follower;
  std::string_view leader;
  const char* group;
};

constexpr Following kFollowings[] = {
    // KubeRay 1.5 replaces them.
    {"ray.io/node-type", "worker", "head", "ray.io/cluster"},
    // Spark 3's driver replaces them.
    {"spark-role", "executor", "driver", "spark-app-selector"},
};

bool IsFollower(const core::Pod& pod) {
  return std::ranges::any_of(kFollowings, [&pod](const Following& kind) {
    return LabelOf(pod.metadata().labels(), kind.role) == kind.follower;
  });
}

// Returns whether the pod's leader is in the report and runs.
bool LeaderRuns(const v1::FailureReport& report, int pod) {
  if (report.pods_size() < 2) return false;
  const auto& labels = report.pods(pod).metadata().labels();
  return std::ranges::any_of(kFollowings, [&](const Following& kind) {
    const std::string_view group = LabelOf(labels, kind.group);
    if (LabelOf(labels, kind.role) != kind.follower || group.empty()) {
      return false;
    }
    return std::ranges::any_of(report.pods(), [&](const core::Pod& other) {
      const auto& of_other = other.metadata().labels();
      return LabelOf(of_other, kind.role) == kind.leader &&
             LabelOf(of_other, kind.group) == group && PodRuns(other) &&
             !IsBeingStopped(other);
    });
  });
}

}  // namespace

bool OwnerContinues(const Context& context, int pod) {
  for (const WorkloadView& view : context.owners.views) {
    if (!view.kind->replaces_parts) continue;
    return view.phase == WorkloadPhase::kRuns &&
           IsFollower(context.report.pods(pod));
  }
  return LeaderRuns(context.report, pod);
}

bool SurvivesWithout(const Context& context, int pod) {
  if (OwnerContinues(context, pod)) return true;
  const auto* const controller =
      ControllerOf(context.report.pods(pod).metadata());
  if (controller == nullptr) return false;
  const auto acts = [&](const WorkloadView& view) {
    const bool mine =
        view.meta->uid() == controller->uid() ||
        (view.kind->replaces_parts && IsFollower(context.report.pods(pod)));
    const bool open = view.phase == WorkloadPhase::kOpen ||
                      view.phase == WorkloadPhase::kRuns ||
                      view.phase == WorkloadPhase::kFailing ||
                      view.phase == WorkloadPhase::kRestarts;
    return mine && open && !controller->uid().empty() &&
           !view.meta->has_deletion_timestamp();
  };
  if (std::ranges::any_of(context.owners.views, acts)) return true;
  if (controller->kind() != "Job") return false;
  return std::ranges::any_of(context.report.jobs(), [&](const auto& job) {
    const WorkloadPhase phase = ViewOf(job).phase;
    const bool at_work =
        phase == WorkloadPhase::kOpen || phase == WorkloadPhase::kRuns;
    return controller->name() == job.metadata().name() && at_work &&
           !job.spec().suspend() && !job.metadata().has_deletion_timestamp();
  });
}

bool JobIsFull(const v1::FailureReport& report) {
  if (report.jobs_size() != 1) return false;
  const auto& spec = report.jobs(0).spec();
  const auto& status = report.jobs(0).status();
  const auto& uncounted = status.uncounted_terminated_pods();
  const std::set<std::string_view> seen(uncounted.failed().begin(),
                                        uncounted.failed().end());
  std::int64_t failed = 0;
  for (const core::Pod& pod : report.pods()) {
    if (!HasFailed(pod) && !IsBeingStopped(pod)) continue;
    ++failed;
    // The Job controller removes it from pods that it has counted.
    const auto& finalizers = pod.metadata().finalizers();
    if (!seen.contains(pod.metadata().uid()) &&
        std::ranges::find(finalizers, "batch.kubernetes.io/job-tracking") !=
            finalizers.end()) {
      return false;
    }
  }
  if (failed == 0 ||
      status.failed() + static_cast<std::int64_t>(seen.size()) < failed) {
    return false;
  }
  std::int64_t wanted = spec.has_parallelism() ? spec.parallelism() : 1;
  if (spec.has_completions()) {
    wanted = std::min<std::int64_t>(wanted, std::int64_t{spec.completions()} -
                                                status.succeeded() -
                                                uncounted.succeeded_size());
  }
  return wanted > 0 && status.active() >= wanted;
}

bool OperatorRestarts(const Candidates& facts, Seconds began) {
  return std::ranges::any_of(facts, [began](const Candidate& fact) {
    return (fact.flags & kRestarting) != 0 && !Before(fact.at, began);
  });
}

Seconds RequeuedUntil(const Context& context) {
  const auto& workload = context.report.kueue_workload();
  const auto& status = workload.status();
  const bool active = !workload.spec().has_active() || workload.spec().active();
  if (!active || !IsTrue(status.conditions(), "Evicted")) return kUnknownTime;
  // The queue stops the parts that still run.
  const Seconds at = ToSeconds(status.requeue_state().requeue_at());
  if (Before(context.now, at)) return at;
  if (!std::ranges::all_of(context.report.jobs(), [](const auto& job) {
        return job.spec().suspend();
      })) {
    return kUnknownTime;
  }
  // Preemptions by the queue have a cause of their own.
  const bool preempted = IsTrue(status.conditions(), "Preempted");
  return IsTrue(status.conditions(), "Requeued") && !preempted ? context.now
                                                               : kUnknownTime;
}

void AddLifeSign(const Attempt& attempt, Candidates& facts) {
  const Context& context = attempt.context;
  // Owners come before what they own. A cluster shows less than its pods.
  const auto& views = context.owners.views;
  for (const WorkloadView& view : views) {
    if (view.phase != WorkloadPhase::kSilent &&
        AddOwner(context, view, facts)) {
      return;
    }
  }
  const int jobs = context.report.jobs_size();
  const int newest = jobs > 1 ? context.owners.NewestAttempt() : -1;
  for (int i = 0; i < jobs; ++i) {
    // Jobs that were replaced are ignored.
    if (context.owners.AttemptOf(context.report.jobs(i).metadata()) >= newest &&
        AddJob(context, i, facts)) {
      return;
    }
  }
  if (AddPods(attempt, facts)) return;
  for (const WorkloadView& view : views) {
    if (AddOwner(context, view, facts)) return;
  }
  if (const auto queue = QueueIn(context.report)) {
    AddConditions(context, *queue, {Root::kWorkload}, facts);
  }
}

Seconds StuckAt(const Context& context, const std::vector<int>& pods) {
  Seconds stuck = kUnknownTime;
  for (const int index : pods) {
    const core::Pod& pod = context.report.pods(index);
    if (pod.status().phase() != "Pending" || InitRuns(pod)) continue;
    stuck = Earlier(stuck, StartingSince(pod));
  }
  return Known(stuck) ? stuck + kStuck + 1 : kUnknownTime;
}

bool MayBeQueued(const Owners& owners) {
  // Other owners may pass the label on differently.
  const auto& jobs = owners.report.jobs();
  const auto& pods = owners.report.pods();
  return jobs.empty() || !owners.views.empty() ||
         std::ranges::any_of(jobs, NamesQueue<kubernetes::batch::v1::Job>) ||
         std::ranges::any_of(pods, NamesQueue<kubernetes::core::v1::Pod>);
}

}  // namespace mulligan::demystify
