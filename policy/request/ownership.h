// Whose is it? A report is about one workload; owner references tell what
// belongs to it.
#ifndef MULLIGAN_POLICY_REQUEST_OWNERSHIP_H_
#define MULLIGAN_POLICY_REQUEST_OWNERSHIP_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mulligan/kubernetes/meta/v1/object_meta.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/request/kinds.h"

namespace mulligan {

// The objects of a report that are not read: they are not the workload's, or
// there again (AddDoubles).
struct Unread {
  // Indexes into report.pods, report.jobs and, for events about those,
  // report.events; ascending.
  std::vector<int> pods;
  std::vector<int> jobs;
  std::vector<int> events;
  // The workloads that those of others belong to, "Job ml/train", sorted.
  std::vector<std::string> owners;
  // Nobody can know which of the owners the report is about: they are all
  // that it speaks of.
  bool unknown = false;

  bool empty() const {
    return owners.empty() && pods.empty() && jobs.empty() && events.empty();
  }
};

// Objects that say nothing about an owner are the workload's.
//
// report.workload names the workload where the objects are of several; all
// objects below the same top owner as it belong to it. Without it, a custom
// resource in the report is the workload, and what else is there must be able
// to be its own. Nodes, events and usage are context and not looked at.
Unread FindForeign(const v1::FailureReport& report);

// Removes `objects` from `report`.
void LeaveOut(const Unread& objects, v1::FailureReport& report);

// Makes the paths of a diagnosis, which was made without `objects`, paths into
// the whole report again.
void RestorePaths(const Unread& objects, v1::Diagnosis& diagnosis);

// Equal, or both jobs of training-operator.
bool SameKind(std::string_view a, std::string_view b);

// The controller of an object, or its only owner; null: none.
const kubernetes::meta::v1::OwnerReference* ControllerOf(
    const kubernetes::meta::v1::ObjectMeta& meta);

// As far as the objects tell. Views point into the objects, which must outlive
// this.
class OwnerGraph {
 public:
  // Adds an object; returns its number. Objects that name each other may come
  // in any order.
  int Add(std::string_view kind, const kubernetes::meta::v1::ObjectMeta& meta);

  // Adds that `owner` owns the object of this kind and name in its namespace,
  // unless that is known to be another's.
  void AddOwned(int owner, std::string_view kind, std::string_view name);

  // The number that `workload` was added under, or its owner's if that is only
  // known by name; -1: no object says anything about it.
  int Find(const v1::WorkloadReference& workload) const;

  // The owner at the end of the chain; the object itself if nobody owns it.
  int TopOf(int object) const;

  // Whether the object was added itself, rather than named as an owner.
  bool IsReal(int object) const { return At(object).real; }
  bool HasUid(int object) const { return !At(object).uid.empty(); }
  std::string_view KindOf(int object) const { return At(object).kind; }
  std::string_view NameOf(int object) const { return At(object).name; }
  std::string_view SpaceOf(int object) const { return At(object).space; }
  // "Job ml/train".
  std::string TextOf(int object) const;

 private:
  struct Node {
    std::string_view kind;
    std::string_view space;
    std::string_view name;
    std::string_view uid;
    int owner = -1;
    bool real = false;
  };

  const Node& At(int node) const {
    return nodes_[static_cast<std::size_t>(node)];
  }
  Node& At(int node) { return nodes_[static_cast<std::size_t>(node)]; }
  int Resolve(std::string_view kind, std::string_view space,
              std::string_view name, std::string_view uid);
  int OwnerOf(const kubernetes::meta::v1::ObjectMeta& meta);
  int OwnerByLabels(const kubernetes::meta::v1::ObjectMeta& meta,
                    std::string_view kind);
  void SetOwner(int node, int owner);

  std::vector<Node> nodes_;
  std::unordered_map<std::string_view, int> by_uid_;
  // Nodes of one name; kinds and namespaces are compared.
  std::unordered_multimap<std::string_view, int> by_name_;
  // The pods of a gang name the same owner.
  std::string_view last_uid_;
  int last_owner_ = -1;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_OWNERSHIP_H_
