// Who owns whom, as owner references and labels tell.
#ifndef MULLIGAN_POLICY_REQUEST_OWNER_GRAPH_H_
#define MULLIGAN_POLICY_REQUEST_OWNER_GRAPH_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mulligan/kubernetes/meta/v1/object_meta.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan {

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

#endif  // MULLIGAN_POLICY_REQUEST_OWNER_GRAPH_H_
