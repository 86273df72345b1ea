// Repairs times that only a wrong clock of a node can explain.
//
// The API server and its controllers share a clock; it sets creation, deletion,
// PodScheduled and DisruptionTarget. The kubelet sets all other times of a
// pod's status by its node's clock. The order of failures in a gang depends on
// them.
//
//   1. A kubelet accepts a pod after it has been scheduled. If a kubelet time
//      is earlier, its clock is behind by at least the difference. All its
//      times of that pod are moved by that much.
//   2. An end after the report was made comes from a clock that is ahead. It is
//      set to the time of the report.
//   3. An end before the pod's creation or before the run's start means that
//      the clock was set. In the first case the end becomes the time of the
//      report; in the second it stays and the start is cleared.
//
// The next pod's start in the slot also limits how far a clock is ahead
// (Member.struck in demystify/member.h).
#ifndef MULLIGAN_POLICY_REQUEST_CLOCKS_H_
#define MULLIGAN_POLICY_REQUEST_CLOCKS_H_

#include <string>

#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan {

// Returns whether RepairTimes would change anything.
bool HasWrongTimes(const v1::FailureReport& report,
                   const google::protobuf::Timestamp& observed_at);

// Applies the rules to every pod, and the first also to its kubelet's events.
// Returns a sentence about the first such pod: "the clock of node n1 is 90 s
// behind the API server's, by pod train-0: ...". Empty if nothing was wrong.
std::string RepairTimes(v1::FailureReport& report,
                        const google::protobuf::Timestamp& observed_at);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_CLOCKS_H_
