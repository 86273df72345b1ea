// Jobs, custom resources and queues around the pods.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"

namespace mulligan::demystify {
namespace {

struct OperatorCase {
  const char* name;
  const char* report;
  v1::Cause cause;
};
class Operator : public ::testing::TestWithParam<OperatorCase> {};

TEST_P(Operator, NamesTheCause) {
  const v1::Diagnosis diagnosis = Diagnose(GetParam().report);
  EXPECT_EQ(v1::Cause_Name(diagnosis.cause()), v1::Cause_Name(GetParam().cause))
      << diagnosis.DebugString();
}

constexpr OperatorCase kOperatorsCases[] = {
    // batch Jobs.
    {"TheJobsDeadlineIsNotThePods",
     R"pb(jobs {
            status {
              conditions {
                type: "Failed"
                status: "True"
                reason: "DeadlineExceeded"
              }
            }
          }
          pods {
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 143 reason: "Error" } }
              }
            }
          })pb",
     v1::DEADLINE_JOB},
    {"PodDeadlineInsideAJob",
     R"pb(jobs {
            status {
              conditions {
                type: "Failed"
                status: "True"
                reason: "BackoffLimitExceeded"
              }
            }
          }
          pods { status { phase: "Failed" reason: "DeadlineExceeded" } })pb",
     v1::DEADLINE_POD},
    {"FailureTargetAnnouncesTheReason", R"pb(jobs {
                                               status {
                                                 conditions {
                                                   type: "FailureTarget"
                                                   status: "True"
                                                   reason: "DeadlineExceeded"
                                                 }
                                               }
                                             })pb",
     v1::DEADLINE_JOB},
    {"BackoffLimitLeavesTheCauseToThePods",
     R"pb(jobs {
            status {
              conditions {
                type: "Failed"
                status: "True"
                reason: "BackoffLimitExceeded"
              }
            }
          }
          pods {
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 137 reason: "OOMKilled" } }
              }
            }
          })pb",
     v1::CONTAINER_OOM},
    {"BackoffLimitAlone", R"pb(jobs {
                                 status {
                                   conditions {
                                     type: "Failed"
                                     status: "True"
                                     reason: "BackoffLimitExceeded"
                                   }
                                 }
                               })pb",
     v1::APP_ERROR},
    {"DeadlineOfPodsThatNeverGotTheirImage",
     R"pb(jobs {
            status {
              conditions {
                type: "Failed"
                status: "True"
                reason: "DeadlineExceeded"
              }
            }
          }
          pods {
            status {
              phase: "Pending"
              container_statuses {
                state {
                  waiting { reason: "ErrImagePull" message: "manifest unknown" }
                }
              }
            }
          })pb",
     v1::IMAGE_INVALID},
    {"PolicyRuleOnACode",
     R"pb(jobs {
            status {
              conditions {
                type: "Failed"
                status: "True"
                reason: "PodFailurePolicy"
                message: "Container main for pod ns/p failed with exit code 42 matching FailJob rule at index 1"
              }
            }
          })pb",
     v1::DECLARED_FATAL},
    {"NamedPolicyRule",
     R"pb(jobs {
            status {
              conditions {
                type: "Failed"
                status: "True"
                reason: "PodFailurePolicy_bad-input"
                message: "Container main for pod ns/p failed with exit code 42 matching FailJob rule at index 1"
              }
            }
          })pb",
     v1::DECLARED_FATAL},
    {"NamedPolicyRuleOnADisruption",
     R"pb(jobs {
            status {
              conditions {
                type: "FailureTarget"
                status: "True"
                reason: "PodFailurePolicy_lost"
                message: "Pod ns/p has condition DisruptionTarget matching FailJob rule at index 0"
              }
            }
          })pb",
     v1::DRAINED},
    {"PolicyRuleOnADisruption",
     R"pb(jobs {
            status {
              conditions {
                type: "Failed"
                status: "True"
                reason: "PodFailurePolicy"
                message: "Pod ns/p has condition DisruptionTarget matching FailJob rule at index 0"
              }
            }
          })pb",
     v1::DRAINED},
    {"SuspendedJob",
     R"pb(jobs {
            spec { suspend: true }
            status { conditions { type: "Suspended" status: "True" } }
          }
          pods {
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 143 reason: "Error" } }
              }
            }
          })pb",
     v1::SUSPENDED},
    {"ErrorBeforeTheSuspension",
     R"pb(jobs {
            status {
              conditions {
                type: "Suspended"
                status: "True"
                last_transition_time { seconds: 200 }
              }
            }
          }
          pods {
            status {
              phase: "Failed"
              container_statuses {
                state {
                  terminated {
                    exit_code: 1
                    reason: "Error"
                    finished_at { seconds: 100 }
                  }
                }
              }
            }
          })pb",
     v1::APP_ERROR},
    {"ResumedJobIsNotSuspended",
     R"pb(jobs { status { conditions { type: "Suspended" status: "False" } } }
          pods {
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 143 reason: "Error" } }
              }
            }
          })pb",
     v1::SIGTERM_UNEXPLAINED},
    {"CompleteJobWithAFailedPod",
     R"pb(jobs { status { conditions { type: "Complete" status: "True" } } }
          pods {
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 1 reason: "Error" } }
              }
            }
          })pb",
     v1::SUCCEEDED},
    {"DeletedJob",
     R"pb(jobs { metadata { deletion_timestamp { seconds: 9 } } }
          pods {
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 143 reason: "Error" } }
              }
            }
          })pb",
     v1::CANCELLED},
    {"FailedJobWithOnlySucceededPodsLeft",
     R"pb(jobs {
            status {
              conditions {
                type: "Failed"
                status: "True"
                reason: "BackoffLimitExceeded"
              }
            }
          }
          pods { status { phase: "Succeeded" } })pb",
     v1::APP_ERROR},
    // JobSet.
    {"JobSetRestartsUsedUp",
     R"pb(job_set {
            status {
              conditions {
                type: "Failed"
                status: "True"
                reason: "ReachedMaxRestarts"
              }
            }
          }
          pods {
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 139 reason: "Error" } }
              }
            }
          })pb",
     v1::CRASH_SIGNAL},
    {"JobSetCompleted", R"pb(job_set {
                               status {
                                 conditions {
                                   type: "Completed"
                                   status: "True"
                                   reason: "AllJobsCompleted"
                                 }
                               }
                             })pb",
     v1::SUCCEEDED},
    {"JobSetSuspended", R"pb(job_set {
                               status {
                                 conditions {
                                   type: "Suspended"
                                   status: "True"
                                   reason: "SuspendedJobs"
                                 }
                               }
                             })pb",
     v1::SUSPENDED},
    // KubeRay.
    {"RayApplicationFailed",
     R"pb(ray_job {
            status {
              job_status: "FAILED"
              job_deployment_status: "Failed"
              reason: "AppFailed"
              message: "Job entrypoint command failed with exit code 1"
            }
          })pb",
     v1::APP_ERROR},
    {"RayApplicationFailedWithAnExplainingLog",
     R"pb(ray_job {
            status {
              job_status: "FAILED"
              job_deployment_status: "Failed"
              reason: "AppFailed"
              message: "last available logs: ModuleNotFoundError: No module named 'x'"
            }
          })pb",
     v1::CONFIG_USER_ERROR},
    {"RayApplicationFailedInAnOldRelease",
     R"pb(ray_job {
            status { job_status: "FAILED" job_deployment_status: "Complete" }
          })pb",
     v1::APP_ERROR},
    {"RayReasonOnACompleteJobIsNotAFailure",
     R"pb(ray_job {
            status {
              job_status: "SUCCEEDED"
              job_deployment_status: "Complete"
              reason: "JobDeploymentStatusTransitionGracePeriodExceeded"
            }
          })pb",
     v1::SUCCEEDED},
    {"RayStoppedByItsUser",
     R"pb(ray_job {
            status { job_status: "STOPPED" job_deployment_status: "Complete" }
          })pb",
     v1::CANCELLED},
    {"RayValidation", R"pb(ray_job {
                             status {
                               job_deployment_status: "ValidationFailed"
                               reason: "ValidationFailed"
                             }
                           })pb",
     v1::CREATE_REJECTED},
    {"RayDeadlineWithAStaleStatus", R"pb(ray_job {
                                           status {
                                             job_status: "RUNNING"
                                             job_deployment_status: "Failed"
                                             reason: "DeadlineExceeded"
                                           }
                                         })pb",
     v1::DEADLINE_JOB},
    {"RaySubmissionFailed", R"pb(ray_job {
                                   status {
                                     job_deployment_status: "Failed"
                                     reason: "SubmissionFailed"
                                   }
                                 })pb",
     v1::LAUNCHER_FAILED},
    {"RayHeadEvictedUnderASubmissionFailure",
     R"pb(ray_job {
            status {
              job_deployment_status: "Failed"
              reason: "SubmissionFailed"
            }
          }
          pods {
            metadata { name: "head" }
            status {
              phase: "Failed"
              conditions {
                type: "DisruptionTarget"
                status: "True"
                reason: "EvictionByEvictionAPI"
              }
            }
          })pb",
     v1::DRAINED},
    {"RayNeverStarted", R"pb(ray_job {
                               status {
                                 job_deployment_status: "Failed"
                                 reason: "PreRunningDeadlineExceeded"
                               }
                             })pb",
     v1::START_TIMEOUT},
    {"RayNeverStartedBecauseOfCapacity",
     R"pb(ray_job {
            status {
              job_deployment_status: "Failed"
              reason: "PreRunningDeadlineExceeded"
            }
          }
          pods {
            status {
              phase: "Pending"
              conditions {
                type: "PodScheduled"
                status: "False"
                reason: "Unschedulable"
              }
            }
          })pb",
     v1::UNSCHEDULABLE},
    {"RayDashboardSilent", R"pb(ray_job {
                                  status {
                                    job_deployment_status: "Failed"
                                    reason: "JobStatusCheckTimeoutExceeded"
                                  }
                                })pb",
     v1::LAUNCHER_FAILED},
    {"RaySuspended",
     R"pb(ray_job { status { job_deployment_status: "Suspended" } })pb",
     v1::SUSPENDED},
    {"RaySubmitterOfAFailedApplication",
     R"pb(ray_job {
            status {
              job_status: "FAILED"
              job_deployment_status: "Failed"
              reason: "AppFailed"
            }
          }
          pods {
            status {
              phase: "Failed"
              container_statuses {
                name: "ray-job-submitter"
                state { terminated { exit_code: 1 reason: "Error" } }
              }
            }
          })pb",
     v1::APP_ERROR},
    {"RaySubmitterInItsOwnPodShowsTheFailure",
     R"pb(ray_job { status { job_deployment_status: "Running" } }
          pods {
            spec {
              restart_policy: "Never"
              containers { name: "ray-job-submitter" }
            }
            status {
              phase: "Failed"
              container_statuses {
                name: "ray-job-submitter"
                state {
                  terminated {
                    exit_code: 1
                    reason: "Error"
                    message: "ModuleNotFoundError: No module named 'flash_attn'"
                  }
                }
              }
            }
          })pb",
     v1::CONFIG_USER_ERROR},
    {"RayClusterCannotCreatePods",
     R"pb(ray_cluster {
            status {
              conditions {
                type: "ReplicaFailure"
                status: "True"
                reason: "FailedCreateHeadPod"
                message: "pods \"h\" is forbidden: exceeded quota: q"
              }
            }
          })pb",
     v1::QUOTA_EXCEEDED},
    // Trainer.
    {"TrainJobCannotBeBuilt", R"pb(train_job {
                                     status {
                                       conditions {
                                         type: "Created"
                                         status: "False"
                                         reason: "JobsBuildFailed"
                                         message: "runtime not found"
                                       }
                                     }
                                   })pb",
     v1::CREATE_REJECTED},
    {"TrainJobCannotBeCreated", R"pb(train_job {
                                       status {
                                         conditions {
                                           type: "Created"
                                           status: "False"
                                           reason: "JobsCreationFailed"
                                           message: "timeout"
                                         }
                                       }
                                     })pb",
     v1::API_TRANSIENT},
    {"TrainJobRefusedByAWebhook",
     R"pb(train_job {
            status {
              conditions {
                type: "Created"
                status: "False"
                reason: "JobsCreationFailed"
                message: "admission webhook \"x\" denied the request: no"
              }
            }
          })pb",
     v1::CREATE_REJECTED},
    {"TrainJobDeadline", R"pb(train_job {
                                status {
                                  conditions {
                                    type: "Failed"
                                    status: "True"
                                    reason: "DeadlineExceeded"
                                  }
                                }
                              })pb",
     v1::DEADLINE_JOB},
    {"TrainJobUnknownRuntime", R"pb(train_job {
                                      status {
                                        conditions {
                                          type: "Failed"
                                          status: "True"
                                          reason: "TrainingRuntimeNotSupported"
                                        }
                                      }
                                    })pb",
     v1::CREATE_REJECTED},
    {"TrainJobSuspended",
     R"pb(train_job {
            spec { suspend: true }
            status {
              conditions {
                type: "Suspended"
                status: "True"
                reason: "Suspended"
                message: "TrainJob is suspended"
              }
            }
          })pb",
     v1::SUSPENDED},
    {"ErrorAfterTheTrainJobsResumption",
     R"pb(train_job {
            status {
              conditions {
                type: "Suspended"
                status: "False"
                reason: "Resumed"
                message: "TrainJob is resumed"
              }
            }
          }
          pods {
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 1 reason: "Error" } }
              }
            }
          })pb",
     v1::APP_ERROR},
    {"OrderOfStartAndConditionsOfPluginsAreNotACause",
     R"pb(train_job {
            status {
              conditions {
                type: "PodGroupReady"
                status: "True"
                reason: "MinMemberAvailable"
              }
            }
          }
          job_set {
            status {
              conditions {
                type: "StartupPolicyInProgress"
                status: "True"
                reason: "InOrderStartupPolicyInProgress"
              }
            }
          }
          pods {
            status {
              phase: "Pending"
              container_statuses {
                state { waiting { reason: "InvalidImageName" } }
              }
            }
          })pb",
     v1::IMAGE_INVALID},
    {"TrainJobWhoseGroupsStartInOrder",
     R"pb(train_job { metadata { name: "t" } }
          job_set {
            metadata { name: "t" }
            status {
              conditions {
                type: "StartupPolicyInProgress"
                status: "True"
                reason: "InOrderStartupPolicyInProgress"
              }
              conditions {
                type: "StartupPolicyCompleted"
                status: "False"
                reason: "InOrderStartupPolicyInProgress"
              }
            }
          })pb",
     v1::NOT_FAILED},
    // training-operator v1.
    {"KubeflowDeadlineIsInTheMessageOnly",
     R"pb(kubeflow_job {
            kind: "PyTorchJob"
            status {
              conditions {
                type: "Failed"
                status: "True"
                reason: "PyTorchJobFailed"
                message: "PyTorchJob x has failed because it was active longer than specified deadline"
              }
            }
          })pb",
     v1::DEADLINE_JOB},
    {"KubeflowEvictedLauncher", R"pb(kubeflow_job {
                                       kind: "MPIJob"
                                       status {
                                         conditions {
                                           type: "Failed"
                                           status: "True"
                                           reason: "MPIJobEvicted"
                                         }
                                       }
                                     })pb",
     v1::NODE_PRESSURE_EVICTED},
    // Spark.
    {"SparkDriverOutOfMemory",
     R"pb(spark_application {
            status {
              application_state {
                state: "FAILED"
                error_message: "driver container failed with ExitCode: 137, Reason: OOMKilled"
              }
            }
          })pb",
     v1::CONTAINER_OOM},
    {"SparkDriverExitCode",
     R"pb(spark_application {
            status {
              application_state {
                state: "FAILING"
                error_message: "driver container failed with ExitCode: 143, Reason: Error"
              }
            }
          })pb",
     v1::SIGTERM_UNEXPLAINED},
    {"SparkDriverGone", R"pb(spark_application {
                               status {
                                 application_state {
                                   state: "FAILING"
                                   error_message: "driver pod not found"
                                 }
                               }
                             })pb",
     v1::CONTROLLER_ERROR},
    {"SparkSubmissionConflict",
     R"pb(spark_application {
            status {
              application_state {
                state: "SUBMISSION_FAILED"
                error_message: "failed to run spark-submit: pods \"x-driver\" already exists"
              }
            }
          })pb",
     v1::CREATE_CONFLICT},
    {"SparkSuspended",
     R"pb(spark_application {
            status { application_state { state: "SUSPENDED" } }
          })pb",
     v1::SUSPENDED},
    // Kueue.
    {"QueuePreemptionBeatsExit143",
     R"pb(kueue_workload {
            status {
              conditions {
                type: "Evicted"
                status: "True"
                reason: "Preempted"
                last_transition_time { seconds: 100 }
              }
            }
          }
          pods {
            status {
              phase: "Failed"
              container_statuses {
                state {
                  terminated {
                    exit_code: 143
                    reason: "Error"
                    finished_at { seconds: 110 }
                  }
                }
              }
            }
          })pb",
     v1::PREEMPTED_QUEUE},
    {"QueuePreemptionAfterTheEndIsNotItsCause",
     R"pb(kueue_workload {
            status {
              conditions {
                type: "Evicted"
                status: "True"
                reason: "Preempted"
                last_transition_time { seconds: 100 }
              }
            }
          }
          pods {
            status {
              phase: "Failed"
              container_statuses {
                state {
                  terminated {
                    exit_code: 1
                    reason: "Error"
                    finished_at { seconds: 50 }
                  }
                }
              }
            }
          })pb",
     v1::APP_ERROR},
    {"QueuePreemptionAndSuspendedJobSet",
     R"pb(kueue_workload {
            status {
              conditions { type: "Evicted" status: "True" reason: "Preempted" }
            }
          }
          job_set {
            spec { suspend: true }
            status { conditions { type: "Suspended" status: "True" } }
          })pb",
     v1::PREEMPTED_QUEUE},
    {"AHeadToBeReplacedIsNotTheReasonAfterRayRan",
     R"pb(ray_job {
            status {
              job_status: "FAILED"
              job_deployment_status: "Failed"
              message: "Job supervisor actor died because its node died."
            }
          }
          events {
            involved_object { kind: "RayCluster" name: "r" }
            reason: "FailedToCreateHeadPod"
            type: "Warning"
            message: "Failed to create head Pod ml/r-head, pods \"r-head\" already exists"
          })pb",
     v1::NODE_LOST},
    {"AFailedDeletionDidNotEndTheWork",
     R"pb(ray_job {
            status {
              job_status: "FAILED"
              job_deployment_status: "Failed"
              reason: "AppFailed"
              message: "ModuleNotFoundError: No module named 'flash_attn'"
            }
          }
          events {
            involved_object { kind: "RayJob" name: "tune" }
            reason: "FailedToDeleteRayCluster"
            type: "Warning"
            message: "Failed to delete cluster ml/tune-x: rayclusters.ray.io \"tune-x\" not found"
          })pb",
     v1::CONFIG_USER_ERROR},
    {"FinallyFailedWorkIsNotHeldByItsQueue",
     R"pb(kueue_workload {
            status {
              conditions {
                type: "QuotaReserved"
                status: "False"
                reason: "Pending"
              }
            }
          }
          jobs {
            spec { suspend: true }
            status {
              conditions {
                type: "Failed"
                status: "True"
                reason: "DeadlineExceeded"
              }
            }
          })pb",
     v1::DEADLINE_JOB},
    {"OldEvictionIsOver",
     R"pb(kueue_workload {
            status {
              conditions {
                type: "Evicted"
                status: "False"
                reason: "QuotaReserved"
                message: "Previously: Preempted to accommodate a workload"
              }
            }
          }
          pods {
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 143 reason: "Error" } }
              }
            }
          })pb",
     v1::SIGTERM_UNEXPLAINED},
    {"QueueStopped", R"pb(kueue_workload {
                            status {
                              conditions {
                                type: "Evicted"
                                status: "True"
                                reason: "ClusterQueueStopped"
                              }
                            }
                          })pb",
     v1::SUSPENDED},
    {"QueueNodeFailures", R"pb(kueue_workload {
                                 status {
                                   conditions {
                                     type: "Evicted"
                                     status: "True"
                                     reason: "NodeFailures"
                                   }
                                 }
                               })pb",
     v1::NODE_LOST},
    {"QueueDeactivationOfALaterRelease",
     R"pb(kueue_workload {
            status {
              conditions {
                type: "Evicted"
                status: "True"
                reason: "DeactivatedDueToSomethingNew"
              }
            }
          })pb",
     v1::SUSPENDED},
    {"QueueMaximumExecutionTime",
     R"pb(kueue_workload {
            status {
              conditions {
                type: "Evicted"
                status: "True"
                reason: "DeactivatedDueToMaximumExecutionTimeExceeded"
              }
            }
          })pb",
     v1::DEADLINE_JOB},
    {"QueueReadyTimeoutYieldsToItsRoot",
     R"pb(kueue_workload {
            status {
              conditions {
                type: "Evicted"
                status: "True"
                reason: "PodsReadyTimeout"
              }
            }
          }
          pods {
            status {
              phase: "Pending"
              container_statuses {
                state { waiting { reason: "InvalidImageName" } }
              }
            }
          })pb",
     v1::IMAGE_INVALID},
    {"QueueReadyTimeoutAlone", R"pb(kueue_workload {
                                      status {
                                        conditions {
                                          type: "Evicted"
                                          status: "True"
                                          reason: "PodsReadyTimeout"
                                        }
                                      }
                                    })pb",
     v1::START_TIMEOUT},
    {"QueueFinishedJob",
     R"pb(kueue_workload {
            status {
              conditions { type: "Finished" status: "True" reason: "Succeeded" }
            }
          })pb",
     v1::SUCCEEDED},
    {"QueueCouldNotStartTheJob", R"pb(kueue_workload {
                                        status {
                                          conditions {
                                            type: "Finished"
                                            status: "True"
                                            reason: "FailedToStart"
                                          }
                                        }
                                      })pb",
     v1::CREATE_REJECTED},
    {"QueueDeactivatedWithoutAnEviction",
     R"pb(kueue_workload { spec { active: false } })pb", v1::SUSPENDED},
    {"FailedCreateEventsOfAJob",
     R"pb(jobs { metadata { name: "j" } }
          events {
            type: "Warning"
            reason: "FailedCreate"
            message: "Error creating: admission webhook \"w\" denied the request: no"
            involved_object { kind: "Job" name: "j" }
          })pb",
     v1::CREATE_REJECTED},
    {"OldFailedCreateEventOfAJobWhosePodFailed",
     R"pb(jobs { metadata { name: "j" } }
          pods {
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 1 reason: "Error" } }
              }
            }
          }
          events {
            type: "Warning"
            reason: "FailedCreate"
            message: "Error creating: exceeded quota"
            involved_object { kind: "Job" name: "j" }
          })pb",
     v1::APP_ERROR},
};
INSTANTIATE_TEST_SUITE_P(, Operator, ::testing::ValuesIn(kOperatorsCases),
                         [](const auto& test) { return test.param.name; });

TEST(PodFailurePolicyMessage, NamesPodContainerAndCode) {
  const auto diagnosis = Diagnose(
      R"pb(jobs {
             metadata { name: "j" }
             status {
               conditions {
                 type: "Failed"
                 status: "True"
                 reason: "PodFailurePolicy"
                 message: "Container main for pod default/j-8ckj8 failed with "
                          "exit code 42 matching FailJob rule at index 0"
               }
             }
           })pb");
  EXPECT_EQ(diagnosis.exit_code(), 42);
  EXPECT_EQ(diagnosis.culprit().pod(), "j-8ckj8");
  EXPECT_EQ(diagnosis.culprit().container(), "main");
  EXPECT_EQ(diagnosis.culprit().kind(), "Job");
  EXPECT_EQ(diagnosis.culprit().name(), "j");
}

}  // namespace
}  // namespace mulligan::demystify
