// Whose is it? A report is about one workload; owner references tell what
// belongs to it.
#ifndef MULLIGAN_POLICY_REQUEST_OWNERSHIP_H_
#define MULLIGAN_POLICY_REQUEST_OWNERSHIP_H_

#include <string>
#include <vector>

#include "mulligan/v1/report.pb.h"
#include "policy/request/owners.h"

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
Unread FindForeign(const Owners& owners);

// Removes `objects` from `report`.
void LeaveOut(const Unread& objects, v1::FailureReport& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_OWNERSHIP_H_
