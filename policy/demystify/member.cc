#include "policy/demystify/member.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "absl/strings/numbers.h"
#include "policy/base/characters.h"
#include "policy/base/conditions.h"
#include "policy/base/labels.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/readers/ended_container.h"
#include "policy/demystify/readers/pod_life.h"
#include "policy/demystify/readers/pod_reader.h"
#include "policy/demystify/was_decided.h"
#include "policy/request/pod_marks.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

Seconds BeginOf(const Owners& owners, const core::Pod& pod,
                const PodState& state) {
  const core::ContainerStatus* container = DecidingContainer(pod, state);
  Seconds run = kUnknownTime;
  if (container != nullptr) {
    const bool before = state.cleaned_up &&
                        EndsByStopping(*container, CleanUpBegan(owners, pod));
    const auto& ended = container->state().has_terminated() && !before
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
  const Seconds ready = LastReady(pod.status());
  const bool rejected =
      !reading.state.started && (reading.best.cause == v1::DEVICE_ADMISSION ||
                                 reading.best.cause == v1::CONFIG_MISSING);
  // The kubelet rejects a pod when it first sees it, and writes no other time.
  return Known(ready) || !rejected ? ready : StartingSince(pod);
}

// Numbers the slots of members.
class Slots {
 public:
  explicit Slots(const v1::FailureReport& report) {
    for (const auto& job : report.jobs()) {
      if (job.spec().parallelism() <= 1) {
        single_pod_jobs_.insert(job.metadata().name());
      }
    }
  }

  int Of(const core::Pod& pod) {
    const auto& labels = pod.metadata().labels();
    if (labels.empty()) return -1;
    std::string_view job = LabelOf(labels, "batch.kubernetes.io/job-name");
    if (job.empty()) job = LabelOf(labels, "job-name");
    const std::string_view index = LabelOf(labels, kCompletionIndexLabel);
    if (job.empty() || (index.empty() && single_pod_jobs_.count(job) == 0)) {
      return -1;
    }
    const int next = static_cast<int>(numbers_.size());
    return numbers_.try_emplace(Place(job, index), next).first->second;
  }

 private:
  std::unordered_set<std::string_view> single_pod_jobs_;
  // Job and index.
  using Place = std::pair<std::string_view, std::string_view>;
  struct Hash {
    std::size_t operator()(const Place& place) const {
      const std::hash<std::string_view> hash;
      return 31 * hash(place.first) + hash(place.second);
    }
  };
  std::unordered_map<Place, int, Hash> numbers_;
};

// Returns the restart attempt of a pod; -1 if unknown. If an operator labels
// attempts by name, the current attempt is 1 and all earlier ones are 0. Pods
// without the label, such as KubeRay's submitter, belong to the attempt in
// which they were created.
int AttemptOf(const Owners& owners, const core::Pod& pod) {
  for (const WorkloadView& view : owners.views) {
    if (*view.attempt_label == '\0') continue;
    const std::string_view attempt =
        LabelOf(pod.metadata().labels(), view.attempt_label);
    if (!attempt.empty()) return attempt == view.attempt ? 1 : 0;
    const Seconds created = ToSeconds(pod.metadata().creation_timestamp());
    const Seconds began = view.attempt_began == nullptr
                              ? kUnknownTime
                              : ToSeconds(*view.attempt_began);
    if (Known(created) && Known(began)) return created >= began ? 1 : 0;
  }
  return owners.AttemptOf(pod.metadata());
}

// Labels that mark pods as members of a group.
constexpr std::string_view kGangLabels[] = {
    "jobset.sigs.k8s.io/",
    "leaderworkerset.sigs.k8s.io/",
    "pod-group.scheduling.sigs.k8s.io",
    "ray.io/",
    "scheduling.x-k8s.io/pod-group",
    "spark-role",
    "training.kubeflow.org/",
    "volcano.sh/",
};

bool HasGangLabel(const core::Pod& pod) {
  return std::ranges::any_of(pod.metadata().labels(), [](const auto& label) {
    const std::string_view name = label.first;
    return std::ranges::any_of(kGangLabels, [name](std::string_view key) {
      return name.starts_with(key.front()) && name.starts_with(key);
    });
  });
}

// Returns whether the pod is independent of others: it belongs to a Job and no
// Service makes it known to peers. Indexes of a Job with backoffLimitPerIndex
// are independent. False for a pod without a spec, which shows nothing.
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

// Bounds Member.struck by the creation of the successor, because the node's
// clock may be wrong. A slot has one pod at a time, and an operator stops an
// attempt before it creates the next.
void BoundBySuccessors(const v1::FailureReport& report,
                       std::vector<Member>& members) {
  struct InSlot {
    int slot;
    Seconds created;
    Member* member;
  };
  std::vector<InSlot> in_slots;
  std::map<int, Seconds> first_of_restart;
  for (Member& member : members) {
    const Seconds created = ToSeconds(
        report.pods(member.reading.pod).metadata().creation_timestamp());
    if (!Known(created)) continue;
    in_slots.push_back({member.slot, created, &member});
    Seconds& first =
        first_of_restart.try_emplace(member.restart, created).first->second;
    first = std::min(first, created);
  }
  std::ranges::sort(in_slots, [](const InSlot& a, const InSlot& b) {
    return std::tie(a.slot, a.created) < std::tie(b.slot, b.created);
  });
  for (std::size_t i = 0; i < in_slots.size(); ++i) {
    Member& member = *in_slots[i].member;
    const auto bound = [&member](Seconds created) {
      if (Known(member.struck)) {
        member.struck = std::min(member.struck, created);
      }
    };
    const auto next = first_of_restart.upper_bound(member.restart);
    if (member.restart >= 0 && next != first_of_restart.end()) {
      bound(next->second);
    }
    if (!member.has_slot() || i + 1 == in_slots.size()) continue;
    const InSlot& after = in_slots[i + 1];
    if (after.slot == member.slot && after.created > in_slots[i].created) {
      bound(after.created);
    }
  }
}

// Members whose success is the success of the work.
struct Leader {
  const char* label;
  std::string_view role;
  // It does not need the others, so the time of their deaths is irrelevant.
  bool goes_on_alone;
};

constexpr Leader kLeaders[] = {
    // Spark 3.
    {"spark-role", "driver", true},
    // MPI operator 0.6.
    {"training.kubeflow.org/job-role", "launcher", true},
    // Training operator 1.9.
    {"training.kubeflow.org/replica-type", "launcher", true},
    {"training.kubeflow.org/replica-type", "chief", false},
    {"training.kubeflow.org/replica-type", "master", false},
};

const Leader* LeaderRoleOf(const core::Pod& pod) {
  const auto* const row =
      std::ranges::find_if(kLeaders, [&pod](const Leader& leader) {
        return LabelOf(pod.metadata().labels(), leader.label) == leader.role;
      });
  return row == std::end(kLeaders) ? nullptr : row;
}

// Returns whether the end of `other` no longer matters.
bool Settles(const Leader& role, const Member& leader, const Member& other) {
  // It belongs to a later run.
  if (Before(leader.end, other.begin)) return false;
  return role.goes_on_alone || !other.failed() ||
         !Before(other.struck, leader.end);
}

// Uses the leader that succeeded last, so that each member is checked once.
void SettleFollowers(const v1::FailureReport& report,
                     std::vector<Member>& members) {
  const Member* leader = nullptr;
  const Leader* role = nullptr;
  for (const Member& member : members) {
    if (!member.succeeded() ||
        (leader != nullptr && !Before(leader->end, member.end))) {
      continue;
    }
    const Leader* const its = LeaderRoleOf(report.pods(member.reading.pod));
    if (its == nullptr) continue;
    leader = &member;
    role = its;
  }
  if (leader == nullptr) return;
  for (Member& other : members) {
    other.settled = Settles(*role, *leader, other) &&
                    LeaderRoleOf(report.pods(other.reading.pod)) == nullptr;
  }
}

// Returns whether a member died because of a peer or names one. A connection
// error does not, because it may be to any service.
bool BlamesPeer(const Member& member) {
  const Candidate& best = member.reading.best;
  return member.failed() && ((ClassOf(member.reading) == GangClass::kEcho &&
                              best.cause != v1::DEPENDENCY_UNAVAILABLE) ||
                             (best.flags & kNamesMember) != 0);
}

// Returns the completion index, else the last part of the name.
std::string_view NumberOf(const kubernetes::core::v1::Pod& pod) {
  const std::string_view index =
      LabelOf(pod.metadata().labels(), kCompletionIndexLabel);
  if (!index.empty()) return index;
  const std::string_view name = pod.metadata().name();
  return name.substr(name.find_last_of('-') + 1);
}

// Returns the member that `root` waits for, by rank: "[3] is setting up NCCL
// communicator and retrieving ncclUniqueId from [0]". Requires that the root's
// rank is its number and that exactly one member has the other rank; else -1.
int NamedByRank(const Attempt& attempt, const PodReading& root) {
  static const re2::RE2* const waits =
      new re2::RE2("\\[(\\d+)\\] [^\\n]*? from \\[(\\d+)\\]");
  const re2::StringPiece text(root.best.text.data(), root.best.text.size());
  std::string own;
  std::string other;
  if (!re2::RE2::PartialMatch(text, *waits, &own, &other) || own == other ||
      NumberOf(attempt.report().pods(root.pod)) != own) {
    return -1;
  }
  const auto has_it = [&](int pod) {
    return NumberOf(attempt.report().pods(pod)) == other;
  };
  return std::ranges::count_if(attempt.pods, has_it) == 1
             ? *std::ranges::find_if(attempt.pods, has_it)
             : -1;
}

}  // namespace

