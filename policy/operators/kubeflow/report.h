// Finds in a failure report what training-operator v1 would look at.
#ifndef MULLIGAN_POLICY_OPERATORS_KUBEFLOW_REPORT_H_
#define MULLIGAN_POLICY_OPERATORS_KUBEFLOW_REPORT_H_

#include <vector>

#include "mulligan/v1/report.pb.h"
#include "policy/operators/kubeflow/training_job.h"

namespace mulligan::kubeflow {

// The job's pods in the report: those an owner reference or the job-name label
// gives to it, and those that have neither. Replica type and index are filled
// in where the labels are missing: from the labels of releases before 1.5, from
// the pod's name, "<job>-<type>-<index>" or "<job>-launcher", else the only
// type there is and the next free index.
std::vector<Pod> PodsOf(const v1::FailureReport& report, const TrainingJob& job,
                        const Replicas& replicas);

}  // namespace mulligan::kubeflow

#endif  // MULLIGAN_POLICY_OPERATORS_KUBEFLOW_REPORT_H_
