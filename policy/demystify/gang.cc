#include "policy/demystify/gang.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "absl/strings/numbers.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

// Order of classes within an incident: what breaks below takes down what runs
// above it.
enum class MemberClass : std::uint8_t {
  kHardware,
  kDisruption,
  kMemory,
  kOwn,
  kUnexplained,
  kEcho,
  kRecovered,
};

MemberClass ClassOfCause(v1::Cause cause) {
  switch (cause) {
    case v1::GPU_FAULT:
    case v1::FABRIC_FAULT:
    case v1::NODE_LOST:
      return MemberClass::kHardware;
    case v1::PREEMPTED_QUEUE:
    case v1::PREEMPTED_SCHEDULER:
    case v1::SPOT_RECLAIMED:
    case v1::DRAINED:
    case v1::TAINT_EVICTED:
    case v1::NODE_SHUTDOWN:
    case v1::NODE_PRESSURE_EVICTED:
    case v1::DEVICE_ADMISSION:
    case v1::SUSPENDED:
      return MemberClass::kDisruption;
    case v1::CONTAINER_OOM:
    case v1::HOST_OOM:
    case v1::GPU_OOM:
    case v1::STORAGE_EXHAUSTED:
      return MemberClass::kMemory;
    case v1::SIGTERM_UNEXPLAINED:
    case v1::SIGKILL_UNEXPLAINED:
    case v1::UNKNOWN:
      return MemberClass::kUnexplained;
    case v1::COLLECTIVE_CASCADE:
    case v1::RENDEZVOUS_FAILED:
      return MemberClass::kEcho;
    default:
      return MemberClass::kOwn;
  }
}

MemberClass ClassOf(const PodReading& member) {
  if (member.state.recovered) return MemberClass::kRecovered;
  if ((member.best.flags & kPeerEffect) != 0) return MemberClass::kEcho;
  const MemberClass of_cause = ClassOfCause(member.best.cause);
  // A node that is lost by default (no container status) proves nothing.
  if (of_cause == MemberClass::kHardware &&
      member.best.tier <= Tier::kGeneric) {
    return MemberClass::kUnexplained;
  }
  return of_cause;
}

// When trouble began for a member.
Seconds BeginOf(const PodReading& member) {
  return Earlier(member.state.finished_at, member.best.at);
}

bool IsAnnounced(MemberClass member_class) {
  return member_class == MemberClass::kHardware ||
         member_class == MemberClass::kDisruption;
}

bool FailedByItself(const PodReading& member, MemberClass member_class) {
  return member.state.end == End::kOwn &&
         (member_class == MemberClass::kMemory ||
          member_class == MemberClass::kOwn);
}

// Whether `a` is root rather than `b`.
bool Precedes(const PodReading& a, const PodReading& b) {
  const MemberClass class_a = ClassOf(a);
  const MemberClass class_b = ClassOf(b);
  const Seconds begin_a = BeginOf(a);
  const Seconds begin_b = BeginOf(b);
  const auto well_before = [](Seconds x, Seconds y) {
    return Known(x) && Known(y) && x + kClockSkew < y;
  };
  if (class_a != class_b) {
    if (IsAnnounced(class_b) && FailedByItself(a, class_a) &&
        well_before(begin_a, begin_b)) {
      return true;
    }
    if (IsAnnounced(class_a) && FailedByItself(b, class_b) &&
        well_before(begin_b, begin_a)) {
      return false;
    }
    return class_a < class_b;
  }
  if (well_before(begin_a, begin_b)) return true;
  if (well_before(begin_b, begin_a)) return false;
  if (a.best.tier != b.best.tier) return a.best.tier > b.best.tier;
  if (a.best.confidence != b.best.confidence) {
    return a.best.confidence > b.best.confidence;
  }
  if (Before(begin_a, begin_b)) return true;
  if (Before(begin_b, begin_a)) return false;
  return Stronger(a.best, b.best);
}

template <typename Map>
std::string_view Label(const Map& labels, const char* key) {
  const auto found = labels.find(key);
  return found == labels.end() ? std::string_view() : found->second;
}

// Leaves out pods that a later attempt has replaced: lower JobSet attempts,
// and pods of one completion index (or of a Job that runs one pod at a time)
// that ended before their successor began.
class Attempts {
 public:
  explicit Attempts(const Context& context) : context_(context) {
    const auto& pods = context.report.pods();
    if (pods.size() < 2) return;
    for (const auto& job : context.report.jobs()) {
      if (job.spec().parallelism() <= 1) {
        single_pod_jobs_.insert(job.metadata().name());
      }
    }
    for (const core::Pod& pod : pods) {
      if (pod.metadata().labels().empty()) continue;
      newest_ = std::max(newest_, RestartOf(pod));
      const std::string member = MemberOf(pod);
      if (member.empty()) continue;
      const Seconds start = ToSeconds(pod.status().start_time());
      Seconds& last = starts_.try_emplace(member, start).first->second;
      last = std::max(last, start);
    }
  }

