#include "policy/demystify/context.h"

#include <algorithm>
#include <optional>

#include "policy/request/kinds.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

// Up to this many objects a search is cheaper than an index.
constexpr int kSearchedObjects = 8;

bool IsSparkPod(const core::Pod& pod) {
  const auto& labels = pod.metadata().labels();
  if (!labels.empty() &&
      (labels.contains("spark-role") || labels.contains("spark-app-selector")))
    return true;
  for (const core::ContainerStatus& status :
       pod.status().container_statuses()) {
    if (status.name() == "spark-kubernetes-executor" ||
        status.name() == "spark-kubernetes-driver") {
      return true;
    }
  }
  return false;
}

bool SaysSpark(const v1::FailureReport& report) {
  if (report.has_spark_application() ||
      report.workload().kind() == "SparkApplication") {
    return true;
  }
  // The pods of one report are of one kind: the first tells.
  return !report.pods().empty() && IsSparkPod(report.pods(0));
}

bool SaysRayApplicationFailed(const v1::FailureReport& report) {
  const auto& status = report.ray_job().status();
  return status.job_status() == "FAILED" || status.reason() == "AppFailed";
}

template <typename Objects>
int FindByName(const Objects& objects, const core::ObjectReference& reference) {
  for (int i = 0; i < objects.size(); ++i) {
    const auto& metadata = objects[i].metadata();
    if (metadata.name() == reference.name() &&
        (metadata.namespace_().empty() || reference.namespace_().empty() ||
         metadata.namespace_() == reference.namespace_())) {
      return i;
    }
  }
  return -1;
}

// More names tell no more.
constexpr std::size_t kMaxStems = 64;

// Whether objects of this kind belong to one workload, unlike nodes and claims.
bool IsOfOneWorkload(std::string_view name) {
  const Kind* const kind = FindKind(name);
  return kind != nullptr && kind->is_workload && !kind->field.empty();
}

// Whether an event is about an object of another workload: its name has nothing
// of those in the report. Without names nobody can tell.
bool IsOfAnother(const core::ObjectReference& about,
                 const std::vector<std::string_view>& stems) {
  if (stems.empty() || about.name().empty() || !IsOfOneWorkload(about.kind())) {
    return false;
  }
  return std::ranges::none_of(stems, [&about](std::string_view stem) {
    return std::string_view(about.name()).find(stem) != std::string_view::npos;
  });
}

}  // namespace

Context::Context(const v1::FailureReport& of,
                 const UserSignatures* user_signatures,
                 const google::protobuf::Timestamp& absent_now,
                 PatternAllowance& allowance)
    : report(of),
      signatures(user_signatures),
      patterns(allowance),
      now(ToSeconds(of.has_observed_at() ? of.observed_at() : absent_now)),
      spark(SaysSpark(of)),
      ray_application_failed(of.has_ray_job() && SaysRayApplicationFailed(of)) {
  if (!report.events().empty()) IndexEvents();
  for (int i = 0; i < report.usage_size(); ++i) {
    usage_by_pod_[report.usage(i).pod()].push_back(i);
  }
  if (report.nodes_size() > kSearchedObjects) {
    for (int i = 0; i < report.nodes_size(); ++i) {
      nodes_by_name_.try_emplace(report.nodes(i).metadata().name(), i);
    }
  }
}

std::vector<std::string_view> Context::Stems() const {
  std::vector<std::string_view> stems;
  const auto add = [&stems](std::string_view name) {
    if (!name.empty() && std::ranges::find(stems, name) == stems.end() &&
        stems.size() < kMaxStems) {
      stems.push_back(name);
    }
  };
  add(report.workload().name());
  add(report.train_job().metadata().name());
  add(report.ray_job().metadata().name());
  add(report.ray_job().status().ray_cluster_name());
  add(report.ray_cluster().metadata().name());
  add(report.spark_application().metadata().name());
  add(report.kubeflow_job().metadata().name());
  add(report.job_set().metadata().name());
  // A Workload's own name is made of its owner's.
  for (const auto& owner :
       report.kueue_workload().metadata().owner_references()) {
    add(owner.name());
  }
  for (const auto& job : report.jobs()) add(job.metadata().name());
  for (const core::Pod& pod : report.pods()) {
    for (const auto& owner : pod.metadata().owner_references()) {
      add(owner.name());
    }
  }
  // Nobody owns the pods: only what is about them is theirs.
  if (stems.empty()) {
    for (const core::Pod& pod : report.pods()) add(pod.metadata().name());
  }
  return stems;
}