bool ContainsName(std::string_view text, std::string_view name) {
  return ContainsWord(text, name,
                      [](char c) { return IsAlphanumeric(c) || c == '-'; });
}

Seconds LastReady(const core::PodStatus& status) {
  const auto* const ready =
      FindCondition(status.conditions(), "Ready", "False");
  return ready == nullptr ? kUnknownTime
                          : ToSeconds(ready->last_transition_time());
}

GangClass ClassOf(const PodReading& member) {
  if (member.state.goes_on()) return GangClass::kRecovered;
  if ((member.best.flags & kPeerEffect) != 0) return GangClass::kEcho;
  const GangClass of_cause = RowOf(member.best.cause).gang;
  // A node that counts as lost for lack of container states proves nothing.
  if (of_cause == GangClass::kHardware && member.best.tier <= Tier::kGeneric) {
    return GangClass::kUnexplained;
  }
  return of_cause;
}

int NamedBy(const Attempt& attempt, const PodReading& root) {
  if ((root.best.flags & kNamesMember) == 0) return -1;
  for (const int pod : attempt.pods) {
    if (pod != root.pod &&
        ContainsName(root.best.text,
                     attempt.report().pods(pod).metadata().name())) {
      return pod;
    }
  }
  return NamedByRank(attempt, root);
}

