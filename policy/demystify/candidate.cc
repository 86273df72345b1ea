#include "policy/demystify/candidate.h"

#include "absl/strings/str_cat.h"
#include "policy/base/utf8.h"
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

constexpr const char* kRoots[] = {
    "pods",
    "jobs",
    "nodes",
    "events",
    "usage",
    "jobSet",
    "rayJob",
    "rayCluster",
    "trainJob",
    "kueueWorkload",
    "sparkApplication",
    "kubeflowJob",
    "creationError",
    "exit",
    "",
};

template <typename Object>
ObjectName Named(std::string_view kind, const Object& object) {
  return {kind, object.metadata().namespace_(), object.metadata().name()};
}

}  // namespace

const Candidate* Strongest(const Candidates& candidates) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    if (!candidate.decides()) continue;
    if (best == nullptr || Stronger(candidate, *best)) best = &candidate;
  }
  return best;
}

const Signature* AddText(Candidates& candidates, const TextTable& table,
                         std::string_view text, const Place& place,
                         Seconds at) {
  const TextSignature* found = table.Find(text);
  if (found == nullptr) return nullptr;
  Candidate& fact =
      AddFact(candidates, table.name(), found->row, place, {}, at);
  fact.text = text;
  fact.keyword = found->keyword;
  return &found->row;
}

Candidate& AddSign(Candidates& candidates, std::string_view key,
                   const Place& place, std::string_view value, Seconds at) {
  return AddFact(candidates, "sign", *FindSpecialSign(key), place, value, at);
}

std::string PathOf(const Place& place) {
  std::string path;
  path.reserve(72);
  path.append(kRoots[static_cast<std::size_t>(place.root)]);
  if (place.index >= 0) absl::StrAppend(&path, "[", place.index, "]");
  path.append(place.list);
  if (place.item >= 0) absl::StrAppend(&path, "[", place.item, "]");
  path.append(place.leaf);
  return path;
}

ObjectName ObjectOf(const v1::FailureReport& report, const Place& place) {
  switch (place.root) {
    case Root::kPods:
      return Named("Pod", report.pods(place.index));
    case Root::kJobs:
      return Named("Job", report.jobs(place.index));
    case Root::kNodes:
      return Named("Node", report.nodes(place.index));
    case Root::kEvents: {
      const auto& about = report.events(place.index).involved_object();
      return {about.kind(), about.namespace_(), about.name()};
    }
    case Root::kJobSet:
      return Named("JobSet", report.job_set());
    case Root::kRayJob:
      return Named("RayJob", report.ray_job());
    case Root::kRayCluster:
      return Named("RayCluster", report.ray_cluster());
    case Root::kTrainJob:
      return Named("TrainJob", report.train_job());
    case Root::kWorkload:
      return Named("Workload", report.kueue_workload());
    case Root::kSpark:
      return Named("SparkApplication", report.spark_application());
    case Root::kKubeflow: {
      const auto& job = report.kubeflow_job();
      return Named(
          job.kind().empty() ? "TrainingJob" : std::string_view(job.kind()),
          job);
    }
    case Root::kUsage:
    case Root::kCreationError:
    case Root::kExit:
    case Root::kReport:
      return {};
  }
  return {};
}

std::string ObjectText(const ObjectName& object) {
  if (object.name.empty()) return {};
  std::string text(object.kind);
  text.push_back('/');
  if (!object.space.empty()) text.append(object.space).push_back('/');
  text.append(object.name);
  return Excerpt(text);
}

}  // namespace mulligan::demystify
