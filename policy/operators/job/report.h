// Finds in a failure report what the Job controller would look at.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_REPORT_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_REPORT_H_

#include "mulligan/v1/report.pb.h"
#include "policy/operators/kubernetes_gates.h"
#include "policy/operators/kubernetes_types.h"

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
// pod in the report, else the first. Pods belong to it by owner reference, by
// their job-name label, or, when they have neither, because it is the only
// Job.
ReportedJob FindReportedJob(const v1::FailureReport& report,
                            const Gates& gates);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_REPORT_H_
