#include "client/cli/input/workload_groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "policy/request/owner_graph.h"
#include "policy/request/owners.h"
#include "policy/request/workload.h"
#include "policy/request/workload_view.h"

namespace mulligan::cli {
namespace {

using kubernetes::meta::v1::ObjectMeta;

// Null for nodes and events.
const ObjectMeta* MetaOf(const v1::FailureReport& piece) {
  const std::vector<OwningObject> objects = OwnersFirst(piece);
  return objects.empty() ? nullptr : objects.front().meta;
}

class Grouping {
 public:
  explicit Grouping(const std::vector<ReadObject>& objects)
      : objects_(objects) {}

  std::vector<WorkloadGroup> Group(int& unplaced) {
    AddOwners();
    PlaceOwned();
    PlaceLoose();
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      const v1::FailureReport& piece = objects_[i].piece;
      const int index = static_cast<int>(i);
      if (piece.nodes_size() > 0) {
        PlaceOnNode(index, piece.nodes(0).metadata().name());
      } else if (piece.events_size() > 0 && !PlaceEvent(index)) {
        ++unplaced;
      }
    }
    for (WorkloadGroup& group : groups_) {
      std::ranges::sort(group.objects);
    }
    std::ranges::sort(groups_, {}, &WorkloadGroup::Label);
    return std::move(groups_);
  }

 private:
  void AddOwners() {
    for (const ReadObject& object : objects_) {
      const ObjectMeta* meta = MetaOf(object.piece);
      nodes_.push_back(meta == nullptr ? -1 : graph_.Add(object.kind, *meta));
      const int node = nodes_.back();
      for (const WorkloadView& view : Owners(object.piece).views) {
        graph_.AddOwned(node, view.part_kind, view.part);
      }
    }
  }

  bool IsLoose(int node) const {
    return graph_.TopOf(node) == node && !graph_.HasUid(node) &&
           graph_.KindOf(node) == "Pod";
  }

  int GroupOf(int top) {
    const auto [found, is_new] =
        of_top_.try_emplace(top, static_cast<int>(groups_.size()));
    if (is_new) {
      groups_.push_back({std::string(graph_.KindOf(top)),
                         std::string(graph_.SpaceOf(top)),
                         std::string(graph_.NameOf(top)),
                         {}});
    }
    return found->second;
  }

  void Place(int object, int group) {
    groups_[static_cast<std::size_t>(group)].objects.push_back(object);
    const ReadObject& read = objects_[static_cast<std::size_t>(object)];
    if (const ObjectMeta* meta = MetaOf(read.piece)) {
      of_name_[{read.kind, meta->name()}] = group;
    }
    if (read.piece.pods_size() > 0 &&
        !read.piece.pods(0).spec().node_name().empty()) {
      on_node_[read.piece.pods(0).spec().node_name()].insert(group);
    }
  }

  void PlaceOwned() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i] < 0 || IsLoose(nodes_[i])) continue;
      Place(static_cast<int>(i), GroupOf(graph_.TopOf(nodes_[i])));
    }
  }

  void PlaceLoose() {
    int together = groups_.size() == 1 ? 0 : -1;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i] < 0 || !IsLoose(nodes_[i])) continue;
      if (together < 0) together = GroupOf(nodes_[i]);
      Place(static_cast<int>(i), together);
    }
    // There are only nodes and events.
    if (groups_.empty()) groups_.emplace_back();
  }

  void PlaceOnNode(int object, const std::string& node) {
    if (groups_.size() == 1) return Place(object, 0);
    const auto found = on_node_.find(node);
    if (found == on_node_.end()) return;
    for (const int group : found->second) Place(object, group);
  }

  bool PlaceEvent(int object) {
    const auto& about = objects_[static_cast<std::size_t>(object)]
                            .piece.events(0)
                            .involved_object();
    if (groups_.size() == 1) {
      Place(object, 0);
      return true;
    }
    if (about.kind() == "Node") {
      PlaceOnNode(object, about.name());
      return on_node_.count(about.name()) > 0;
    }
    const auto found = of_name_.find({about.kind(), about.name()});
    if (found != of_name_.end()) {
      Place(object, found->second);
      return true;
    }
    int best = -1;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const WorkloadGroup& group = groups_[i];
      if (group.name.empty() ||
          !absl::StartsWith(about.name(), group.name + "-")) {
        continue;
      }
      if (best < 0 || group.name.size() >
                          groups_[static_cast<std::size_t>(best)].name.size()) {
        best = static_cast<int>(i);
      }
    }
    if (best >= 0) Place(object, best);
    return best >= 0;
  }

  const std::vector<ReadObject>& objects_;
  OwnerGraph graph_;
  std::vector<int> nodes_;
  std::vector<WorkloadGroup> groups_;
  std::map<int, int> of_top_;
  std::map<std::pair<std::string_view, std::string_view>, int> of_name_;
  std::map<std::string_view, std::set<int>> on_node_;
};

}  // namespace

std::string WorkloadLabel(std::string_view kind, std::string_view space,
                          std::string_view name) {
  return absl::StrCat(std::string(kind), kind.empty() ? "" : " ",
                      std::string(space), space.empty() ? "" : "/",
                      std::string(name));
}

std::string WorkloadLabel(const v1::FailureReport& report) {
  const v1::WorkloadReference workload = WorkloadOf(report);
  return WorkloadLabel(workload.kind(), workload.namespace_(), workload.name());
}

std::vector<OwningObject> OwnersFirst(const v1::FailureReport& report) {
  std::vector<OwningObject> objects;
  const auto add = [&objects](std::string_view kind, const ObjectMeta& meta) {
    objects.push_back({kind, &meta});
  };
  for (const WorkloadView& view : Owners(report).views) {
    add(view.kind_name, *view.meta);
  }
  for (const auto& job : report.jobs()) add("Job", job.metadata());
  if (report.has_kueue_workload()) {
    add("Workload", report.kueue_workload().metadata());
  }
  for (const auto& pod : report.pods()) add("Pod", pod.metadata());
  return objects;
}

std::vector<WorkloadGroup> GroupByWorkload(
    const std::vector<ReadObject>& objects, int& unplaced) {
  return Grouping(objects).Group(unplaced);
}

bool IsNamed(const WorkloadGroup& group, std::string_view which) {
  if (which == group.Label()) return true;
  const std::size_t slash = which.find('/');
  if (slash == std::string_view::npos) return group.name == which;
  // "jobs.batch" is the Job of group batch.
  const std::string kind(which.substr(0, std::min(slash, which.find('.'))));
  const std::string_view rest = which.substr(slash + 1);
  return (rest == group.name || rest == group.space + "/" + group.name) &&
         (absl::EqualsIgnoreCase(group.kind, kind) ||
          absl::EqualsIgnoreCase(group.kind + "s", kind));
}

}  // namespace mulligan::cli
