#include "policy/demystify/member.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "absl/strings/numbers.h"
#include "policy/base/labels.h"
#include "policy/demystify/life_signs.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

Seconds BeginOf(const core::Pod& pod, const PodState& state) {
  const core::ContainerStatus* container = DecidingContainer(pod, state);
  Seconds run = kUnknownTime;
  if (container != nullptr) {
    const auto& ended = container->state().has_terminated()
                            ? container->state().terminated()
                            : container->last_state().terminated();
    run = ToSeconds(ended.started_at());
    // The pod is older than this run of its container.
    if (container->restart_count() > 0) return run;
  }
  return Earlier(ToSeconds(pod.metadata().creation_timestamp()),
                 Earlier(ToSeconds(pod.status().start_time()), run));
}

Seconds EndSeconds(const core::Pod& pod, const PodReading& reading) {
  if (Known(reading.state.finished_at)) return reading.state.finished_at;
  if (reading.state.phase != Phase::kFailed) return kUnknownTime;
  if (Known(reading.best.at)) return reading.best.at;
  return LastReady(pod.status());
}

// An object that runs pods together.
bool HasGangOwner(const v1::FailureReport& report) {
  return report.has_job_set() || report.has_train_job() ||
         report.has_kubeflow_job() || report.has_ray_job() ||
         report.has_ray_cluster() || report.has_spark_application();
}

// Fills the slots of members.
class Slots {
 public:
  explicit Slots(const v1::FailureReport& report) {
    for (const auto& job : report.jobs()) {
      if (job.spec().parallelism() <= 1) {
        single_pod_jobs_.insert(job.metadata().name());
      }
    }
  }

  std::string Of(const core::Pod& pod) const {
    const auto& labels = pod.metadata().labels();
    if (labels.empty()) return {};
    std::string_view job = LabelOf(labels, "batch.kubernetes.io/job-name");
    if (job.empty()) job = LabelOf(labels, "job-name");
    const std::string_view index =
        LabelOf(labels, "batch.kubernetes.io/job-completion-index");
    if (job.empty() || (index.empty() && single_pod_jobs_.count(job) == 0)) {
      return {};
    }
    std::string slot(job);
    slot.push_back('/');
    return slot.append(index);
  }

 private:
  std::unordered_set<std::string_view> single_pod_jobs_;
};

// Whether `later` began after `earlier` had been struck; false where no time
// tells.
bool BeganAfter(const Member& later, Seconds earlier_begin,
                Seconds earlier_struck) {
  if (!Known(later.begin) || !Known(earlier_struck)) return false;
  if (later.begin != earlier_struck) return later.begin > earlier_struck;
  return earlier_begin != earlier_struck;
}

// Whether KubeRay has made a cluster anew, or is about to (KubeRay 1.5: the
// status of the attempt before is emptied but for its counters).
bool HasRetried(const kubernetes::ray::v1::RayJob& job) {
  return job.status().failed() > 0 &&
         job.status().job_deployment_status() != "Failed";
}

// The restart attempt that a pod is of; -1: nothing tells. Of a RayJob that was
// retried its own cluster is 1, and all before it 0.
int AttemptOf(const v1::FailureReport& report, const core::Pod& pod) {
  const std::string_view cluster =
      LabelOf(pod.metadata().labels(), "ray.io/cluster");
  if (!cluster.empty() && HasRetried(report.ray_job())) {
    return cluster == report.ray_job().status().ray_cluster_name() ? 1 : 0;
  }
  return RestartAttemptOf(pod.metadata());
}

// Labels by which others hold pods together.
constexpr std::string_view kGangLabels[] = {
    "jobset.sigs.k8s.io/",           "leaderworkerset.sigs.k8s.io/",
    "pod-group.scheduling.sigs.k8s.io", "ray.io/",
    "scheduling.x-k8s.io/pod-group", "spark-role",
    "training.kubeflow.org/",        "volcano.sh/",
};

bool HasGangLabel(const core::Pod& pod) {
  return std::ranges::any_of(pod.metadata().labels(), [](const auto& label) {
    return std::ranges::any_of(kGangLabels, [&label](std::string_view key) {
      return std::string_view(label.first).starts_with(key);
    });
  });
}

