#include "policy/request/ownership.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "policy/request/kinds.h"
#include "policy/request/owner_graph.h"
#include "policy/request/owners.h"
#include "policy/request/workload_view.h"

namespace mulligan {
namespace {

using kubernetes::meta::v1::ObjectMeta;
using kubernetes::meta::v1::OwnerReference;

class ForeignFinder {
 public:
  explicit ForeignFinder(const Owners& owners)
      : report_(owners.report), owners_(owners) {}

  Unread Find() {
    Unread foreign;
    if (IsPlain()) return foreign;
    AddObjects();
    CollectTops();
    if (tops_.size() == 1 && Contradicts(tops_[0])) {
      foreign.owners.push_back(graph_.TextOf(tops_[0]));
      foreign.unknown = true;
      return foreign;
    }
    if (tops_.size() < 2) return foreign;
    const int own = OwnTop();
    for (const int top : tops_) {
      if (own < 0 || !MayBeOf(own, top)) {
        foreign.owners.push_back(graph_.TextOf(top));
      }
    }
    std::ranges::sort(foreign.owners);
    if (foreign.owners.empty()) return foreign;
    // Others' objects are left out only if the caller named the workload.
    foreign.unknown = own < 0 || !named_;
    if (foreign.unknown && own >= 0) {
      foreign.owners.push_back(graph_.TextOf(own));
      std::ranges::sort(foreign.owners);
    }
    const auto leave_out = [&](const std::vector<int>& nodes,
                               std::vector<int>& left_out) {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!IsLoose(nodes[i]) && own >= 0 &&
            !MayBeOf(own, graph_.TopOf(nodes[i]))) {
          left_out.push_back(static_cast<int>(i));
        }
      }
    };
    leave_out(pods_, foreign.pods);
    leave_out(jobs_, foreign.jobs);
    FindEvents(foreign);
    return foreign;
  }

 private:
  bool IsNamed() const {
    return !report_.workload().uid().empty() ||
           !report_.workload().name().empty();
  }

  // Returns whether the only owner is of the named kind but another object.
  // Pods are exempt because callers often use ids of their own for them.
  bool Contradicts(int top) const {
    const v1::WorkloadReference& workload = report_.workload();
    if (!IsNamed() || graph_.Find(workload) >= 0) return false;
    const std::string_view kind = graph_.KindOf(top);
    return kind != "Pod" && !workload.kind().empty() &&
           SameKind(kind, workload.kind());
  }

  bool HasSeveral() const {
    return report_.pods_size() + report_.jobs_size() +
               static_cast<int>(owners_.views.size()) +
               int{report_.has_kueue_workload()} >
           1;
  }

  // Returns whether no names and labels need comparing, as in most reports.
  bool IsPlain() const {
    if (!IsNamed() && !HasSeveral()) return true;
    std::string_view uid;
    if (!HaveOneController(uid)) return false;
    return !IsNamed() || (!uid.empty() && uid == report_.workload().uid());
  }

  // Returns whether all pods have the same controller and it is the only owner,
  // as in a usual gang. Sets its UID.
  bool HaveOneController(std::string_view& uid) const {
    const auto same = [&uid](std::string_view other) {
      if (uid.empty()) uid = other;
      return !other.empty() && uid == other;
    };
    for (const auto& pod : report_.pods()) {
      const OwnerReference* controller = ControllerOf(pod.metadata());
      if (controller == nullptr || !same(controller->uid())) return false;
    }
    for (const auto& job : report_.jobs()) {
      if (!same(job.metadata().uid())) return false;
    }
    return owners_.views.empty() && !report_.has_kueue_workload();
  }

  void FindEvents(Unread& foreign) const {
    std::set<std::pair<std::string_view, std::string_view>> names;
    for (const int pod : foreign.pods) {
      names.emplace("Pod", report_.pods(pod).metadata().name());
    }
    for (const int job : foreign.jobs) {
      names.emplace("Job", report_.jobs(job).metadata().name());
    }
    for (int i = 0; i < report_.events_size(); ++i) {
      const auto& about = report_.events(i).involved_object();
      if (names.count({about.kind(), about.name()}) > 0) {
        foreign.events.push_back(i);
      }
    }
  }

  // Adds all objects, custom resources first.
  void AddObjects() {
    for (const WorkloadView& view : owners_.views) {
      seniors_.push_back(graph_.Add(view.kind_name, *view.meta));
    }
    if (report_.has_kueue_workload()) {
      seniors_.push_back(
          graph_.Add("Workload", report_.kueue_workload().metadata()));
    }
    for (std::size_t i = 0; i < owners_.views.size(); ++i) {
      const WorkloadView& view = owners_.views[i];
      graph_.AddOwned(seniors_[i], view.part_kind, view.part);
    }
    for (const auto& job : report_.jobs()) {
      jobs_.push_back(graph_.Add("Job", job.metadata()));
    }
    pods_.reserve(static_cast<std::size_t>(report_.pods_size()));
    for (const auto& pod : report_.pods()) {
      pods_.push_back(graph_.Add("Pod", pod.metadata()));
    }
  }

