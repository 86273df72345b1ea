// spec.activeDeadlineSeconds of a TrainJob.
#ifndef MULLIGAN_POLICY_OPERATORS_TRAINJOB_DEADLINE_H_
#define MULLIGAN_POLICY_OPERATORS_TRAINJOB_DEADLINE_H_

#include <optional>

#include "google/protobuf/timestamp.pb.h"
#include "policy/operators/trainjob/types.h"

namespace mulligan::trainjob {

// When the deadline is: counted from the last resume, else from the creation of
// the TrainJob; restarts of the JobSet do not move it. Nothing without a
// deadline, while suspended, when finished, or without a time to count from.
std::optional<google::protobuf::Timestamp> DeadlineOf(
    const TrainJobSpec& spec, const TrainJobStatus& status,
    const google::protobuf::Timestamp& created);

// Failed/DeadlineExceeded once `now` is past it. The JobSet is deleted then,
// and never made again.
std::optional<Condition> DeadlineCondition(
    const TrainJobSpec& spec, const TrainJobStatus& status,
    const google::protobuf::Timestamp& created,
    const google::protobuf::Timestamp& now);

}  // namespace mulligan::trainjob

#endif  // MULLIGAN_POLICY_OPERATORS_TRAINJOB_DEADLINE_H_
