// What the Job controller decides about a Job and the pods of a report.
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

// How a Job ends: reason and message of the condition Failed or Complete, or of
// FailureTarget or SuccessCriteriaMet, which announce them.
struct Ending {
  bool failed = false;
  std::string reason;
  std::string message;
};

struct Decision {
  // Absent if the Job goes on.
  std::optional<Ending> ending;
  // status.failed and status.succeeded once all pods are counted: each finished
  // pod exactly once, although it spans two objects that cannot be updated
  // together (KEP-2307).
  std::int64_t failed = 0;
  std::int64_t succeeded = 0;
  // Failures compared with backoffLimit.
  std::int64_t failures = 0;
  // Failed indexes; 0 without limits per index.
  std::int64_t failed_indexes = 0;
};

// Returns the result of one sync of syncJob (Kubernetes 1.34,
// job_controller.go) that writes everything it wants to. Pure. REQUIRES: `job`
// has its defaults. The first that applies ends the Job:
//   Failed or Complete as recorded
//   SuccessCriteriaMet, FailureTarget as recorded
//   PodFailurePolicy, BackoffLimitExceeded, DeadlineExceeded,
//   MaxFailedIndexesExceeded, FailedIndexes, SuccessPolicy
//   CompletionsReached
// Jobs of other controllers or with an unknown completion mode are ignored.
Decision DecideJob(const Job& job, const Pods& pods, const Gates& gates,
                   absl::Time now);

// Returns the reported Jobs that the Job controller will fail because of their
// reported pods, each with the condition Failed that it will get.
std::map<const Job*, Job> ForeseeFailures(
    const v1::FailureReport& report, const v1::NativeSemantics& semantics,
    const google::protobuf::Timestamp& now);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_NATIVE_JOB_DECISION_H_
