// Finds in a failure report what the Job controller would look at.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_REPORT_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_REPORT_H_

#include <map>

#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/native.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/operators/job/decision.h"
#include "policy/operators/job/settings.h"

namespace mulligan::job {

// Points into the report.
struct ReportedJob {
  // The Job the failure is about; null: there is none.
  const Job* job = nullptr;
  // Its pods in the report.
  Pods pods;
  // Of those the one that failed last, pods that are not accounted yet first;
  // null: none has failed.
  const Pod* failed_pod = nullptr;
};

// The Job is the one report.workload names, else the first that has a failed
// pod in the report, else the first. Jobs of an earlier attempt of the reported
// JobSet are left out: their controller deletes them. Pods belong to it by
// owner reference, by their job-name label, or, when they have neither, because
// it is the only Job.
ReportedJob FindReportedJob(const v1::FailureReport& report,
                            const v1::NativeSemantics& semantics,
                            const Gates& gates);

// How the Job controller fails Jobs of the report when it looks at their pods
// in the report. Jobs that go on, or succeed, are not in it.
std::map<const Job*, Ending> ForeseeFailures(
    const v1::FailureReport& report, const v1::NativeSemantics& semantics,
    const google::protobuf::Timestamp& now);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_REPORT_H_
