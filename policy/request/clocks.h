// Times of a report that a node's clock cannot have right.
//
// An API server and its controllers share a clock: it stamps creation,
// deletion, PodScheduled and DisruptionTarget. All else of a pod's status is
// stamped by its kubelet, with the clock of its node, and all order between
// members of a gang hangs on it.
//
//   1. A kubelet takes a pod once it has been scheduled, so a stamp of its from
//      before shows by how much, at least, its clock is behind. All its stamps
//      of that pod are moved by as much.
//   2. What is told has happened: an end that is later than that was stamped by
//      a clock that is ahead. It is taken for the time of the report.
//   3. A run that ended before its pod was there, or before it began, saw the
//      clock being set. Its end is when it is told where the API server knows
//      better, else it stays and the begin goes unknown.
//
// A clock that is ahead is also bounded by the next pod in the same place
// (demystify/member.h: Member.struck).
#ifndef MULLIGAN_POLICY_REQUEST_CLOCKS_H_
#define MULLIGAN_POLICY_REQUEST_CLOCKS_H_

#include <string>

#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan {

// Whether RepairTimes would change anything.
bool HasWrongTimes(const v1::FailureReport& report,
                   const google::protobuf::Timestamp& observed_at);

// Applies the rules to every pod, and the first to its kubelet's events.
// Returns what was wrong in a sentence, by the first such pod: "the clock of
// node n1 is 90 s behind the API server's, by pod train-0: ...".
std::string RepairTimes(v1::FailureReport& report,
                        const google::protobuf::Timestamp& observed_at);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_CLOCKS_H_
