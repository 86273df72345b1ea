// Sorts objects of many workloads, as `kubectl get pods,jobs,events -o json`
// prints them, into one report per workload.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_WORKLOAD_GROUPS_H_
#define MULLIGAN_CLIENT_CLI_INPUT_WORKLOAD_GROUPS_H_

#include <string>
#include <string_view>
#include <vector>

#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {

// Returns "Job ml/train"; parts may be empty.
std::string WorkloadLabel(std::string_view kind, std::string_view space,
                          std::string_view name);
// Returns the label of the workload of a report.
std::string WorkloadLabel(const v1::FailureReport& report);

// An object that may be or own a workload.
struct OwningObject {
  std::string_view kind;
  const kubernetes::meta::v1::ObjectMeta* meta;
};

// Returns the objects of a report, owners before what they own. Nodes and
// events have no owner and are omitted.
std::vector<OwningObject> OwnersFirst(const v1::FailureReport& report);

// One object that was read, in a report of its own.
struct ReadObject {
  std::string kind;
  // The name for messages: "pods.json: Pod a-0".
  std::string label;
  v1::FailureReport piece;
};

struct WorkloadGroup {
  // The top owner; the namespace may be empty.
  std::string kind;
  std::string space;
  std::string name;
  // Indexes into the objects, ascending: the workload's objects, the nodes of
  // its pods and the events about any of them.
  std::vector<int> objects;

  std::string Label() const { return WorkloadLabel(kind, space, name); }
};

// Returns the workloads, sorted by label. Hand-edited pods without owner and
// UID belong to the only workload, or else form one together. Events about
// objects that are not in the input go to the workload whose name is a prefix
// of theirs; `unplaced` counts the others.
std::vector<WorkloadGroup> GroupByWorkload(
    const std::vector<ReadObject>& objects, int& unplaced);

// Returns whether `which` names the workload as kubectl would ("job/train",
// "jobs.batch/train", "train", with any case of the kind), with its namespace
// ("job/ml/train"), or by its label.
bool IsNamed(const WorkloadGroup& group, std::string_view which);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_WORKLOAD_GROUPS_H_
