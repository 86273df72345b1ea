#include "policy/operators/kubeflow/report.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace mulligan::kubeflow {
namespace {

constexpr std::string_view kOldReplicaTypeLabel = "replica-type";
constexpr std::string_view kOldReplicaIndexLabel = "replica-index";

const std::string* FindLabel(const Pod& pod, std::string_view key) {
  const auto& labels = pod.metadata().labels();
  const auto found = labels.find(std::string(key));
  return found == labels.end() ? nullptr : &found->second;
}

bool Belongs(const Pod& pod, const TrainingJob& job) {
  const std::string& name = job.metadata().name();
  for (const auto& owner : pod.metadata().owner_references()) {
    if (!owner.controller() && owner.kind() != job.kind()) continue;
    if (!owner.uid().empty() && !job.metadata().uid().empty()) {
      return owner.uid() == job.metadata().uid();
    }
    return owner.name() == name;
  }
  const std::string* const label = FindLabel(pod, kJobNameLabel);
  return label == nullptr || *label == name;
}

struct Place {
  std::string type;
  std::string index;
};

// What "<job>-<type>-<index>" says. A launcher has no index.
Place PlaceInName(const Pod& pod, const TrainingJob& job) {
  const std::string prefix = absl::StrCat(job.metadata().name(), "-");
  std::string rest = pod.metadata().name();
  if (!rest.starts_with(prefix)) return {};
  rest.erase(0, prefix.size());
  const auto dash = rest.rfind('-');
  if (dash == std::string::npos) return {rest, ""};
  return {rest.substr(0, dash), rest.substr(dash + 1)};
}

std::string TypeOf(const Pod& pod, const Place& named,
                   const Replicas& replicas) {
  if (const auto* const old = FindLabel(pod, kOldReplicaTypeLabel)) {
    return absl::AsciiStrToLower(*old);
  }
  for (const auto& [type, spec] : replicas) {
    if (absl::AsciiStrToLower(type) == named.type) return named.type;
  }
  return replicas.size() == 1 ? absl::AsciiStrToLower(replicas.begin()->first)
                              : "";
}

}  // namespace

std::vector<Pod> PodsOf(const v1::FailureReport& report, const TrainingJob& job,
                        const Replicas& replicas) {
  std::vector<Pod> pods;
  std::map<std::string, int> next_index;
  for (const Pod& reported : report.pods()) {
    if (!Belongs(reported, job)) continue;
    Pod& pod = pods.emplace_back(reported);
    const Place named = PlaceInName(pod, job);
    auto& labels = *pod.mutable_metadata()->mutable_labels();
    std::string& type = labels[std::string(kReplicaTypeLabel)];
    if (type.empty()) type = TypeOf(reported, named, replicas);
    std::string& index = labels[std::string(kReplicaIndexLabel)];
    if (const auto* const old = FindLabel(reported, kOldReplicaIndexLabel);
        index.empty() && old != nullptr) {
      index = *old;
    }
    if (int number = 0; index.empty()) {
      index = absl::SimpleAtoi(named.index, &number)
                  ? named.index
                  : absl::StrCat(next_index[type]);
    }
    if (int number = 0; absl::SimpleAtoi(index, &number)) {
      next_index[type] = number + 1;
    }
  }
  return pods;
}

}  // namespace mulligan::kubeflow