  bool IsSuperseded(const PodReading& reading) const {
    if (newest_ < 0 && starts_.empty()) return false;
    const core::Pod& pod = context_.report.pods(reading.pod);
    if (pod.metadata().labels().empty()) return false;
    if (newest_ >= 0 && RestartOf(pod) >= 0 && RestartOf(pod) < newest_) {
      return true;
    }
    const auto found = starts_.find(MemberOf(pod));
    return found != starts_.end() &&
           Before(reading.state.finished_at, found->second);
  }

 private:
  static int RestartOf(const core::Pod& pod) {
    int attempt = -1;
    const std::string_view label =
        Label(pod.metadata().labels(), "jobset.sigs.k8s.io/restart-attempt");
    if (!absl::SimpleAtoi({label.data(), label.size()}, &attempt)) return -1;
    return attempt;
  }

  std::string MemberOf(const core::Pod& pod) const {
    const auto& labels = pod.metadata().labels();
    std::string_view job = Label(labels, "batch.kubernetes.io/job-name");
    if (job.empty()) job = Label(labels, "job-name");
    const std::string_view index =
        Label(labels, "batch.kubernetes.io/job-completion-index");
    if (job.empty() || (index.empty() && !RunsOnePod(job))) return {};
    std::string member(job);
    member.push_back('/');
    return member.append(index);
  }

  bool RunsOnePod(std::string_view job) const {
    return single_pod_jobs_.count(job) > 0;
  }

  const Context& context_;
  int newest_ = -1;
  std::unordered_set<std::string_view> single_pod_jobs_;
  std::unordered_map<std::string, Seconds> starts_;
};

// Whether a member died because of the root: echoes, kills, and plain errors
// that came no earlier than the root's own trouble.
bool IsCascade(const PodReading& member, const PodReading& root) {
  const MemberClass of_member = ClassOf(member);
  const MemberClass of_root = ClassOf(root);
  if (of_member == MemberClass::kRecovered) return false;
  const bool later =
      !Known(member.state.finished_at) ||
      !Before(member.state.finished_at + kClockSkew, BeginOf(root));
  if (of_member == MemberClass::kEcho) {
    return of_root != MemberClass::kEcho ||
           (member.best.cause != root.best.cause && later);
  }
  if (!later) return false;
  if (of_member == MemberClass::kUnexplained) {
    return of_root < MemberClass::kUnexplained;
  }
  const bool plain =
      member.best.tier <= Tier::kConvention && of_member == MemberClass::kOwn;
  return plain && (of_root < MemberClass::kOwn ||
                   (root.best.tier > member.best.tier &&
                    member.best.cause != root.best.cause));
}

// Whose facts explain the answer.
int SubjectOf(const Gang& gang) {
  if (gang.root >= 0) return gang.root;
  return gang.first_succeeded;
}

}  // namespace

Gang ReadGang(const Context& context, Candidates& facts) {
  Gang gang;
  const int pods = context.report.pods_size();
  const Attempts attempts(context);
  std::vector<PodReading> members;
  if (pods > 1) members.reserve(static_cast<std::size_t>(pods));
  PodReading root;
  for (int i = 0; i < pods; ++i) {
    facts.clear();
    const PodReading reading = ReadPod(context, i, facts);
    if (!reading.failing()) {
      ++gang.healthy;
    } else if (reading.best.cause == v1::SUCCEEDED) {
      if (gang.succeeded++ == 0) gang.first_succeeded = i;
      if (reading.state.phase == Phase::kFailed &&
          gang.succeeded_as_failed < 0) {
        gang.succeeded_as_failed = i;
      }
    } else if (!attempts.IsSuperseded(reading)) {
      ++gang.failing;
      if (!root.failing() || Precedes(reading, root)) root = reading;
      if (pods > 1) members.push_back(reading);
    }
  }
  gang.root = root.pod;
  const int subject = SubjectOf(gang);
  if (pods > 1 && subject >= 0) {
    facts.clear();
    root = ReadPod(context, subject, facts);
  }
  if (gang.root < 0) return gang;
  gang.cause = root.best;
  gang.state = root.state;
  gang.rootless = ClassOf(root) == MemberClass::kEcho && gang.failing > 1;
  for (const PodReading& member : members) {
    if (member.pod != gang.root && IsCascade(member, root)) {
      gang.cascades.push_back(member);
    }
  }
  return gang;
}

}  // namespace mulligan::demystify
