#include "policy/request/owner_graph.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "policy/base/labels.h"
#include "policy/request/kind_names.h"
#include "policy/request/kinds.h"

namespace mulligan {
namespace {

using kubernetes::meta::v1::ObjectMeta;
using kubernetes::meta::v1::OwnerReference;

// Real chains are shorter; the bound ends cycles.
constexpr int kMaxChain = 16;

bool SameSpace(std::string_view a, std::string_view b) {
  return a == b || a.empty() || b.empty();
}

// Labels that controllers set on what they create, the nearest owner first.
struct OwnerLabel {
  const char* key;
  std::string_view owner;
};
constexpr OwnerLabel kOwnerLabels[] = {
    {"batch.kubernetes.io/job-name", "Job"},
    {"job-name", "Job"},
    {"jobset.sigs.k8s.io/jobset-name", "JobSet"},
    {"training.kubeflow.org/job-name", kTrainingJob},
    {"ray.io/cluster", "RayCluster"},
    {"sparkoperator.k8s.io/app-name", "SparkApplication"},
    {"volcano.sh/job-name", "Job.batch.volcano.sh"},
};
// Labels of owners of Jobs, because the Job itself is often not in a report.
constexpr OwnerLabel kLabelsAboveJobs[] = {
    {"jobset.sigs.k8s.io/jobset-name", "JobSet"},
    {"training.kubeflow.org/job-name", kTrainingJob},
};

}  // namespace

bool SameKind(std::string_view a, std::string_view b) {
  return a == b || (IsTrainingKind(a) && IsTrainingKind(b));
}

const OwnerReference* ControllerOf(const ObjectMeta& meta) {
  for (const OwnerReference& owner : meta.owner_references()) {
    if (owner.controller()) return &owner;
  }
  return meta.owner_references_size() == 1 ? &meta.owner_references(0)
                                           : nullptr;
}

int OwnerGraph::Resolve(std::string_view kind, std::string_view space,
                        std::string_view name, std::string_view uid) {
  if (!uid.empty()) {
    const auto found = by_uid_.find(uid);
    if (found != by_uid_.end()) return found->second;
  }
  if (!name.empty()) {
    const auto [first, last] = by_name_.equal_range(name);
    for (auto it = first; it != last; ++it) {
      Node& node = At(it->second);
      // An object of that name with another UID is another object.
      const bool same = SameKind(node.kind, kind) &&
                        SameSpace(node.space, space) &&
                        (node.uid.empty() || uid.empty());
      if (!same) continue;
      if (node.uid.empty() && !uid.empty()) {
        node.uid = uid;
        by_uid_.emplace(uid, it->second);
      }
      return it->second;
    }
  }
  const int node = static_cast<int>(nodes_.size());
  nodes_.push_back({kind, space, name, uid, -1, false});
  if (!uid.empty()) by_uid_.emplace(uid, node);
  if (!name.empty()) by_name_.emplace(name, node);
  return node;
}

void OwnerGraph::SetOwner(int node, int owner) {
  // Each object that a schedule creates is a separate workload.
  const std::string_view kind = At(owner).kind;
  if (kind == "CronJob" || kind == "ScheduledSparkApplication") return;
  if (node != owner && At(node).owner < 0) At(node).owner = owner;
}

int OwnerGraph::OwnerByLabels(const ObjectMeta& meta, std::string_view kind) {
  int nearest = -1;
  int child = -1;
  for (const OwnerLabel& row : kOwnerLabels) {
    // Owners carry the labels of their pods as well.
    if (SameKind(row.owner, kind)) continue;
    const std::string_view name = LabelOf(meta.labels(), row.key);
    if (name.empty()) continue;
    const int owner = Resolve(row.owner, meta.namespace_(), name, {});
    if (nearest < 0) nearest = owner;
    if (child >= 0) SetOwner(child, owner);
    child = owner;
  }
  return nearest;
}

int OwnerGraph::OwnerOf(const ObjectMeta& meta) {
  const OwnerReference* controller = ControllerOf(meta);
  if (controller == nullptr) return -1;
  if (!controller->uid().empty() && controller->uid() == last_uid_) {
    return last_owner_;
  }
  last_uid_ = controller->uid();
  last_owner_ = Resolve(controller->kind(), meta.namespace_(),
                        controller->name(), controller->uid());
  if (controller->kind() != "Job") return last_owner_;
  // Labels of the Job's pods also name the Job's owner.
  const int job = last_owner_;
  for (const OwnerLabel& row : kLabelsAboveJobs) {
    const std::string_view name = LabelOf(meta.labels(), row.key);
    if (name.empty()) continue;
    SetOwner(job, Resolve(row.owner, meta.namespace_(), name, {}));
    break;
  }
  return last_owner_;
}

int OwnerGraph::Add(std::string_view kind, const ObjectMeta& meta) {
  const int node = Resolve(kind, meta.namespace_(), meta.name(), meta.uid());
  At(node).real = true;
  if (At(node).space.empty()) At(node).space = meta.namespace_();
  int owner = OwnerOf(meta);
  if (owner < 0) owner = OwnerByLabels(meta, kind);
  if (owner >= 0) SetOwner(node, owner);
  return node;
}

void OwnerGraph::AddOwned(int owner, std::string_view kind,
                          std::string_view name) {
  if (name.empty()) return;
  const int owned = Resolve(kind, At(owner).space, name, {});
  SetOwner(owned, owner);
}

int OwnerGraph::Find(const v1::WorkloadReference& workload) const {
  if (!workload.uid().empty()) {
    const auto found = by_uid_.find(workload.uid());
    if (found != by_uid_.end()) return found->second;
  }
  const auto [first, last] = by_name_.equal_range(workload.name());
  for (auto it = first; it != last; ++it) {
    const Node& node = At(it->second);
    const bool same_kind =
        workload.kind().empty() || SameKind(node.kind, workload.kind()) ||
        absl::EqualsIgnoreCase(std::string(node.kind), workload.kind());
    if (same_kind && SameSpace(node.space, workload.namespace_()) &&
        (node.uid.empty() || workload.uid().empty())) {
      return it->second;
    }
  }
  return -1;
}

int OwnerGraph::TopOf(int object) const {
  for (int i = 0; i < kMaxChain && At(object).owner >= 0; ++i) {
    object = At(object).owner;
  }
  return object;
}

std::string OwnerGraph::TextOf(int object) const {
  const Node& node = At(object);
  std::string text(node.kind.empty() ? "object" : node.kind);
  text.push_back(' ');
  if (!node.space.empty()) text.append(node.space).push_back('/');
  if (node.name.empty()) {
    text.append("of UID ").append(node.uid);
  } else {
    text.append(node.name);
  }
  return text;
}

}  // namespace mulligan
