// Absent times as the Job controller reads them.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_TIME_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_TIME_H_

#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"

namespace mulligan::job {

// The year 1, which Go takes for "no time".
absl::Time ZeroTime();

// Whether Kubernetes takes the time for absent: Go's year 1, or the epoch, as
// which the zero-length message of a zero time reads. Unlike IsSet() in
// policy/request/kubernetes_codec.h a time just after the year 1 is a time,
// because the controller takes it for one: "finished long ago".
bool IsZero(const google::protobuf::Timestamp& timestamp);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_TIME_H_