// Whether nothing about the pod tells that it shares a fate with others: a pod
// of a Job that no Service makes known to its peers. The Job controller says of
// the indexes of one with backoffLimitPerIndex that they fail on their own. A
// pod that was cut down tells nothing.
bool WorksAlone(const core::Pod& pod) {
  const auto& metadata = pod.metadata();
  if (!LabelOf(metadata.annotations(),
               "batch.kubernetes.io/job-index-failure-count")
           .empty()) {
    return true;
  }
  const auto& owners = metadata.owner_references();
  return owners.size() == 1 && owners[0].kind() == "Job" &&
         !pod.spec().containers().empty() && pod.spec().subdomain().empty() &&
         !HasGangLabel(pod);
}

// Their words: a member that died of a peer, or that names it.
bool SpeaksOfOthers(const Member& member) {
  return member.failed() && (ClassOf(member.reading) == GangClass::kEcho ||
                             (member.reading.best.flags & kNamesMember) != 0);
}

// A member that may have followed the other, by its time alone.
bool IsNear(Seconds a, Seconds b) {
  return Known(a) && Known(b) && a <= b + kClockSkew && b <= a + kClockSkew;
}

// The failed members of one attempt, while they are collected in the order of
// their ends.
struct OpenIncident {
  std::vector<int> pods;
  // Of the member that was struck first.
  Seconds first_begin = kUnknownTime;
  Seconds first_struck = kUnknownTime;
  // Of the member that was struck last.
  Seconds last_begin = kUnknownTime;
  Seconds last_struck = kUnknownTime;
  int restart = -1;
  bool alone = false;
  // None of them says more than that it ended.
  bool silent = true;
  // All of them died of another member.
  bool echoes = true;
  std::unordered_set<std::string_view> slots;

  bool Takes(const Member& member) const {
    if (member.restart != restart) return false;
    if (alone && (!IsNear(member.struck, last_struck) ||
                  !(silent || MayFollow(member.reading)))) {
      return false;
    }
    if (!member.slot.empty() && slots.count(member.slot) > 0) return false;
    if (BeganAfter(member, first_begin, first_struck)) return false;
    const bool late = Known(first_struck) && Known(member.struck) &&
                      member.struck > first_struck + kIncidentSpan;
    return !(late && FailedByItself(member.reading));
  }

  void Add(const Member& member) {
    if (pods.empty()) {
      first_begin = member.begin;
      first_struck = member.struck;
      restart = member.restart;
      alone = member.alone;
    }
    silent = silent && MayFollow(member.reading);
    echoes = echoes && ClassOf(member.reading) == GangClass::kEcho;
    pods.push_back(member.reading.pod);
    last_begin = member.begin;
    last_struck = member.struck;
    if (!member.slot.empty()) slots.insert(member.slot);
  }
};

class Splitter {
 public:
  Splitter(const std::vector<Member>& members, const OwnerAttempts& owner,
           const std::function<bool(int)>& is_decided)
      : members_(members), owner_(owner), is_decided_(is_decided) {}

  Attempts Split() {
    FindSuccessors();
    std::vector<OpenIncident> incidents = Collect();
    Attempts attempts;
    const std::size_t at_hand = AtHand(incidents);
    attempts.moved_on = !incidents.empty() && at_hand == incidents.size();
    std::vector<bool> is_past(members_.size(), false);
    for (std::size_t i = 0; i < incidents.size(); ++i) {
      if (i == at_hand) continue;
      const bool open = incidents[i].alone && !IsOver(incidents[i]) &&
                        !IsFollowed(incidents, i);
      std::vector<int>& pods = incidents[i].pods;
      for (const int pod : pods) is_past[At(pod)] = true;
      std::ranges::sort(pods);
      attempts.earlier.push_back({std::move(pods), open});
    }
    for (const Member& member : members_) {
      const int pod = member.reading.pod;
      // Pods of an older restart are on their way out.
      if (is_past[At(pod)]) continue;
      if (IsOldRestart(member) && !member.ended()) continue;
      attempts.current.push_back(pod);
    }
    return attempts;
  }

 private:
  static std::size_t At(int pod) { return static_cast<std::size_t>(pod); }

  bool IsOldRestart(const Member& member) const {
    return member.restart >= 0 && member.restart < owner_.newest;
  }

