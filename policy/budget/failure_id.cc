#include "policy/budget/failure_id.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "policy/base/stable_hash.h"
#include "policy/base/times.h"
#include "policy/budget/ledger.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/member.h"
#include "policy/demystify/readers/readers.h"
#include "policy/request/kubernetes_codec.h"

namespace mulligan {
namespace {

namespace core = kubernetes::core::v1;
using kubernetes::meta::v1::ObjectMeta;

void AddTime(const google::protobuf::Timestamp& time, StableHash& hash) {
  hash.Add(static_cast<std::uint64_t>(time.seconds()))
      .Add(static_cast<std::uint64_t>(time.nanos()));
}

void AddObject(const ObjectMeta& object, StableHash& hash) {
  if (!object.uid().empty()) {
    hash.Add(object.uid());
  } else {
    hash.Add(object.namespace_()).Add(object.name());
  }
}

// A sum of hashes: equal in any order.
struct Unordered {
  std::uint64_t sum = 0;
  // Something was seen that another failure would not repeat.
  bool distinct = false;
};

// A container that crashed has ended restartCount+1 times before the kubelet
// restarts it, also while that waits, and restartCount times after: the same
// number. The end of one that is being stopped counts before it comes.
std::int64_t Endings(const core::ContainerStatus& status, bool stopping) {
  const bool ended =
      status.state().has_terminated() || demystify::IsWaitingForRestart(status);
  const bool ends = stopping && status.state().has_running();
  return std::int64_t{status.restart_count()} + (ended || ends ? 1 : 0);
}

// How often the pod has failed: as often as the one of its main containers that
// ended most often, or of its init containers before those. A pod whose end
// nobody described further has ended once.
std::int64_t Endings(const core::Pod& pod) {
  const bool stopping = demystify::IsBeingStopped(pod);
  std::int64_t endings = 0;
  for (const core::ContainerStatus& status :
       pod.status().container_statuses()) {
    if (demystify::IsHelper(pod, status.name())) continue;
    endings = std::max(endings, Endings(status, stopping));
  }
  if (endings > 0) return endings;
  for (const core::ContainerStatus& status :
       pod.status().init_container_statuses()) {
    endings = std::max(endings, Endings(status, stopping));
  }
  const bool ended = stopping || pod.status().phase() == "Failed";
  return std::max<std::int64_t>(endings, ended ? 1 : 0);
}

// The end of the container that ended last; the zero time when none did.
google::protobuf::Timestamp LastEnd(const core::Pod& pod) {
  google::protobuf::Timestamp last;
  for (const core::ContainerStatus& status :
       pod.status().container_statuses()) {
    const auto& ended = status.state().has_terminated()
                            ? status.state().terminated()
                            : status.last_state().terminated();
    if (ended.finished_at().seconds() > last.seconds()) {
      last = ended.finished_at();
    }
  }
  return last;
}

// Adds the pod as the root of a failure; whether that tells failures apart.
bool AddRoot(const core::Pod& pod, StableHash& hash) {
  AddObject(pod.metadata(), hash);
  hash.Add(static_cast<std::uint64_t>(Endings(pod)));
  if (!pod.metadata().uid().empty()) return true;
  // Pods of one name follow each other; only a time tells them apart.
  const google::protobuf::Timestamp end = LastEnd(pod);
  AddTime(end, hash);
  return end.seconds() != 0;
}

template <typename Conditions>
void AddFailedCondition(const Conditions& conditions, StableHash& hash,
                        bool& distinct) {
  for (const auto& condition : conditions) {
    if (condition.status() != "True") continue;
    if (condition.type() == "Failed" || condition.type() == "Evicted" ||
        condition.type() == "FailureTarget") {
      hash.Add(condition.type());
      AddTime(condition.last_transition_time(), hash);
      distinct = distinct || condition.last_transition_time().seconds() != 0;
    }
  }
}

Unordered HashJobs(const v1::FailureReport& report) {
  Unordered all;
  for (const auto& job : report.jobs()) {
    StableHash hash;
    AddObject(job.metadata(), hash);
    hash.Add(static_cast<std::uint64_t>(job.status().failed()));
    AddFailedCondition(job.status().conditions(), hash, all.distinct);
    all.distinct = all.distinct || job.status().failed() > 0;
    all.sum += hash.value();
  }
  return all;
}

bool AddResources(const v1::FailureReport& report, StableHash& hash) {
  bool distinct = false;
  if (report.has_ray_job()) {
    const auto& status = report.ray_job().status();
    hash.Add(status.job_id()).Add(status.ray_cluster_name());
    AddTime(status.start_time(), hash);
    distinct = !status.job_id().empty() || !status.ray_cluster_name().empty() ||
               status.start_time().seconds() != 0;
  }
  if (report.has_job_set()) {
    const auto& status = report.job_set().status();
    hash.Add(static_cast<std::uint64_t>(status.restarts()));
    distinct = distinct || status.has_restarts();
    AddFailedCondition(status.conditions(), hash, distinct);
  }
  if (report.has_spark_application()) {
    const auto& status = report.spark_application().status();
    hash.Add(status.submission_id())
        .Add(static_cast<std::uint64_t>(status.execution_attempts()))
        .Add(static_cast<std::uint64_t>(status.submission_attempts()));
    distinct = distinct || !status.submission_id().empty() ||
               status.submission_attempts() > 0;
  }
  AddFailedCondition(report.train_job().status().conditions(), hash, distinct);
  AddFailedCondition(report.kubeflow_job().status().conditions(), hash,
                     distinct);
  const auto& queue = report.kueue_workload().status().conditions();
  AddFailedCondition(queue, hash, distinct);
  if (distinct) return true;
  // What the queue cannot admit waits since the same moment.
  for (const auto& condition : queue) {
    if (condition.type() != "QuotaReserved" || condition.status() != "False") {
      continue;
    }
    AddTime(condition.last_transition_time(), hash);
    distinct = condition.last_transition_time().seconds() != 0;
  }
  return distinct;
}

bool AddObjects(const v1::FailureReport& report, StableHash& hash) {
  if (!report.jobs().empty()) {
    const Unordered jobs = HashJobs(report);
    hash.Add(jobs.sum);
    if (jobs.distinct) return true;
  }
  return AddResources(report, hash);
}

// An event is counted up while its trouble lasts: the first time tells it.
bool AddEvent(const core::Event& event, StableHash& hash) {
  const auto& about = event.involved_object();
  hash.Add(about.uid()).Add(about.name()).Add(event.reason());
  const auto& first =
      event.first_timestamp().seconds() != 0 ? event.first_timestamp()
      : event.event_time().seconds() != 0    ? event.event_time()
                                             : event.last_timestamp();
  AddTime(first, hash);
  return first.seconds() != 0;
}

StableHash HashWorkload(const v1::FailureReport& report,
                        const v1::WorkloadReference& workload) {
  StableHash hash;
  if (!workload.uid().empty()) {
    hash.Add(workload.uid());
  } else {
    hash.Add(workload.kind()).Add(workload.namespace_()).Add(workload.name());
  }
  return hash.Add(static_cast<std::uint64_t>(report.attempt()));
}

// A UID is nobody else's; a name needs its workload.
StableHash HashOwner(const v1::FailureReport& report,
                     const v1::WorkloadReference& workload, int pod) {
  if (report.pods(pod).metadata().uid().empty()) {
    return HashWorkload(report, workload);
  }
  StableHash hash;
  return hash.Add(static_cast<std::uint64_t>(report.attempt()));
}

std::string ToId(const StableHash& hash) {
  std::string id;
  AppendHex(hash.value(), id);
  return id;
}

// As releases up to 0.1 made it: ledgers outlive them.
std::string IdWithWorkload(const v1::FailureReport& report,
                           const v1::WorkloadReference& workload, int pod) {
  StableHash hash = HashWorkload(report, workload);
  AddRoot(report.pods(pod), hash);
  return ToId(hash);
}

constexpr absl::Duration kSpan = absl::Seconds(demystify::kIncidentSpan);
// An operator says that its workload failed so much later than the pod ended.
constexpr absl::Duration kOperatorDelay = absl::Minutes(10);
constexpr absl::Duration kClockSkew = absl::Seconds(10);

using Time = std::optional<absl::Time>;

Time TimeOf(const google::protobuf::Timestamp& time) {
  return IsSet(time) ? Time(ToTime(time)) : std::nullopt;
}

struct Lifetime {
  Time begin;
  Time end;
};

Lifetime LifetimeOf(const v1::AttemptRecord& record) {
  const Time end = TimeOf(record.finished_at());
  Lifetime life{std::nullopt, TimeOf(record.struck_at())};
  if (!life.end) life.end = end;
  if (life.end && record.has_ran_for()) {
    life.begin = (end ? *end : *life.end) - ToDuration(record.ran_for());
  }
  return life;
}

// Whether `a` had begun when `b` ended. What begins in the second of an end
// began after it, unless the other began in that second too.
bool BeganBefore(const Lifetime& a, const Lifetime& b) {
  if (*a.begin != *b.end) return *a.begin < *b.end;
  return b.begin && *b.begin == *b.end;
}

bool Overlap(const Lifetime& told, const Lifetime& recorded, bool own) {
  // Without its begin every later failure would seem to overlap.
  if (!told.begin || !recorded.end || !BeganBefore(told, recorded)) {
    return false;
  }
  // A pod that cannot start has its own story.
  if (!told.end) return false;
  if (own && *told.end > *recorded.end + kSpan) return false;
  // Also where the recorded container ended in the second it began in: its pod
  // had begun before.
  if (*told.end == *recorded.end) return true;
  if (recorded.begin) return BeganBefore(recorded, told);
  return *told.end >= *recorded.end - kSpan;
}

// Whether a pod was told for the record, and not its operator's word alone.
bool IsOfPod(const v1::AttemptRecord& record) {
  return !record.node().empty() || record.has_ran_for() ||
         record.has_struck_at();
}

// The latest time a record is known to be from.
absl::Time LatestOf(const v1::AttemptRecord& record) {
  return LifetimeOf(record).end.value_or(ToTime(record.observed_at()));
}

class Finder {
 public:
  Finder(const v1::BudgetLedger& ledger, const ToldFailure& failure)
      : ledger_(ledger),
        failure_(failure),
        told_{TimeOf(failure.incident.begin),
              TimeOf(failure.incident.struck)} {}