void Context::IndexEvents() {
  const std::vector<std::string_view> stems = Stems();
  std::unordered_map<std::string_view, int> pods;
  const bool many = report.pods_size() > kSearchedObjects;
  if (many) {
    for (int i = 0; i < report.pods_size(); ++i) {
      pods.try_emplace(report.pods(i).metadata().name(), i);
    }
  }
  for (int i = 0; i < report.events_size(); ++i) {
    const core::ObjectReference& about = report.events(i).involved_object();
    int target = -1;
    if (about.kind() == "Node") {
      std::vector<int>& events = node_events[about.name()];
      if (events.size() < kMaxNodeEvents) events.push_back(i);
      continue;
    }
    if (about.kind() == "Pod" || about.kind().empty()) {
      if (about.name().empty() || report.pods_size() == 0) {
        target = report.pods_size() == 1 ? 0 : -1;
      } else if (many) {
        const auto found = pods.find(about.name());
        target = found == pods.end() ? -1 : found->second;
      } else {
        target = FindByName(report.pods(), about);
        // A pod whose name the caller left out.
        if (target < 0 && report.pods_size() == 1 &&
            report.pods(0).metadata().name().empty()) {
          target = 0;
        }
      }
    }
    if (target >= 0) {
      pod_events.push_back({target, i});
    } else if (IsOfAnother(about, stems)) {
      ++strange_events;
    } else {
      other_events.push_back(i);
    }
  }
  const auto by_target = [](const Link& a, const Link& b) {
    return a.target < b.target;
  };
  std::ranges::stable_sort(pod_events, by_target);
}

int Context::NodeOf(const core::Pod& pod) const {
  if (report.nodes().empty()) return -1;
  const std::string& name = pod.spec().node_name();
  if (name.empty()) {
    return report.nodes_size() == 1 && report.pods_size() == 1 ? 0 : -1;
  }
  if (!nodes_by_name_.empty()) {
    const auto found = nodes_by_name_.find(name);
    return found == nodes_by_name_.end() ? -1 : found->second;
  }
  for (int i = 0; i < report.nodes_size(); ++i) {
    if (report.nodes(i).metadata().name() == name) return i;
  }
  return -1;
}

std::vector<int> Context::UsageOf(const core::Pod& pod) const {
  // More samples of one container say nothing new.
  constexpr std::size_t kMaxSamples = 64;
  std::vector<int> found;
  for (const std::string_view name :
       {std::string_view(pod.metadata().name()), std::string_view()}) {
    const auto samples = usage_by_pod_.find(name);
    if (samples == usage_by_pod_.end()) continue;
    for (const int sample : samples->second) {
      if (found.size() < kMaxSamples) found.push_back(sample);
    }
    if (name.empty()) break;
  }
  return found;
}

void Context::AddUserSignature(Candidates& facts, v1::Signature::Source source,
                               std::string_view text,
                               std::optional<std::int32_t> exit_code,
                               const Place& place, Seconds at) const {
  if (signatures == nullptr) return;
  const Signature* row = signatures->Match(source, text, exit_code, patterns);
  if (row == nullptr) return;
  Candidate& fact = AddFact(facts, "", *row, place, text, at);
  if (exit_code.has_value() && text.empty()) fact.number = *exit_code;
  // Before the built-in texts and exit codes, after structured evidence.
  fact.PutAheadOf(kExitCodeWeight);
}

}  // namespace mulligan::demystify
