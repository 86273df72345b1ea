#include "policy/budget/failure_id.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/base/stable_hash.h"
#include "policy/demystify/readers/ended_container.h"
#include "policy/demystify/readers/pod_life.h"
#include "policy/request/kinds.h"
#include "policy/request/pod_marks.h"

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

// A sum of hashes, independent of their order.
struct Unordered {
  std::uint64_t sum = 0;
  // Something was added that no other failure has.
  bool distinct = false;
};

// Returns how often the container has ended. A crashed container has ended
// restartCount + 1 times until the kubelet restarts it, and restartCount times
// after that, which is the same number. A container that is being stopped
// counts as ended, unless its owner gave up before (`given_up`, epoch seconds).
// So does a first run, whose node may be lost before the pod is marked.
std::int64_t Endings(const core::ContainerStatus& status, bool stopping,
                     std::optional<std::int64_t> given_up) {
  if (given_up && demystify::EndsByStopping(status, *given_up)) {
    return status.restart_count();
  }
  const bool ended =
      status.state().has_terminated() || demystify::IsWaitingForRestart(status);
  const bool ends =
      status.state().has_running() && (stopping || status.restart_count() == 0);
  return std::int64_t{status.restart_count()} + (ended || ends ? 1 : 0);
}

// Returns how often the pod has failed: the most endings of a main container,
// or else of an init container. At least one, for a pod without details.
std::int64_t Endings(const Owners& owners, const core::Pod& pod) {
  std::optional<std::int64_t> given_up;
  if (demystify::IsCleanedUp(owners, pod))
    given_up = demystify::CleanUpBegan(owners, pod);
  const bool stopping = IsBeingStopped(pod);
  std::int64_t endings = 0;
  for (const core::ContainerStatus& status :
       pod.status().container_statuses()) {
    const std::int64_t its = Endings(status, stopping, given_up);
    if (its > endings && !demystify::IsHelper(pod, status.name())) {
      endings = its;
    }
  }
  if (endings > 0) return endings;
  for (const core::ContainerStatus& status :
       pod.status().init_container_statuses()) {
    endings = std::max(endings, Endings(status, stopping, given_up));
  }
  const bool ended = stopping || pod.status().phase() == "Failed";
  return std::max<std::int64_t>(endings, ended ? 1 : 0);
}

// Returns the latest end of a container; the zero time if none ended.
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

// Adds the pod as a failure's root. Returns whether that identifies it.
bool AddRoot(const Owners& owners, int index, StableHash& hash) {
  const core::Pod& pod = owners.report.pods(index);
  AddObject(pod.metadata(), hash);
  hash.Add(static_cast<std::uint64_t>(Endings(owners, pod)));
  if (!pod.metadata().uid().empty()) return true;
  // Successive pods may have the same name; only a time distinguishes them.
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
      hash.Add(std::string_view(condition.type()));
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

bool AddOwners(const Owners& owners, StableHash& hash) {
  bool distinct = false;
  // The owners nearest to the pods come first.
  for (auto view = owners.views.rbegin(); view != owners.views.rend(); ++view) {
    if (view->kind->identify != nullptr) {
      distinct |= view->kind->identify(owners.report, hash);
    }
    AddFailedCondition(view->conditions, hash, distinct);
  }
  const auto& queue = owners.report.kueue_workload().status().conditions();
  AddFailedCondition(queue, hash, distinct);
  if (distinct) return true;
  // For work that cannot be admitted, the time is when its wait began.
  for (const auto& condition : queue) {
    if (condition.type() != "QuotaReserved" || condition.status() != "False") {
      continue;
    }
    AddTime(condition.last_transition_time(), hash);
    distinct = condition.last_transition_time().seconds() != 0;
  }
  return distinct;
}

bool AddObjects(const Owners& owners, StableHash& hash) {
  if (!owners.report.jobs().empty()) {
    const Unordered jobs = HashJobs(owners.report);
    hash.Add(jobs.sum);
    if (jobs.distinct) return true;
  }
  return AddOwners(owners, hash);
}

// An event's count grows with time, so its first time identifies it.
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

// A UID is unique; a name is unique only in its workload.
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

}  // namespace

std::string IdOfPod(const Owners& owners, const v1::WorkloadReference& workload,
                    int pod) {
  StableHash hash = HashOwner(owners.report, workload, pod);
  AddRoot(owners, pod, hash);
  return ToId(hash);
}

std::string IdWithWorkload(const Owners& owners,
                           const v1::WorkloadReference& workload, int pod) {
  StableHash hash = HashWorkload(owners.report, workload);
  AddRoot(owners, pod, hash);
  return ToId(hash);
}

FailureId FailureIdOf(const Owners& owners,
                      const v1::WorkloadReference& workload,
                      const Incident& incident, absl::Time observed_at) {
  const v1::FailureReport& report = owners.report;
  FailureId result;
  if (!report.failure_id().empty()) {
    result.id = report.failure_id();
    result.named = true;
    return result;
  }
  const bool of_pod = !incident.pods.empty();
  StableHash hash = of_pod ? HashOwner(report, workload, incident.pods.front())
                           : HashWorkload(report, workload);
  bool distinct = report.has_attempt();
  if (of_pod) {
    distinct |= AddRoot(owners, incident.pods.front(), hash);
  } else {
    if (report.has_creation_error()) {
      hash.Add(static_cast<std::uint64_t>(report.creation_error().http_code()))
          .Add(report.creation_error().reason());
    }
    distinct |= AddObjects(owners, hash);
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

}  // namespace mulligan
