#include "policy/request/kinds.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "policy/request/views/views.h"

namespace mulligan {
namespace {

using Scope = v1::Decision;

// Known workloads that a report has no field for: told from their pods.
constexpr Kind Told(std::string_view name, std::string_view group) {
  return {name, group, "", true, true};
}

// Names only.
constexpr Kind Named(std::string_view name, std::string_view group) {
  return {name, group, "", true, false};
}

constexpr Kind Training(std::string_view name) {
  return {.name = name,
          .group = "kubeflow.org",
          .field = "kubeflowJob",
          .retried = Scope::JOB,
          .given_up = Scope::JOB,
          .source = "Kubeflow"};
}

// The one of training-operator's jobs that stands for all of them.
constexpr Kind FirstTraining(std::string_view name) {
  Kind kind = Training(name);
  kind.view = ViewTrainingJob;
  kind.tell = TellTrainingJob;
  return kind;
}

constexpr Kind Evidence(std::string_view name, std::string_view group,
                        std::string_view field) {
  return {name, group, field, false, false};
}

constexpr Kind kKinds[] = {
    {.name = "Pod",
     .group = "",
     .field = "pods",
     .retried = Scope::POD,
     .given_up = Scope::POD,
     .seniority = 0},
    {.name = "Job",
     .group = "batch",
     .field = "jobs",
     .retried = Scope::JOB,
     .given_up = Scope::JOB,
     .seniority = 1,
     .count = CountJob},
    Evidence("Node", "", "nodes"),
    Evidence("Event", "", "events"),
    Evidence("Event", "events.k8s.io", "events"),
    {.name = "JobSet",
     .group = "jobset.x-k8s.io",
     .field = "jobSet",
     .retried = Scope::JOB_SET,
     .given_up = Scope::JOB_SET,
     .seniority = 2,
     .makes_jobs = true,
     .view = ViewJobSet,
     .bound = BoundJobSet,
     .count = CountJobSet,
     .identify = IdentifyJobSet,
     .tell = TellJobSet},
    {.name = "RayJob",
     .group = "ray.io",
     .field = "rayJob",
     .retried = Scope::CLUSTER,
     .given_up = Scope::WORKLOAD,
     .makes_jobs = true,
     .replaces_parts = true,
     .view = ViewRayJob,
     .bound = BoundRayJob,
     .count = CountRayJob,
     .identify = IdentifyRayJob,
     .tell = TellRayJob},
    {.name = "RayCluster",
     .group = "ray.io",
     .field = "rayCluster",
     .retried = Scope::CLUSTER,
     .given_up = Scope::CLUSTER,
     .seniority = 2,
     .view = ViewRayCluster},
    {.name = "TrainJob",
     .group = "trainer.kubeflow.org",
     .field = "trainJob",
     .retried = Scope::JOB_SET,
     .given_up = Scope::WORKLOAD,
     .view = ViewTrainJob,
     .count = CountTrainJob},
    // Stands beside what it queues: QueueIn().
    {.name = "Workload", .group = "kueue.x-k8s.io", .field = "kueueWorkload"},
    {.name = "SparkApplication",
     .group = "sparkoperator.k8s.io",
     .field = "sparkApplication",
     .replaces_parts = true,
     .has_spark_exits = true,
     .view = ViewSparkApplication,
     .bound = BoundSparkApplication,
     .count = CountSparkApplication,
     .identify = IdentifySparkApplication,
     .tell = TellSparkApplication},
    FirstTraining("PyTorchJob"),
    Training("TFJob"),
    Training("MPIJob"),
    Training("XGBoostJob"),
    Training("PaddleJob"),
    Training("JAXJob"),
    Told(kTrainingJob, "kubeflow.org"),
    Told("CronJob", "batch"),
    Told("DaemonSet", "apps"),
    Told("Deployment", "apps"),
    Told("ReplicaSet", "apps"),
    Told("StatefulSet", "apps"),
    Named("RayService", "ray.io"),
    Named("LeaderWorkerSet", "leaderworkerset.x-k8s.io"),
    Named("Workflow", "argoproj.io"),
    Named("FlyteWorkflow", "flyte.lyft.com"),
    Named("AppWrapper", "workload.codeflare.dev"),
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  absl::AsciiStrToLower(&lower);
  return lower;
}

// Whether one letter after the first was left out, added or changed, or two
// neighbours were swapped. A different first letter makes another word: short
// kinds such as Job end many others.
bool IsOneSlip(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty() || a.front() != b.front()) return false;
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  if (a.size() <= 1 && b.size() <= 1) return true;
  return a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0];
}

}  // namespace

std::span<const Kind> Kinds() { return kKinds; }

const Kind* FindKind(std::string_view name) {
  const auto* const found = std::ranges::find(kKinds, name, &Kind::name);
  return found == std::end(kKinds) ? nullptr : found;
}

int SeniorityOf(std::string_view name) {
  if (name.empty()) return -1;
  const Kind* const kind = FindKind(name);
  return kind == nullptr ? kUnknownSeniority : kind->seniority;
}

bool IsKnownKind(std::string_view name) {
  const Kind* const kind = FindKind(name);
  return kind != nullptr && kind->is_known;
}

std::string_view MeantKind(std::string_view name) {
  if (IsKnownKind(name)) return {};
  const std::string given = Lower(name);
  std::string_view nearest;
  for (const Kind& kind : kKinds) {
    if (!kind.is_known) continue;
    const std::string meant = Lower(kind.name);
    if (given == meant || given == absl::StrCat(meant, "s")) return kind.name;
    // Of several the first in the alphabet.
    if (IsOneSlip(given, meant) && (nearest.empty() || kind.name < nearest)) {
      nearest = kind.name;
    }
  }
  return nearest;
}

bool IsTrainingKind(std::string_view name) {
  if (name == kTrainingJob) return true;
  const Kind* const kind = FindKind(name);
  return kind != nullptr && kind->field == Training({}).field;
}

std::string_view ApiGroup(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view()
                                         : api_version.substr(0, slash);
}

}  // namespace mulligan
