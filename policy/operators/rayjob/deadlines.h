// The five clocks of a RayJob. Each check ends the attempt when its time has
// passed: it writes state, reason and message and returns true.
#ifndef MULLIGAN_POLICY_OPERATORS_RAYJOB_DEADLINES_H_
#define MULLIGAN_POLICY_OPERATORS_RAYJOB_DEADLINES_H_

#include <optional>

#include "google/protobuf/timestamp.pb.h"
#include "policy/operators/rayjob/settings.h"
#include "policy/operators/rayjob/types.h"

namespace mulligan::rayjob {

using Timestamp = google::protobuf::Timestamp;

// activeDeadlineSeconds, from status.startTime of this attempt. Without a start
// time it does not fire; the peer would crash.
bool CheckActiveDeadline(const RayJobSpec& spec, const Timestamp& now,
                         RayJobStatus& status);

// preRunningDeadlineSeconds, from the same start.
bool CheckPreRunningDeadline(const RayJobSpec& spec, const Settings& settings,
                             const Timestamp& now, RayJobStatus& status);

// Ray's status is terminal, the operator's still Running, and Ray's own end
// long ago: Complete, or Failed when Ray said FAILED, with the same reason.
bool CheckTransitionGracePeriod(const Settings& settings, const Timestamp& now,
                                RayJobStatus& status);

// The dashboard did not answer since jobStatusCheckFailureStartTime.
bool CheckStatusCheckTimeout(const Settings& settings, const Timestamp& now,
                             RayJobStatus& status);

// The submitter ended at `finished_at`, yet Ray has no end. Forces jobStatus to
// FAILED.
bool CheckSubmitterFinishedTimeout(const std::optional<Timestamp>& finished_at,
                                   const Timestamp& now, RayJobStatus& status);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_OPERATORS_RAYJOB_DEADLINES_H_
