// Objects of many workloads, as `kubectl get pods,jobs,events -o json` prints
// them, sorted into one report for each.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_WORKLOAD_GROUPS_H_
#define MULLIGAN_CLIENT_CLI_INPUT_WORKLOAD_GROUPS_H_

#include <string>
#include <string_view>
#include <vector>

#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {

// "Job ml/train"; parts may be empty.
std::string WorkloadLabel(std::string_view kind, std::string_view space,
                          std::string_view name);
// Of the workload that a report is about.
std::string WorkloadLabel(const v1::FailureReport& report);

// An object that may be or own a workload.
struct OwningObject {
  std::string_view kind;
  const kubernetes::meta::v1::ObjectMeta* meta;
};

// Those of a report, owners before what they own. Nodes and events belong to
// nobody.
std::vector<OwningObject> OwnersFirst(const v1::FailureReport& report);

// An object that was read: a report that holds it alone.
struct ReadObject {
  std::string kind;
  // For messages: "pods.json: Pod a-0".
  std::string label;
  v1::FailureReport piece;
};

struct WorkloadGroup {
  // Of the top owner; the namespace may be empty.
  std::string kind;
  std::string space;
  std::string name;
  // Indexes into the objects, ascending: what belongs to the workload, the
  // nodes of its pods and the events about any of them.
  std::vector<int> objects;

  std::string Label() const { return WorkloadLabel(kind, space, name); }
};

// Sorted by label. Objects that say nothing about an owner and have no UID, cut
// down by hand, are of the only workload there is, or together one. Events
// about objects that are not here go to the workload whose name theirs begins
// with; `unplaced` counts the others.
std::vector<WorkloadGroup> GroupByWorkload(
    const std::vector<ReadObject>& objects, int& unplaced);

// Whether `which` names the workload as kubectl would: "job/train",
// "jobs.batch/train", "train", in any case of the kind; with its namespace:
// "job/ml/train"; or as its label does.
bool IsNamed(const WorkloadGroup& group, std::string_view which);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_WORKLOAD_GROUPS_H_
