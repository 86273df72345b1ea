// What the Job controller concludes from a Job and the pods in a report.
#ifndef MULLIGAN_POLICY_NATIVE_JOB_DECISION_H_
#define MULLIGAN_POLICY_NATIVE_JOB_DECISION_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/native.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/native/job/objects.h"

namespace mulligan::job {

// How a Job ends: with reason and message of the condition Failed or Complete,
// or of FailureTarget or SuccessCriteriaMet, which announce them.
struct Ending {
  bool failed = false;
  std::string reason;
  std::string message;
};

struct Decision {
  // Absent: the Job goes on.
  std::optional<Ending> ending;
  // status.failed and status.succeeded once the pods are accounted for: every
  // finished pod exactly once, across two kinds of objects that cannot be
  // updated together (KEP-2307).
  std::int64_t failed = 0;
  std::int64_t succeeded = 0;
  // Failures compared with backoffLimit.
  std::int64_t failures = 0;
  // Indexes that have failed; 0 without limits per index.
  std::int64_t failed_indexes = 0;
};

// Pure; one look of syncJob (Kubernetes 1.34, job_controller.go) that writes
// all it wants to. `job` has its defaults. The first that applies ends the Job:
//   Failed or Complete as recorded
//   SuccessCriteriaMet, FailureTarget as recorded
//   PodFailurePolicy, BackoffLimitExceeded, DeadlineExceeded,
//   MaxFailedIndexesExceeded, FailedIndexes, SuccessPolicy
//   CompletionsReached
// A Job of another controller, or of an unknown completion mode, is left alone.
Decision DecideJob(const Job& job, const Pods& pods, const Gates& gates,
                   absl::Time now);

// The Jobs of the report that the Job controller fails when it looks at their
// pods in the report, with the condition Failed that they get.
std::map<const Job*, Job> ForeseeFailures(
    const v1::FailureReport& report, const v1::NativeSemantics& semantics,
    const google::protobuf::Timestamp& now);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_NATIVE_JOB_DECISION_H_
