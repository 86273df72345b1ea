// Decides which objects of a report belong to its workload.
#ifndef MULLIGAN_POLICY_REQUEST_OWNERSHIP_H_
#define MULLIGAN_POLICY_REQUEST_OWNERSHIP_H_

#include <string>
#include <vector>

#include "mulligan/v1/report.pb.h"
#include "policy/request/owners.h"

namespace mulligan {

// Objects of a report that are not read: those of other workloads, duplicates
// (AddDuplicates) and Mulligan's own events (AddOwnEvents).
struct Unread {
  // Ascending indexes into report.pods, report.jobs and report.events.
  std::vector<int> pods;
  std::vector<int> jobs;
  std::vector<int> events;
  // The other workloads that objects belong to, as in "Job ml/train", sorted.
  std::vector<std::string> owners;
  // The workload of the report is ambiguous; `owners` lists all candidates.
  bool unknown = false;

  bool empty() const {
    return owners.empty() && pods.empty() && jobs.empty() && events.empty();
  }
};

// Returns the objects of other workloads. Objects without an owner belong to
// the workload.
//
// If the objects have several top owners, report.workload names the workload;
// all objects with its top owner belong to it. Otherwise a custom resource in
// the report is the workload, if the other objects may belong to it. Nodes,
// events and usage are context and not checked.
Unread FindForeign(const Owners& owners);

// Adds the events that mulligan-controller or a recipe wrote. They quote
// failures already decided, so they are not evidence of a new one.
void AddOwnEvents(const v1::FailureReport& report, Unread& unread);

// Removes `objects` from `report`.
void LeaveOut(const Unread& objects, v1::FailureReport& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_OWNERSHIP_H_
