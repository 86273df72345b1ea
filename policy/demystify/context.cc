#include "policy/demystify/context.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "policy/base/utf8.h"
#include "policy/demystify/signatures/tables.h"
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

// Whether `rest` of a pod's name behind its Job's ends in nothing but an index
// and what Kubernetes makes up: "-x7k2p", "-3-x7k2p".
bool IsMadeUp(std::string_view rest) {
  if (rest.empty() || rest.front() != '-') return false;
  rest.remove_prefix(1);
  const std::size_t dash = rest.find('-');
  return dash == std::string_view::npos ||
         (rest.find_first_not_of("0123456789") == dash &&
          rest.find('-', dash + 1) == std::string_view::npos);
}

// Names longer than this are cut before Kubernetes appends to them.
constexpr std::size_t kLongestWholeName = 52;

// Whether an object may be called `name` that belongs to one called `stem`.
bool MayBeOf(std::string_view name, std::string_view stem, bool pod_of_job) {
  const std::size_t at = name.find(stem);
  if (at == std::string_view::npos) return false;
  if (!pod_of_job || stem.size() > kLongestWholeName) return true;
  return at == 0 && IsMadeUp(name.substr(stem.size()));
}

// Tells events about an object that had a name before the one in the report has
// it: a JobSet's restarts make Jobs of the same names.
class Predecessors {
 public:
  explicit Predecessors(const v1::FailureReport& report) : report_(report) {
    for (const auto& job : report.jobs()) {
      if (job.metadata().uid().empty()) continue;
      jobs_.insert(job.metadata().name());
      uids_.insert(job.metadata().uid());
    }
  }

  // `pod` is the pod of the report that has the name; -1: none.
  bool Has(const core::ObjectReference& about, int pod) const {
    if (about.uid().empty()) return false;
    if (pod >= 0) {
      const std::string& uid = report_.pods(pod).metadata().uid();
      return !uid.empty() && uid != about.uid();
    }
    return about.kind() == "Job" && jobs_.contains(about.name()) &&
           !uids_.contains(about.uid());
  }

 private:
  const v1::FailureReport& report_;
  std::unordered_set<std::string_view> jobs_;
  std::unordered_set<std::string_view> uids_;
};

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

Context::PodNames Context::NamesOfPods() const {
  if (report.has_job_set() || report.has_ray_job() ||
      report.has_ray_cluster() || report.has_train_job() ||
      report.has_spark_application() || report.has_kubeflow_job()) {
    return PodNames::kAny;
  }
  const std::string& kind = report.workload().kind();
  const auto& owners = report.kueue_workload().metadata().owner_references();
  if (!owners.empty() && owners[0].kind() != "Job") return PodNames::kAny;
  const auto owned_by_job = [](const core::Pod& pod) {
    const auto& of_pod = pod.metadata().owner_references();
    return !of_pod.empty() && of_pod[0].kind() == "Job";
  };
  const bool has_pods = !report.pods().empty();
  if (!report.jobs().empty() || !owners.empty() ||
      (has_pods && std::ranges::all_of(report.pods(), owned_by_job))) {
    return kind.empty() || kind == "Job" ? PodNames::kOfJob : PodNames::kAny;
  }
  const bool bare =
      report.workload().name().empty() && has_pods &&
      std::ranges::all_of(report.pods(), [](const core::Pod& pod) {
        return pod.metadata().owner_references().empty();
      });
  return bare ? PodNames::kReported : PodNames::kAny;
}

void Context::IndexEvents() {
  const std::vector<std::string_view> stems = Stems();
  const PodNames pod_names = NamesOfPods();
  const Predecessors predecessors(report);
  const auto is_strange = [&stems, pod_names](const auto& about) {
    if (stems.empty() || about.name().empty()) return false;
    const bool is_pod = about.kind() == "Pod";
    if (is_pod && pod_names == PodNames::kReported) return true;
    const bool of_job = is_pod && pod_names == PodNames::kOfJob;
    return std::ranges::none_of(stems, [&](std::string_view stem) {
      return MayBeOf(about.name(), stem, of_job);
    });
  };
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
      if (report.pods().empty()) shared_events.push_back(i);
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
    if (predecessors.Has(about, target)) {
      ++strange_events;
    } else if (target >= 0) {
      pod_events.push_back({target, i});
    } else if (!is_strange(about)) {
      other_events.push_back(i);
    } else if (IsOfOneWorkload(about.kind())) {
      ++strange_events;
    } else {
      shared_events.push_back(i);
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
    const bool only = report.nodes_size() == 1 && report.pods_size() == 1;
    return only && WasPlaced(pod) ? 0 : -1;
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

bool WasPlaced(const core::Pod& pod) {
  const core::PodStatus& status = pod.status();
  return !pod.spec().node_name().empty() || status.has_start_time() ||
         !status.container_statuses().empty() ||
         (!status.phase().empty() && status.phase() != "Pending");
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
