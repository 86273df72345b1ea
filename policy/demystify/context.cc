#include "policy/demystify/context.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "policy/demystify/weighing.h"
#include "policy/request/kinds.h"

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
    if (status.name() == "spark-kubernetes-executor" ||
        status.name() == "spark-kubernetes-driver") {
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
  // The pods of one report are of one kind: the first tells.
  return !owners.report.pods().empty() && IsSparkPod(owners.report.pods(0));
}

}  // namespace

Context::Context(const v1::FailureReport& of,
                 const UserSignatures* user_signatures,
                 const google::protobuf::Timestamp& absent_now,
                 PatternAllowance& allowance)
    : report(of),
      owners(of),
      signatures(user_signatures),
      patterns(allowance),
      now(ToSeconds(of.has_observed_at() ? of.observed_at() : absent_now)),
      spark(SaysSpark(owners)),
      program_failed(
          std::ranges::any_of(owners.views, &WorkloadView::program_failed)) {
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
  Weigh(Round::kRead, fact);
}

bool WasPlaced(const core::Pod& pod) {
  const core::PodStatus& status = pod.status();
  return !pod.spec().node_name().empty() || status.has_start_time() ||
         !status.container_statuses().empty() ||
         (!status.phase().empty() && status.phase() != "Pending");
}

}  // namespace mulligan::demystify
