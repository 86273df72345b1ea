// What the Job controller does about the Jobs of a failure report.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_OUTCOME_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_OUTCOME_H_

#include <map>

#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/native.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/operators/job/decision.h"

namespace mulligan::job {

// How the Job controller fails Jobs of the report when it looks at their pods
// in the report. Jobs that go on, or succeed, are not in it.
std::map<const Job*, Ending> ForeseeFailures(
    const v1::FailureReport& report, const v1::NativeSemantics& semantics,
    const google::protobuf::Timestamp& now);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_OUTCOME_H_