  // Returns whether the object states no owner and may belong to any: a pod, a
  // Workload, or an object without a UID.
  bool IsLoose(int node) const {
    if (graph_.TopOf(node) != node) return false;
    return !graph_.HasUid(node) || graph_.KindOf(node) == "Pod" ||
           graph_.KindOf(node) == "Workload";
  }

  void CollectTops() {
    for (const auto* nodes : {&seniors_, &jobs_, &pods_}) {
      for (const int node : *nodes) {
        if (IsLoose(node) && !IsNamedJob(node)) continue;
        const int top = graph_.TopOf(node);
        if (seen_.insert(top).second) tops_.push_back(top);
      }
    }
  }

  // Jobs of different names are different workloads, even without UIDs, unless
  // an owner joins them.
  bool IsNamedJob(int node) const {
    return seniors_.empty() && graph_.KindOf(node) == "Job" &&
           !graph_.NameOf(node).empty();
  }

  // Returns the top owner of the workload; -1 if unknown.
  int OwnTop() {
    const v1::WorkloadReference& workload = report_.workload();
    if (IsNamed()) {
      const int node = graph_.Find(workload);
      named_ = node >= 0;
      if (named_) return graph_.TopOf(node);
    }
    for (const int node : seniors_) {
      if (!IsLoose(node)) return graph_.TopOf(node);
    }
    // A custom resource without a UID may still own the other objects.
    return seniors_.empty() ? -1 : graph_.TopOf(seniors_.front());
  }

  // Returns whether pods or Jobs are known to belong to the workload.
  bool HasParts(int own) const {
    const auto is_part = [&](int node) {
      return node != own && graph_.TopOf(node) == own;
    };
    return std::ranges::any_of(pods_, is_part) ||
           std::ranges::any_of(jobs_, is_part);
  }

  // An owner missing from the report may itself belong to the workload.
  // Children are named after their parents.
  bool MayBeOf(int own, int top) const {
    if (top == own) return true;
    const std::string_view kind = graph_.KindOf(own);
    if (kind == "Job" || kind == "Pod") return false;
    if (SameKind(graph_.KindOf(top), kind)) return false;
    const std::string_view parent = graph_.NameOf(own);
    const std::string_view child = graph_.NameOf(top);
    if (!parent.empty() && child.substr(0, parent.size()) == parent) {
      return true;
    }
    if (graph_.HasUid(top) && graph_.IsReal(top)) return false;
    return parent.empty() || child.empty() ||
           (tops_.size() == 2 && !HasParts(own));
  }

  const v1::FailureReport& report_;
  const Owners& owners_;
  OwnerGraph graph_;
  bool named_ = false;
  std::vector<int> seniors_;
  std::vector<int> jobs_;
  std::vector<int> pods_;
  std::vector<int> tops_;
  std::unordered_set<int> seen_;
};

// Removes the elements at `indexes`, which are ascending.
template <typename Field>
void Remove(const std::vector<int>& indexes, Field& field) {
  int kept = 0;
  std::size_t next = 0;
  for (int i = 0; i < field.size(); ++i) {
    if (next < indexes.size() && indexes[next] == i) {
      ++next;
      continue;
    }
    if (kept != i) field.SwapElements(kept, i);
    ++kept;
  }
  field.DeleteSubrange(kept, field.size() - kept);
}

}  // namespace

Unread FindForeign(const Owners& owners) {
  return ForeignFinder(owners).Find();
}

void AddOwnEvents(const v1::FailureReport& report, Unread& unread) {
  constexpr std::string_view kController = "mulligan-controller";
  const std::size_t before = unread.events.size();
  for (int i = 0; i < report.events_size(); ++i) {
    const auto& event = report.events(i);
    if (event.source().component() == kController ||
        event.reporting_component() == kController ||
        event.reason().starts_with("Mulligan")) {
      unread.events.push_back(i);
    }
  }
  if (unread.events.size() == before) return;
  std::ranges::sort(unread.events);
  // Clang 14 does not compile std::ranges::unique.
  unread.events.erase(std::unique(unread.events.begin(), unread.events.end()),
                      unread.events.end());
}

void LeaveOut(const Unread& objects, v1::FailureReport& report) {
  Remove(objects.pods, *report.mutable_pods());
  Remove(objects.jobs, *report.mutable_jobs());
  Remove(objects.events, *report.mutable_events());
}

}  // namespace mulligan
