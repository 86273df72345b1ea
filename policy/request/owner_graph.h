// Ownership of objects by owner references and labels.
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

// Returns whether the kinds are equal or both of training-operator.
bool SameKind(std::string_view a, std::string_view b);

// Returns an object's controller, else its only owner; null if neither.
const kubernetes::meta::v1::OwnerReference* ControllerOf(
    const kubernetes::meta::v1::ObjectMeta& meta);

// Objects and their owners. Views point into objects that must outlive this.
class OwnerGraph {
 public:
  // Adds an object and returns its number. The order does not matter.
  int Add(std::string_view kind, const kubernetes::meta::v1::ObjectMeta& meta);

  // Records that `owner` owns the object of this kind and name in its
  // namespace, unless that object already has another owner.
  void AddOwned(int owner, std::string_view kind, std::string_view name);

  // Returns the number of `workload`, added or only named as an owner; -1 if no
  // object mentions it.
  int Find(const v1::WorkloadReference& workload) const;

  // Returns the last owner in the chain; the object itself if it has none.
  int TopOf(int object) const;

  // Returns whether the object was added, not only named as an owner.
  bool IsReal(int object) const { return At(object).real; }
  bool HasUid(int object) const { return !At(object).uid.empty(); }
  std::string_view KindOf(int object) const { return At(object).kind; }
  std::string_view NameOf(int object) const { return At(object).name; }
  std::string_view SpaceOf(int object) const { return At(object).space; }
  // Returns for example "Job ml/train".
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
  // Nodes by name; Resolve() compares kinds and namespaces.
  std::unordered_multimap<std::string_view, int> by_name_;
  // The last owner found, because pods of a gang have the same one.
  std::string_view last_uid_;
  int last_owner_ = -1;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_OWNER_GRAPH_H_