  // Whether a later incident is of the pod that took the place of this one.
  bool IsFollowed(const std::vector<OpenIncident>& incidents,
                  std::size_t number) const {
    const OpenIncident& incident = incidents[number];
    return std::any_of(
        incidents.begin() + static_cast<std::ptrdiff_t>(number) + 1,
        incidents.end(), [&incident, this](const OpenIncident& later) {
          if (!incident.slots.empty()) {
            return std::ranges::any_of(incident.slots, [&later](auto slot) {
              return later.slots.contains(slot);
            });
          }
          return BeganAfter(members_[At(later.pods.front())],
                            incident.last_begin, incident.last_struck);
        });
  }

  // The number of the incident at hand; their count: all are over.
  std::size_t AtHand(const std::vector<OpenIncident>& incidents) const {
    const std::size_t none = incidents.size();
    if (none == 0 || owner_.gave_up) return none - (none == 0 ? 0 : 1);
    std::size_t last = none;
    for (std::size_t i = none; i-- > 0;) {
      if (!IsOver(incidents[i])) {
        if (last == none) last = i;
        const bool decided =
            is_decided_ && is_decided_(incidents[i].pods.front());
        if (!decided) return i;
      }
      // What came before a gang's last attempt is past.
      if (!incidents[i].alone) break;
    }
    return last;
  }

  // Where pods that live or succeeded are, and when the latest of them began.
  void FindSuccessors() {
    for (const Member& member : members_) {
      if (member.ended()) continue;
      if (member.slot.empty()) {
        if (Known(member.begin) &&
            (latest_ == nullptr || latest_->begin < member.begin)) {
          latest_ = &member;
        }
      } else {
        const Member*& last = in_slot_[member.slot];
        if (last == nullptr || Before(last->begin, member.begin)) {
          last = &member;
        }
      }
    }
  }

  bool IsReplaced(const Member& member) const {
    if (member.slot.empty()) return false;
    const auto found = in_slot_.find(member.slot);
    if (found == in_slot_.end()) return false;
    const Member& other = *found->second;
    if (Known(other.begin) && Known(member.struck)) {
      return BeganAfter(other, member.begin, member.struck);
    }
    return other.reading.pod > member.reading.pod;
  }

  // Ended members by the incident they belong to, oldest first.
  std::vector<OpenIncident> Collect() const {
    std::vector<const Member*> ended;
    for (const Member& member : members_) {
      if (member.ended()) ended.push_back(&member);
    }
    std::ranges::stable_sort(ended, [](const Member* a, const Member* b) {
      if (a->restart != b->restart) {
        return a->restart < b->restart;
      }
      // Without an end: with those that ended last.
      if (!Known(a->struck)) return false;
      return !Known(b->struck) || a->struck < b->struck;
    });
    std::vector<OpenIncident> incidents;
    // Replaced ones first: they are over even if others of their time are not,
    // but for those that died with them and wait for their turn.
    for (const bool replaced : {true, false}) {
      const std::size_t first = incidents.size();
      for (const Member* member : ended) {
        if (IsReplaced(*member) != replaced) continue;
        const bool joins =
            !incidents.empty() && incidents.back().Takes(*member) &&
            (incidents.size() > first || incidents.back().echoes ||
             ClassOf(member->reading) == GangClass::kEcho);
        if (!joins) incidents.emplace_back();
        incidents.back().Add(*member);
      }
    }
    return incidents;
  }

  bool IsOver(const OpenIncident& incident) const {
    if (owner_.full ||
        (incident.restart >= 0 && incident.restart < owner_.newest)) {
      return true;
    }
    if (incident.slots.empty()) {
      return latest_ != nullptr &&
             BeganAfter(*latest_, incident.last_begin, incident.last_struck);
    }
    return incident.slots.size() == incident.pods.size() &&
           std::ranges::all_of(incident.pods, [this](int pod) {
             return IsReplaced(members_[At(pod)]);
           });
  }

  const std::vector<Member>& members_;
  const OwnerAttempts& owner_;
  const std::function<bool(int)>& is_decided_;
  const Member* latest_ = nullptr;
  std::unordered_map<std::string_view, const Member*> in_slot_;
};

}  // namespace