  int Find() const {
    const int by_id = FindFailure(ledger_, failure_.id.id);
    if (by_id >= 0 || ledger_.history().empty() || failure_.new_attempt) {
      return by_id;
    }
    const int by_member = FindMember();
    if (by_member >= 0) return by_member;
    for (int i = ledger_.history_size(); i-- > 0;) {
      const v1::AttemptRecord& record = ledger_.history(i);
      if (failure_.id.named && record.named()) continue;
      if (failure_.incident.pods.empty() ? AgreesWithoutPods(i)
                                         : AgreesWithPods(i)) {
        return i;
      }
    }
    return -1;
  }

 private:
  int FindMember() const {
    std::unordered_set<std::string> ids;
    for (const int pod : failure_.incident.pods) {
      ids.insert(IdOfPod(failure_.report, failure_.workload, pod));
      ids.insert(IdWithWorkload(failure_.report, failure_.workload, pod));
    }
    for (int i = ledger_.history_size(); i-- > 0;) {
      if (ids.count(ledger_.history(i).failure_id()) > 0) return i;
    }
    return -1;
  }

  bool AgreesWithPods(int i) const {
    const v1::AttemptRecord& record = ledger_.history(i);
    const Lifetime recorded = LifetimeOf(record);
    const bool of_gang = RowOf(record.cause()).gang == GangClass::kEcho;
    if (recorded.end && failure_.incident.alone && IsOfPod(record) &&
        !of_gang) {
      // Only what says nothing may have followed, at once.
      return failure_.incident.silent && told_.end &&
             absl::AbsDuration(*told_.end - *recorded.end) <= kClockSkew;
    }
    if (recorded.end) return Overlap(told_, recorded, failure_.incident.own);
    // Recorded without any time, from an operator's counters: it is the failure
    // that had happened by then, and not yet by the record before.
    if (!told_.begin || !told_.end || !IsSet(record.observed_at())) {
      return false;
    }
    const absl::Time observed = ToTime(record.observed_at());
    return *told_.begin < observed && *told_.end <= observed + kClockSkew &&
           (i == 0 || *told_.end > LatestOf(ledger_.history(i - 1)));
  }

