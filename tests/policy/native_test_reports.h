// Failures of workloads whose operator's own rules are implemented.
#ifndef MULLIGAN_TESTS_POLICY_NATIVE_TEST_REPORTS_H_
#define MULLIGAN_TESTS_POLICY_NATIVE_TEST_REPORTS_H_

#include <string>

#include "absl/strings/str_format.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "tests/policy/fixtures.h"

namespace mulligan::testing {

// A Job that had `failed` failures when another pod of it was drained.
inline v1::FailureReport DrainedJob(int backoff_limit, int failed) {
  return Parse<v1::FailureReport>(absl::StrFormat(
      R"pb(
        observed_at { seconds: 1000000 }
        jobs {
          metadata { name: "j" uid: "u-j" }
          spec { backoff_limit: %d completions: 1 parallelism: 1 }
          status { failed: %d active: 1 }
        }
        pods {
          metadata {
            name: "p"
            uid: "u-p"
            finalizers: "batch.kubernetes.io/job-tracking"
            owner_references {
              kind: "Job"
              name: "j"
              uid: "u-j"
              controller: true
            }
          }
          spec {
            restart_policy: "Never"
            containers { name: "main" }
          }
          status {
            phase: "Failed"
            conditions {
              type: "DisruptionTarget"
              status: "True"
              reason: "EvictionByEvictionAPI"
              last_transition_time { seconds: 999980 }
            }
            container_statuses {
              name: "main"
              state {
                terminated {
                  exit_code: 143
                  reason: "Error"
                  started_at { seconds: 990000 }
                  finished_at { seconds: 999990 }
                }
              }
            }
          }
        }
      )pb",
      backoff_limit, failed));
}

// A JobSet around that Job, which has used `restarts` of `max_restarts`.
inline v1::FailureReport DrainedJobSet(int max_restarts, int restarts,
                                       int backoff_limit) {
  v1::FailureReport report = DrainedJob(backoff_limit, 0);
  *report.mutable_job_set() =
      Parse<kubernetes::jobset::v1alpha2::JobSet>(absl::StrFormat(
          R"pb(metadata { name: "s" uid: "u-s" }
               spec {
                 failure_policy { max_restarts: %d }
                 replicated_jobs { name: "w" replicas: 1 }
               }
               status { restarts: %d restarts_count_towards_max: %d })pb",
          max_restarts, restarts, restarts));
  auto& metadata = *report.mutable_jobs(0)->mutable_metadata();
  auto& owner = *metadata.add_owner_references();
  owner.set_kind("JobSet");
  owner.set_name("s");
  owner.set_uid("u-s");
  owner.set_controller(true);
  auto& labels = *metadata.mutable_labels();
  labels["jobset.sigs.k8s.io/replicatedjob-name"] = "w";
  return report;
}

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_POLICY_NATIVE_TEST_REPORTS_H_
