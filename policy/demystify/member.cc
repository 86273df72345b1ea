#include "policy/demystify/member.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "absl/strings/numbers.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

template <typename Map>
std::string_view Label(const Map& labels, const char* key) {
  const auto found = labels.find(key);
  return found == labels.end() ? std::string_view() : found->second;
}

const core::ContainerStatus* DecidingContainer(const core::Pod& pod,
                                               const PodState& state) {
  const auto& statuses = state.init ? pod.status().init_container_statuses()
                                    : pod.status().container_statuses();
  if (state.container < 0 || state.container >= statuses.size()) return nullptr;
  return &statuses[state.container];
}

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

// When a pod without container states stopped being ready.
Seconds LastReady(const core::PodStatus& status) {
  for (const core::PodCondition& condition : status.conditions()) {
    if (condition.type() == "Ready" && condition.status() == "False") {
      return ToSeconds(condition.last_transition_time());
    }
  }
  return kUnknownTime;
}

Seconds EndSeconds(const core::Pod& pod, const PodReading& reading) {
  if (Known(reading.state.finished_at)) return reading.state.finished_at;
  if (reading.state.phase != Phase::kFailed) return kUnknownTime;
  if (Known(reading.best.at)) return reading.best.at;
  return LastReady(pod.status());
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
    std::string_view job = Label(labels, "batch.kubernetes.io/job-name");
    if (job.empty()) job = Label(labels, "job-name");
    const std::string_view index =
        Label(labels, "batch.kubernetes.io/job-completion-index");
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

}  // namespace

int RestartAttemptOf(const kubernetes::meta::v1::ObjectMeta& metadata) {
  if (metadata.labels().empty()) return -1;
  int attempt = -1;
  const std::string_view label =
      Label(metadata.labels(), "jobset.sigs.k8s.io/restart-attempt");
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
  return newest;
}

GangClass ClassOf(const PodReading& member) {
  if (member.state.recovered) return GangClass::kRecovered;
  if ((member.best.flags & kPeerEffect) != 0) return GangClass::kEcho;
  const GangClass of_cause = RowOf(member.best.cause).gang;
  // A node that is lost by default (no container status) proves nothing.
  if (of_cause == GangClass::kHardware && member.best.tier <= Tier::kGeneric) {
    return GangClass::kUnexplained;
  }
  return of_cause;
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
    if (pods == 1) break;
    member.restart = RestartAttemptOf(pod.metadata());
    member.slot = slots.Of(pod);
  }
  return members;
}

}  // namespace mulligan::demystify
