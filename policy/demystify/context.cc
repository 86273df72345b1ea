#include "policy/demystify/context.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "policy/demystify/fact.h"
#include "policy/demystify/weighing/weighing.h"
#include "policy/request/kind_names.h"
#include "policy/request/owner_graph.h"
#include "policy/request/pod_failure_rule.h"
#include "policy/request/views/spark_words.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

bool IsSparkPod(const core::Pod& pod) {
  const auto& labels = pod.metadata().labels();
  if (!labels.empty() &&
      (labels.contains("spark-role") || labels.contains("spark-app-selector")))
    return true;
  for (const core::ContainerStatus& status :
       pod.status().container_statuses()) {
    if (status.name() == spark::kExecutorContainer ||
        status.name() == spark::kDriverContainer) {
      return true;
    }
  }
  return false;
}

bool SaysSpark(const Owners& owners) {
  const Kind* const named = FindKind(owners.report.workload().kind());
  if (named != nullptr && named->has_spark_exits) return true;
  for (const WorkloadView& view : owners.views) {
    if (view.kind->has_spark_exits) return true;
  }
  // The pods of one report are of one kind, so the first shows it.
  return !owners.report.pods().empty() && IsSparkPod(owners.report.pods(0));
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

// Names beyond this number are ignored.
constexpr std::size_t kMaxStems = 64;

// Returns whether objects of this kind belong to one workload, unlike nodes.
bool IsOfOneWorkload(std::string_view name) {
  const Kind* const kind = FindKind(name);
  return kind != nullptr && kind->is_workload && !kind->field.empty();
}

// Returns the namespace of the workload and its pods; empty if unknown.
std::string_view SpaceOf(const v1::FailureReport& report,
                         const Owners& owners) {
  std::string_view space = report.workload().namespace_();
  const auto add = [&space](const kubernetes::meta::v1::ObjectMeta& metadata) {
    if (space.empty()) space = metadata.namespace_();
  };
  for (const WorkloadView& view : owners.views) add(*view.meta);
  add(report.kueue_workload().metadata());
  for (const auto& job : report.jobs()) add(job.metadata());
  for (const core::Pod& pod : report.pods()) add(pod.metadata());
  return space;
}

// Returns whether `rest`, a pod's name after its Job's, is an optional index
// and a generated suffix: "-x7k2p", "-3-x7k2p".
bool IsGenerated(std::string_view rest) {
  if (rest.empty() || rest.front() != '-') return false;
  rest.remove_prefix(1);
  const std::size_t dash = rest.find('-');
  return dash == std::string_view::npos ||
         (rest.find_first_not_of("0123456789") == dash &&
          rest.find('-', dash + 1) == std::string_view::npos);
}

// Kubernetes truncates longer names before it appends to them.
constexpr std::size_t kMaxWholeName = 52;

// Returns whether an object of the workload `stem` may have the name.
bool MayBeOf(std::string_view name, std::string_view stem, bool pod_of_job) {
  const std::size_t at = name.find(stem);
  if (at == std::string_view::npos) return false;
  if (!pod_of_job || stem.size() > kMaxWholeName) return true;
  return at == 0 && IsGenerated(name.substr(stem.size()));
}

// Finds the pod of a report that an event is about.
class PodFinder {
 public:
  explicit PodFinder(const v1::FailureReport& report)
      : report_(report), many_(report.pods_size() > kSearchedObjects) {
    for (int i = 0; many_ && i < report.pods_size(); ++i) {
      by_name_.try_emplace(report.pods(i).metadata().name(), i);
    }
  }

  // Returns -1 if there is none.
  int Find(const core::ObjectReference& about) const {
    if (about.kind() != "Pod" && !about.kind().empty()) return -1;
    const bool one = report_.pods_size() == 1;
    if (about.name().empty() || report_.pods_size() == 0) return one ? 0 : -1;
    if (many_) {
      const auto found = by_name_.find(about.name());
      return found == by_name_.end() ? -1 : found->second;
    }
    const int target = FindByName(report_.pods(), about);
    // The caller omitted the pod's name.
    return target < 0 && one && report_.pods(0).metadata().name().empty()
               ? 0
               : target;
  }

 private:
  const v1::FailureReport& report_;
  const bool many_;
  std::unordered_map<std::string_view, int> by_name_;
};

// Recognizes events about an earlier object of the same name: restarts of a
// JobSet reuse the names of its Jobs.
class Predecessors {
 public:
  explicit Predecessors(const v1::FailureReport& report) : report_(report) {
    for (const auto& job : report.jobs()) {
      if (job.metadata().uid().empty()) continue;
      jobs_.insert(job.metadata().name());
      uids_.insert(job.metadata().uid());
    }
  }

  // `pod` is the pod of that name in the report; -1 if none.
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

}  // namespace

Context::Context(const Owners& of, const UserSignatures* user_signatures,
                 const google::protobuf::Timestamp& absent_now,
                 PatternAllowance& allowance)
    : report(of.report),
      owners(of),
      signatures(user_signatures),
      patterns(allowance),
      log(allowance),
      now(ToSeconds(report.has_observed_at() ? report.observed_at()
                                             : absent_now)),
      spark(SaysSpark(owners)),
      program_failed(
          std::ranges::any_of(owners.views, &WorkloadView::program_failed)) {
  const bool retries = std::ranges::any_of(owners.views, [](const auto& view) {
    return view.phase == WorkloadPhase::kRestarts;
  });
  for (const auto& pod : report.pods()) {
    if (!retries) break;
    for (const auto& owner : pod.metadata().owner_references()) {
      std::int64_t& last = last_created[owner.uid()];
      last = std::max(last, pod.metadata().creation_timestamp().seconds());
    }
  }
  if (!report.events().empty()) IndexEvents();
  for (int i = 0; i < report.usage_size(); ++i) {
    usage_by_pod_[report.usage(i).pod()].push_back(i);
  }
  for (const auto& job : report.jobs()) {
    if (!job.spec().has_pod_failure_policy() ||
        !HasAdmittedSize(job.spec().pod_failure_policy())) {
      continue;
    }
    for (const std::string* key :
         {&job.metadata().uid(), &job.metadata().name()}) {
      if (!key->empty()) ruling_jobs_.try_emplace(*key, &job);
    }
  }
  if (report.nodes_size() > kSearchedObjects) {
    for (int i = 0; i < report.nodes_size(); ++i) {
      nodes_by_name_.try_emplace(report.nodes(i).metadata().name(), i);
    }
  }
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

const kubernetes::batch::v1::Job* Context::RulingJobOf(
    const core::Pod& pod) const {
  if (ruling_jobs_.empty()) return nullptr;
  const auto* const owner = ControllerOf(pod.metadata());
  if (owner == nullptr || owner->kind() != "Job") return nullptr;
  auto job = ruling_jobs_.find(owner->uid());
  if (job == ruling_jobs_.end()) job = ruling_jobs_.find(owner->name());
  if (job == ruling_jobs_.end()) return nullptr;
  const auto& metadata = job->second->metadata();
  const bool is_other = !metadata.uid().empty() && !owner->uid().empty() &&
                        metadata.uid() != owner->uid();
  return is_other || metadata.name() != owner->name() ? nullptr : job->second;
}

std::vector<int> Context::UsageOf(const core::Pod& pod) const {
  // Bounds the samples of one container.
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

const Signature* Context::AddUserSignature(
    Candidates& facts, v1::Signature::Source source, std::string_view text,
    std::optional<std::int32_t> exit_code, const Place& place,
    Seconds at) const {
  if (signatures == nullptr) return nullptr;
  const Signature* row = signatures->Match(source, text, exit_code, patterns);
  if (row == nullptr) return nullptr;
  Candidate& fact = AddFact(facts, "", *row, place, text, at);
  if (exit_code.has_value() && text.empty()) fact.number = *exit_code;
  Weigh(Round::kRead, fact);
  return row;
}

bool WasPlaced(const core::Pod& pod) {
  const core::PodStatus& status = pod.status();
  return !pod.spec().node_name().empty() || status.has_start_time() ||
         !status.container_statuses().empty() ||
         (!status.phase().empty() && status.phase() != "Pending");
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
  for (const WorkloadView& view : owners.views) {
    add(view.meta->name());
    add(view.part);
  }
  // A Workload's name is derived from its owner's.
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
  // The pods have no owner, so only events about them belong to the workload.
  if (stems.empty()) {
    for (const core::Pod& pod : report.pods()) add(pod.metadata().name());
  }
  return stems;
}

Context::PodNames Context::NamesOfPods() const {
  if (!owners.views.empty()) return PodNames::kAny;
  const std::string& kind = report.workload().kind();
  const auto& queued = report.kueue_workload().metadata().owner_references();
  if (!queued.empty() && queued[0].kind() != "Job") return PodNames::kAny;
  const auto owned_by_job = [](const core::Pod& pod) {
    const auto& of_pod = pod.metadata().owner_references();
    return !of_pod.empty() && of_pod[0].kind() == "Job";
  };
  const bool has_pods = !report.pods().empty();
  if (!report.jobs().empty() || !queued.empty() ||
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
  const auto is_foreign = [&stems, pod_names](const auto& about) {
    if (stems.empty() || about.name().empty()) return false;
    const bool is_pod = about.kind() == "Pod";
    if (is_pod && pod_names == PodNames::kReported) return true;
    const bool of_job = is_pod && pod_names == PodNames::kOfJob;
    return std::ranges::none_of(stems, [&](std::string_view stem) {
      return MayBeOf(about.name(), stem, of_job);
    });
  };
  const std::string_view space = SpaceOf(report, owners);
  const auto is_elsewhere = [space](const auto& about) {
    return !space.empty() && !about.namespace_().empty() &&
           about.namespace_() != space;
  };
  const PodFinder pods(report);
  for (int i = 0; i < report.events_size(); ++i) {
    const core::ObjectReference& about = report.events(i).involved_object();
    if (about.kind() == "Node") {
      std::vector<int>& events = node_events[about.name()];
      if (events.size() < kMaxNodeEvents) events.push_back(i);
      if (report.pods().empty()) shared_events.push_back(i);
      continue;
    }
    const int target = pods.Find(about);
    if (is_elsewhere(about) || predecessors.Has(about, target)) {
      ++foreign_events;
    } else if (target >= 0) {
      pod_events.push_back({target, i});
    } else if (!is_foreign(about)) {
      other_events.push_back(i);
    } else if (IsOfOneWorkload(about.kind())) {
      ++foreign_events;
    } else {
      shared_events.push_back(i);
    }
  }
  const auto by_target = [](const Link& a, const Link& b) {
    return a.target < b.target;
  };
  std::ranges::stable_sort(pod_events, by_target);
}

}  // namespace mulligan::demystify
