#include "policy/request/kinds.h"

#include "policy/request/views/views.h"

namespace mulligan {
namespace {

using Scope = v1::Decision;

// Known workloads without a field in the report, judged by their pods.
constexpr Kind KnownByPods(std::string_view name, std::string_view group) {
  return {name, group, "", true, true};
}

// Kinds that are only known by name.
constexpr Kind Named(std::string_view name, std::string_view group) {
  return {name, group, "", true, false};
}

constexpr Kind Training(std::string_view name) {
  return {.name = name,
          .group = "kubeflow.org",
          .field = "kubeflowJob",
          .retried = Scope::JOB,
          .given_up = Scope::JOB,
          .source = "Kubeflow",
          .suspend = R"({"spec":{"runPolicy":{"suspend":true}}})"};
}

// The training-operator kind whose functions serve all of them.
constexpr Kind FirstTraining(std::string_view name) {
  Kind kind = Training(name);
  kind.view = ViewTrainingJob;
  kind.tell = DescribeTrainingJob;
  return kind;
}

constexpr Kind Evidence(std::string_view name, std::string_view group,
                        std::string_view field) {
  return {name, group, field, false, false};
}

constexpr std::string_view kSuspend = R"({"spec":{"suspend":true}})";

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
     .suspend = kSuspend,
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
     .suspend = kSuspend,
     .view = ViewJobSet,
     .bound = BoundJobSet,
     .count = CountJobSet,
     .identify = IdentifyJobSet,
     .tell = DescribeJobSet},
    {.name = "RayJob",
     .group = "ray.io",
     .field = "rayJob",
     .retried = Scope::CLUSTER,
     .given_up = Scope::WORKLOAD,
     .makes_jobs = true,
     .replaces_parts = true,
     .suspend = kSuspend,
     .view = ViewRayJob,
     .bound = BoundRayJob,
     .count = CountRayJob,
     .identify = IdentifyRayJob,
     .clean = CleanRayJob,
     .tell = DescribeRayJob},
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
     .suspend = kSuspend,
     .view = ViewTrainJob,
     .count = CountTrainJob},
    // Not an owner of pods: see QueueIn().
    {.name = "Workload", .group = "kueue.x-k8s.io", .field = "kueueWorkload"},
    {.name = "SparkApplication",
     .group = "sparkoperator.k8s.io",
     .field = "sparkApplication",
     .replaces_parts = true,
     .suspend = kSuspend,
     .has_spark_exits = true,
     .view = ViewSparkApplication,
     .bound = BoundSparkApplication,
     .count = CountSparkApplication,
     .identify = IdentifySparkApplication,
     .tell = DescribeSparkApplication},
    FirstTraining("PyTorchJob"),
    Training("TFJob"),
    Training("MPIJob"),
    Training("XGBoostJob"),
    Training("PaddleJob"),
    Training("JAXJob"),
    KnownByPods(kTrainingJob, "kubeflow.org"),
    KnownByPods("CronJob", "batch"),
    KnownByPods("DaemonSet", "apps"),
    KnownByPods("Deployment", "apps"),
    KnownByPods("ReplicaSet", "apps"),
    KnownByPods("StatefulSet", "apps"),
    Named("RayService", "ray.io"),
    Named("LeaderWorkerSet", "leaderworkerset.x-k8s.io"),
    Named("Workflow", "argoproj.io"),
    Named("FlyteWorkflow", "flyte.lyft.com"),
    Named("AppWrapper", "workload.codeflare.dev"),
};

}  // namespace

std::span<const Kind> Kinds() { return kKinds; }

}  // namespace mulligan