bool ShowsOnlyItsEnd(const PodReading& member) {
  constexpr std::int32_t kAborted = 128 + 6;
  return FailedByItself(member) && member.best.HasWeight(kExitCodeWeight) &&
         (member.best.tier <= Tier::kGeneric ||
          member.state.exit_code == kAborted);
}

bool MayFollow(const PodReading& member) {
  return ClassOf(member) == GangClass::kUnexplained || ShowsOnlyItsEnd(member);
}

bool FailedByItself(const PodReading& member) {
  const GangClass member_class = ClassOf(member);
  return member.state.end == End::kOwn && (member_class == GangClass::kMemory ||
                                           member_class == GangClass::kOwn);
}

Seconds BeginOfTrouble(const PodReading& member) {
  return Earlier(member.state.finished_at, member.best.at);
}

void BoundByRecords(const WasDecided& was_decided,
                    std::vector<Member>& members) {
  for (Member& member : members) {
    if (!member.failed()) continue;
    const std::optional<Seconds> struck = was_decided(member.reading.pod);
    member.recorded = struck.has_value();
    if (struck && !member.has_slot()) {
      member.struck = Earlier(member.struck, *struck);
    }
  }
}

std::vector<Member> ReadMembers(const Context& context) {
  const int pods = context.report.pods_size();
  std::vector<Member> members(static_cast<std::size_t>(pods));
  for (int i = 0; i < pods; ++i) {
    Member& member = members[static_cast<std::size_t>(i)];
    member.reading = ReadPod(context, i, member.facts);
  }
  // A single pod has no others to compare with.
  Slots slots(context.report);
  for (Member& member : members) {
    const core::Pod& pod = context.report.pods(member.reading.pod);
    member.begin = BeginOf(context.owners, pod, member.reading.state);
    member.end = EndSeconds(pod, member.reading);
    member.struck = member.failed()
                        ? Earlier(member.end, member.reading.state.marked)
                        : member.end;
    member.restart = AttemptOf(context.owners, pod);
    // What the queue stops is deleted.
    member.retried =
        !context.owners.gave_up() && !IsDeleted(pod) &&
        Before(member.struck,
               context.owners.retried_until.value_or(kUnknownTime));
    if (pods == 1) break;
    member.slot = slots.Of(pod);
  }
  if (pods > 1) BoundBySuccessors(context.report, members);
  // If the owner failed for good, the leader's success did not count.
  if (pods > 1 && !context.owners.gave_up()) {
    SettleFollowers(context.report, members);
  }
  if (context.owners.views.empty() &&
      std::ranges::none_of(members, BlamesPeer)) {
    for (Member& member : members) {
      member.alone = WorksAlone(context.report.pods(member.reading.pod));
    }
  }
  return members;
}

}  // namespace mulligan::demystify