  bool AgreesWithoutPods(int i) const {
    if (failure_.cause == v1::DEADLINE_JOB &&
        ledger_.history(i).cause() != v1::DEADLINE_JOB) {
      return false;
    }
    if (failure_.counted > ledger_.attempts_seen()) return false;
    Time ended = TimeOf(failure_.finished_at);
    if (const int event = failure_.incident.event; event >= 0) {
      // Of a pod that is gone: who has to act is told, how it ended may not be.
      const bool of_pod =
          failure_.report.events(event).involved_object().kind() == "Pod";
      if (of_pod && RowOf(ledger_.history(i).cause()).domain !=
                        RowOf(failure_.cause).domain) {
        return false;
      }
      ended = told_.end;
    }
    if (!ended) return failure_.incident.summary && failure_.counted >= 0;
    const Time recorded = LifetimeOf(ledger_.history(i)).end;
    if (!recorded) return false;
    const absl::Duration gap = *ended - *recorded;
    return gap <= kOperatorDelay && gap >= -kOperatorDelay;
  }

  const v1::BudgetLedger& ledger_;
  const ToldFailure& failure_;
  const Lifetime told_;
};

}  // namespace

std::string IdOfPod(const v1::FailureReport& report,
                    const v1::WorkloadReference& workload, int pod) {
  StableHash hash = HashOwner(report, workload, pod);
  AddRoot(report.pods(pod), hash);
  return ToId(hash);
}

FailureId FailureIdOf(const v1::FailureReport& report,
                      const v1::WorkloadReference& workload,
                      const Incident& incident, absl::Time observed_at) {
  FailureId result;
  if (!report.failure_id().empty()) {
    result.id = report.failure_id();
    result.named = true;
    return result;
  }
  const bool of_pod = !incident.pods.empty();
  StableHash hash = of_pod
                        ? HashOwner(report, workload, incident.pods.front())
                        : HashWorkload(report, workload);
  bool distinct = report.has_attempt();
  if (of_pod) {
    distinct |= AddRoot(report.pods(incident.pods.front()), hash);
  } else {
    if (report.has_creation_error()) {
      hash.Add(static_cast<std::uint64_t>(report.creation_error().http_code()))
          .Add(report.creation_error().reason());
    }
    distinct |= AddObjects(report, hash);
    if (!distinct && incident.event >= 0) {
      distinct = AddEvent(report.events(incident.event), hash);
    }
  }
  if (!distinct) {
    result.from_time_only = true;
    hash.Add(static_cast<std::uint64_t>(absl::ToUnixNanos(observed_at)));
  }
  result.id = ToId(hash);
  return result;
}

int FindKnown(const v1::BudgetLedger& ledger, const ToldFailure& failure) {
  return Finder(ledger, failure).Find();
}

}  // namespace mulligan