Seconds LastReady(const core::PodStatus& status) {
  for (const core::PodCondition& condition : status.conditions()) {
    if (condition.type() == "Ready" && condition.status() == "False") {
      return ToSeconds(condition.last_transition_time());
    }
  }
  return kUnknownTime;
}

int RestartAttemptOf(const kubernetes::meta::v1::ObjectMeta& metadata) {
  int attempt = -1;
  const std::string_view label =
      LabelOf(metadata.labels(), "jobset.sigs.k8s.io/restart-attempt");
  return absl::SimpleAtoi({label.data(), label.size()}, &attempt) ? attempt
                                                                  : -1;
}

int NewestRestartAttempt(const v1::FailureReport& report) {
  int newest = -1;
  for (const auto& job : report.jobs()) {
    newest = std::max(newest, RestartAttemptOf(job.metadata()));
  }
  for (const auto& pod : report.pods()) {
    newest = std::max(newest, RestartAttemptOf(pod.metadata()));
  }
  if (HasRetried(report.ray_job())) return 1;
  // Labels and status of one object are of two moments: what carries no label
  // is of a JobSet that was cut down.
  return newest < 0 ? newest
                    : std::max(newest, report.job_set().status().restarts());
}

GangClass ClassOf(const PodReading& member) {
  if (member.state.goes_on()) return GangClass::kRecovered;
  if ((member.best.flags & kPeerEffect) != 0) return GangClass::kEcho;
  const GangClass of_cause = RowOf(member.best.cause).gang;
  // A node that is lost by default (no container status) proves nothing.
  if (of_cause == GangClass::kHardware && member.best.tier <= Tier::kGeneric) {
    return GangClass::kUnexplained;
  }
  return of_cause;
}

bool SaysNothing(const PodReading& member) {
  constexpr std::int32_t kAborted = 128 + 6;
  return FailedByItself(member) && member.best.IsOf(kExitCodeWeight) &&
         (member.best.tier <= Tier::kGeneric ||
          member.state.exit_code == kAborted);
}

bool MayFollow(const PodReading& member) {
  return ClassOf(member) == GangClass::kUnexplained || SaysNothing(member);
}

bool FailedByItself(const PodReading& member) {
  const GangClass member_class = ClassOf(member);
  return member.state.end == End::kOwn && (member_class == GangClass::kMemory ||
                                           member_class == GangClass::kOwn);
}

Seconds BeginOfTrouble(const PodReading& member) {
  return Earlier(member.state.finished_at, member.best.at);
}

std::vector<Member> ReadMembers(const Context& context, Candidates& facts) {
  const int pods = context.report.pods_size();
  std::vector<Member> members(static_cast<std::size_t>(pods));
  for (int i = 0; i < pods; ++i) {
    Member& member = members[static_cast<std::size_t>(i)];
    facts.clear();
    member.reading = ReadPod(context, i, facts);
  }
  // A pod alone has nobody to be compared with, but its end is its own.
  const Slots slots(context.report);
  for (Member& member : members) {
    const core::Pod& pod = context.report.pods(member.reading.pod);
    member.begin = BeginOf(pod, member.reading.state);
    member.end = EndSeconds(pod, member.reading);
    member.struck = member.failed()
                        ? Earlier(member.end, member.reading.state.marked)
                        : member.end;
    member.restart = AttemptOf(context.report, pod);
    member.alone = WorksAlone(pod);
    if (pods == 1) break;
    member.slot = slots.Of(pod);
  }
  if (HasGangOwner(context.report) ||
      std::ranges::any_of(members, SpeaksOfOthers)) {
    for (Member& member : members) member.alone = false;
  }
  return members;
}

OwnerAttempts OwnerAttemptsOf(const v1::FailureReport& report) {
  return {NewestRestartAttempt(report), OwnerGaveUp(report), JobIsFull(report)};
}

Attempts SplitAttempts(const std::vector<Member>& members,
                       const OwnerAttempts& owner,
                       const std::function<bool(int)>& is_decided) {
  if (members.size() == 1 && members.front().restart >= owner.newest &&
      !owner.full) {
    return {{}, {0}, false};
  }
  return Splitter(members, owner, is_decided).Split();
}

}  // namespace mulligan::demystify
