// How one pod ended: reasons, conditions, containers, exit codes and times, and
// near misses.
#include <ostream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"

namespace mulligan::demystify {
namespace {

struct PodCase {
  const char* name;
  // Text format of FailureReport.
  const char* report;
  v1::Cause cause;
  v1::Diagnosis::Confidence confidence;
};

class PodEnd : public ::testing::TestWithParam<PodCase> {};

TEST_P(PodEnd, NamesTheCause) {
  const v1::Diagnosis diagnosis = Diagnose(GetParam().report);
  EXPECT_EQ(v1::Cause_Name(diagnosis.cause()), v1::Cause_Name(GetParam().cause))
      << diagnosis.DebugString();
  EXPECT_EQ(v1::Diagnosis::Confidence_Name(diagnosis.confidence()),
            v1::Diagnosis::Confidence_Name(GetParam().confidence))
      << diagnosis.DebugString();
}

std::string NameOf(const ::testing::TestParamInfo<PodCase>& test) {
  return test.param.name;
}

constexpr PodCase kReasons[] = {
    {"OomKilledIsTheContainersLimit",
     R"pb(pods {
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 137 reason: "OOMKilled" } }
              }
            }
          })pb",
     v1::CONTAINER_OOM, v1::Diagnosis::HIGH},
    {"EvictedForNodePressureByItsMessage",
     R"pb(pods {
            status {
              phase: "Failed"
              reason: "Evicted"
              message: "The node was low on resource: memory."
            }
          })pb",
     v1::NODE_PRESSURE_EVICTED, v1::Diagnosis::HIGH},
    {"EvictedForItsOwnStorageLimit",
     R"pb(pods {
            status {
              phase: "Failed"
              reason: "Evicted"
              message: "Pod ephemeral local storage usage exceeds the total limit of containers 2Gi."
            }
          })pb",
     v1::STORAGE_EXHAUSTED, v1::Diagnosis::HIGH},
    {"EvictedEmptyDirLimit",
     R"pb(pods {
            status {
              phase: "Failed"
              reason: "Evicted"
              message: "Usage of EmptyDir volume \"scratch\" exceeds the limit \"5Gi\"."
            }
          })pb",
     v1::STORAGE_EXHAUSTED, v1::Diagnosis::HIGH},
    {"EvictedWithConditionAndNoWordsIsNodePressure",
     R"pb(pods {
            status {
              phase: "Failed"
              reason: "Evicted"
              conditions {
                type: "DisruptionTarget"
                status: "True"
                reason: "TerminationByKubelet"
              }
            }
          })pb",
     v1::NODE_PRESSURE_EVICTED, v1::Diagnosis::HIGH},
    {"EvictedWithoutWordsOrConditionIsAGuess",
     R"pb(pods { status { phase: "Failed" reason: "Evicted" } })pb",
     v1::NODE_PRESSURE_EVICTED, v1::Diagnosis::LOW},
    {"EvictedAtAdmissionUnderPressure",
     R"pb(pods {
            status {
              phase: "Failed"
              reason: "Evicted"
              message: "The node had condition: [MemoryPressure]. "
            }
          })pb",
     v1::NODE_PRESSURE_EVICTED, v1::Diagnosis::HIGH},
    {"PodDeadline",
     R"pb(pods {
            status {
              phase: "Failed"
              reason: "DeadlineExceeded"
              container_statuses {
                state { terminated { exit_code: 143 reason: "Error" } }
              }
            }
          })pb",
     v1::DEADLINE_POD, v1::Diagnosis::HIGH},
    {"AdmissionRefusalNeverRan", R"pb(pods {
                                        status {
                                          phase: "Failed"
                                          reason: "OutOfephemeral-storage"
                                        }
                                      })pb",
     v1::DEVICE_ADMISSION, v1::Diagnosis::HIGH},
    {"KubeletPreemptsForACriticalPod",
     R"pb(pods {
            status {
              phase: "Failed"
              reason: "Preempting"
              message: "Preempted in order to admit critical pod"
            }
          })pb",
     v1::PREEMPTED_SCHEDULER, v1::Diagnosis::HIGH},
    {"NodeLostWhileStillRunning",
     R"pb(pods {
            metadata { deletion_timestamp { seconds: 100 } }
            status { phase: "Running" reason: "NodeLost" }
          })pb",
     v1::NODE_LOST, v1::Diagnosis::HIGH},
    {"ReasonOfAnEarlierShutdownOnARunningPodIsLessSure",
     R"pb(pods { status { phase: "Running" reason: "Terminated" } })pb",
     v1::NODE_SHUTDOWN, v1::Diagnosis::MEDIUM},
};
INSTANTIATE_TEST_SUITE_P(Reasons, PodEnd, ::testing::ValuesIn(kReasons),
                         NameOf);

constexpr PodCase kDisruptions[] = {
    {"SigtermHonouredInTime", R"pb(pods {
                                     status {
                                       phase: "Failed"
                                       conditions {
                                         type: "DisruptionTarget"
                                         status: "True"
                                         reason: "EvictionByEvictionAPI"
                                         last_transition_time { seconds: 100 }
                                       }
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
     v1::DRAINED, v1::Diagnosis::HIGH},
    {"GracePeriodRanOut", R"pb(pods {
                                 status {
                                   phase: "Failed"
                                   conditions {
                                     type: "DisruptionTarget"
                                     status: "True"
                                     reason: "PreemptionByScheduler"
                                     last_transition_time { seconds: 100 }
                                   }
                                   container_statuses {
                                     state {
                                       terminated {
                                         exit_code: 137
                                         reason: "Error"
                                         finished_at { seconds: 130 }
                                       }
                                     }
                                   }
                                 }
                               })pb",
     v1::PREEMPTED_SCHEDULER, v1::Diagnosis::HIGH},
    {"FailedOnItsOwnBeforeTheDisruption",
     R"pb(pods {
            status {
              phase: "Failed"
              conditions {
                type: "DisruptionTarget"
                status: "True"
                reason: "EvictionByEvictionAPI"
                last_transition_time { seconds: 100 }
              }
              container_statuses {
                state {
                  terminated {
                    exit_code: 1
                    reason: "Error"
                    finished_at { seconds: 99 }
                  }
                }
              }
            }
          })pb",
     v1::APP_ERROR, v1::Diagnosis::MEDIUM},
    {"KilledBeforeTheDisruptionIsNotExplainedByIt",
     R"pb(pods {
            status {
              phase: "Failed"
              conditions {
                type: "DisruptionTarget"
                status: "True"
                reason: "EvictionByEvictionAPI"
                last_transition_time { seconds: 100 }
              }
              container_statuses {
                state {
                  terminated {
                    exit_code: 137
                    reason: "Error"
                    finished_at { seconds: 60 }
                  }
                }
              }
            }
          })pb",
     v1::SIGKILL_UNEXPLAINED, v1::Diagnosis::LOW},
    {"TieIsADisruption", R"pb(pods {
                                status {
                                  phase: "Failed"
                                  conditions {
                                    type: "DisruptionTarget"
                                    status: "True"
                                    reason: "EvictionByEvictionAPI"
                                    last_transition_time { seconds: 100 }
                                  }
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
     v1::DRAINED, v1::Diagnosis::HIGH},
    {"EpochIsUnset", R"pb(pods {
                            status {
                              phase: "Failed"
                              conditions {
                                type: "DisruptionTarget"
                                status: "True"
                                reason: "EvictionByEvictionAPI"
                                last_transition_time { seconds: 100 }
                              }
                              container_statuses {
                                state {
                                  terminated {
                                    exit_code: 137
                                    reason: "Error"
                                    finished_at {}
                                  }
                                }
                              }
                            }
                          })pb",
     v1::DRAINED, v1::Diagnosis::HIGH},
    {"StaleConditionSaysNothing",
     R"pb(pods {
            status {
              phase: "Failed"
              conditions {
                type: "DisruptionTarget"
                status: "False"
                reason: "PreemptionByScheduler"
              }
              container_statuses {
                state { terminated { exit_code: 143 reason: "Error" } }
              }
            }
          })pb",
     v1::SIGTERM_UNEXPLAINED, v1::Diagnosis::LOW},
    {"SucceededPodStaysASuccess",
     R"pb(pods {
            status {
              phase: "Succeeded"
              reason: "Terminated"
              conditions {
                type: "DisruptionTarget"
                status: "True"
                reason: "TerminationByKubelet"
                message: "Pod was terminated in response to imminent node shutdown."
              }
              container_statuses {
                state { terminated { exit_code: 0 reason: "Completed" } }
              }
            }
          })pb",
     v1::SUCCEEDED, v1::Diagnosis::MEDIUM},
    {"OomBeforeTheDisruption", R"pb(pods {
                                      status {
                                        phase: "Failed"
                                        conditions {
                                          type: "DisruptionTarget"
                                          status: "True"
                                          reason: "EvictionByEvictionAPI"
                                          last_transition_time { seconds: 100 }
                                        }
                                        container_statuses {
                                          state {
                                            terminated {
                                              exit_code: 137
                                              reason: "OOMKilled"
                                              finished_at { seconds: 90 }
                                            }
                                          }
                                        }
                                      }
                                    })pb",
     v1::CONTAINER_OOM, v1::Diagnosis::HIGH},
    {"OomWithoutTimesStands",
     R"pb(pods {
            status {
              phase: "Failed"
              conditions {
                type: "DisruptionTarget"
                status: "True"
                reason: "EvictionByEvictionAPI"
              }
              container_statuses {
                state { terminated { exit_code: 137 reason: "OOMKilled" } }
              }
            }
          })pb",
     v1::CONTAINER_OOM, v1::Diagnosis::HIGH},
    {"OomUnderNodePressureIsTheNodes",
     R"pb(pods {
            status {
              phase: "Failed"
              reason: "Evicted"
              message: "The node was low on resource: memory."
              container_statuses {
                state { terminated { exit_code: 137 reason: "OOMKilled" } }
              }
            }
          })pb",
     v1::NODE_PRESSURE_EVICTED, v1::Diagnosis::HIGH},
    {"KubeletShutdownByItsMessage",
     R"pb(pods {
            status {
              phase: "Failed"
              conditions {
                type: "DisruptionTarget"
                status: "True"
                reason: "TerminationByKubelet"
                message: "Pod was terminated in response to imminent node shutdown."
              }
            }
          })pb",
     v1::NODE_SHUTDOWN, v1::Diagnosis::HIGH},
    {"ReasonOfAThirdPartyByItsMessage",
     R"pb(pods {
            status {
              phase: "Failed"
              conditions {
                type: "DisruptionTarget"
                status: "True"
                reason: "VendorReclaim"
                message: "vendor: preempting to accommodate a larger pod"
              }
            }
          })pb",
     v1::PREEMPTED_SCHEDULER, v1::Diagnosis::HIGH},
    {"UnknownReasonIsSomeDisruption", R"pb(pods {
                                             status {
                                               phase: "Failed"
                                               conditions {
                                                 type: "DisruptionTarget"
                                                 status: "True"
                                                 reason: "SomethingNew"
                                               }
                                             }
                                           })pb",
     v1::DRAINED, v1::Diagnosis::MEDIUM},
    {"OwnLimitIsNeverTheNodesFault",
     R"pb(pods {
            status {
              phase: "Failed"
              reason: "Evicted"
              message: "Container main exceeded its local ephemeral storage limit \"1Gi\". "
              conditions {
                type: "DisruptionTarget"
                status: "True"
                reason: "TerminationByKubelet"
              }
            }
          })pb",
     v1::STORAGE_EXHAUSTED, v1::Diagnosis::HIGH},
};
INSTANTIATE_TEST_SUITE_P(Disruptions, PodEnd, ::testing::ValuesIn(kDisruptions),
                         NameOf);

constexpr PodCase kContainers[] = {
    {"InventedCodeAlone",
     R"pb(pods {
            status {
              phase: "Failed"
              container_statuses {
                state {
                  terminated {
                    exit_code: 137
                    reason: "ContainerStatusUnknown"
                    message: "The container could not be located when the pod was terminated"
                  }
                }
              }
            }
          })pb",
     v1::NODE_LOST, v1::Diagnosis::LOW},
    {"InventedCodeYieldsToThePodsReason",
     R"pb(pods {
            status {
              phase: "Failed"
              reason: "Evicted"
              message: "The node was low on resource: ephemeral-storage."
              container_statuses {
                state {
                  terminated { exit_code: 137 reason: "ContainerStatusUnknown" }
                }
              }
            }
          })pb",
     v1::NODE_PRESSURE_EVICTED, v1::Diagnosis::HIGH},
    {"RestartInPlaceIsNotAFailure",
     R"pb(pods {
            status {
              phase: "Running"
              container_statuses {
                state {
                  terminated {
                    exit_code: 137
                    reason: "RestartingAllContainers"
                  }
                }
              }
            }
          })pb",
     v1::NOT_FAILED, v1::Diagnosis::HIGH},
    {"DeletedByForceSinceItsNodeIsUnreachable",
     R"pb(pods {
            status {
              phase: "Failed"
              conditions {
                type: "KueueFailureRecovery"
                status: "True"
                reason: "KueueForcefullyDeleted"
                message: "Pod forcefully terminated after 1m0s grace period due to unreachable node `n`"
              }
              container_statuses { state { running {} } }
            }
          })pb",
     v1::NODE_LOST, v1::Diagnosis::HIGH},
    {"NothingLeftForSharedContainers",
     R"pb(pods {
            status {
              phase: "Failed"
              reason: "EmptyPodSharedPoolError"
              message: "pod rejected, sum of exclusive container cpu requests equals pod budget, leaving no cpus for shared containers"
            }
          })pb",
     v1::CONFIG_MISSING, v1::Diagnosis::HIGH},
    {"RuntimeLostTheContainer",
     R"pb(pods {
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 255 reason: "Unknown" } }
              }
            }
          })pb",
     v1::NODE_LOST, v1::Diagnosis::MEDIUM},
    {"CrashLoopIsReadInTheLastState",
     R"pb(pods {
            status {
              phase: "Running"
              container_statuses {
                state { waiting { reason: "CrashLoopBackOff" } }
                last_state { terminated { exit_code: 137 reason: "OOMKilled" } }
              }
            }
          })pb",
     v1::CONTAINER_OOM, v1::Diagnosis::HIGH},
    {"CrashLoopWithoutALastState",
     R"pb(pods {
            status {
              phase: "Running"
              container_statuses {
                state { waiting { reason: "CrashLoopBackOff" } }
              }
            }
          })pb",
     v1::APP_ERROR, v1::Diagnosis::LOW},
    {"StateBeforeLastState",
     R"pb(pods {
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 1 reason: "Error" } }
                last_state { terminated { exit_code: 137 reason: "OOMKilled" } }
              }
            }
          })pb",
     v1::APP_ERROR, v1::Diagnosis::MEDIUM},
    {"RunningAgainIsAsSureOfThePreviousRun",
     R"pb(pods {
            status {
              phase: "Running"
              container_statuses {
                state { running {} }
                last_state { terminated { exit_code: 137 reason: "OOMKilled" } }
              }
            }
          })pb",
     v1::CONTAINER_OOM, v1::Diagnosis::HIGH},
    {"ChildKilledForMemoryParentExitsOne",
     R"pb(pods {
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 1 reason: "OOMKilled" } }
              }
            }
          })pb",
     v1::CONTAINER_OOM, v1::Diagnosis::HIGH},
    {"SecondContainerDecides",
     R"pb(pods {
            spec {
              containers { name: "a" }
              containers { name: "b" }
            }
            status {
              phase: "Failed"
              container_statuses {
                name: "a"
                state { terminated { exit_code: 0 reason: "Completed" } }
              }
              container_statuses {
                name: "b"
                state { terminated { exit_code: 139 reason: "Error" } }
              }
            }
          })pb",
     v1::CRASH_SIGNAL, v1::Diagnosis::MEDIUM},
    {"OwnEndBeforeKilledSibling", R"pb(pods {
                                         status {
                                           phase: "Failed"
                                           container_statuses {
                                             name: "a"
                                             state {
                                               terminated {
                                                 exit_code: 143
                                                 reason: "Error"
                                                 finished_at { seconds: 90 }
                                               }
                                             }
                                           }
                                           container_statuses {
                                             name: "b"
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
     v1::APP_ERROR, v1::Diagnosis::MEDIUM},
    {"KilledSidecarDoesNotFailThePod",
     R"pb(pods {
            spec { containers { name: "main" } }
            status {
              phase: "Failed"
              container_statuses {
                name: "main"
                state { terminated { exit_code: 0 reason: "Completed" } }
              }
              container_statuses {
                name: "istio-proxy"
                state { terminated { exit_code: 137 reason: "Error" } }
              }
            }
          })pb",
     v1::SUCCEEDED, v1::Diagnosis::MEDIUM},
    {"RestartableInitContainerNeverFailsThePod",
     R"pb(pods {
            spec {
              init_containers { name: "log" restart_policy: "Always" }
              containers { name: "main" }
            }
            status {
              phase: "Succeeded"
              init_container_statuses {
                name: "log"
                state { terminated { exit_code: 1 reason: "Error" } }
              }
              container_statuses {
                name: "main"
                state { terminated { exit_code: 0 reason: "Completed" } }
              }
            }
          })pb",
     v1::SUCCEEDED, v1::Diagnosis::HIGH},
    {"HelperThatFailsByItselfWhenTheWorkHasCompleted",
     R"pb(pods {
            spec { containers { name: "main" } }
            status {
              phase: "Failed"
              container_statuses {
                name: "main"
                state { terminated { exit_code: 0 reason: "Completed" } }
              }
              container_statuses {
                name: "vault-agent"
                state { terminated { exit_code: 1 reason: "Error" } }
              }
            }
          })pb",
     v1::SUCCEEDED, v1::Diagnosis::MEDIUM},
    {"ContainerSavingTheOutputsFails",
     R"pb(pods {
            spec { containers { name: "main" } }
            status {
              phase: "Failed"
              container_statuses {
                name: "main"
                state { terminated { exit_code: 0 reason: "Completed" } }
              }
              container_statuses {
                name: "wait"
                state { terminated { exit_code: 1 reason: "Error" } }
              }
            }
          })pb",
     v1::LAUNCHER_FAILED, v1::Diagnosis::MEDIUM},
    {"EphemeralContainerNeverMatters",
     R"pb(pods {
            status {
              phase: "Running"
              ephemeral_container_statuses {
                name: "debug"
                state { terminated { exit_code: 1 reason: "Error" } }
              }
              container_statuses {
                name: "main"
                state { running {} }
              }
            }
          })pb",
     v1::NOT_FAILED, v1::Diagnosis::HIGH},
    {"InitContainerFailsThePod",
     R"pb(pods {
            status {
              phase: "Failed"
              init_container_statuses {
                name: "prepare"
                state { terminated { exit_code: 1 reason: "Error" } }
              }
              container_statuses {
                name: "main"
                state { waiting { reason: "PodInitializing" } }
              }
            }
          })pb",
     v1::LAUNCHER_FAILED, v1::Diagnosis::MEDIUM},
    {"InitContainerOutOfMemoryIsMoreSpecific",
     R"pb(pods {
            status {
              phase: "Failed"
              init_container_statuses {
                name: "prepare"
                state { terminated { exit_code: 137 reason: "OOMKilled" } }
              }
            }
          })pb",
     v1::CONTAINER_OOM, v1::Diagnosis::HIGH},
    {"InitContainerWithAnExplainingLog",
     R"pb(pods {
            status {
              phase: "Failed"
              init_container_statuses {
                name: "prepare"
                state {
                  terminated {
                    exit_code: 1
                    reason: "Error"
                    message: "curl: (7) Failed to connect to models.example port 443: Connection refused"
                  }
                }
              }
            }
          })pb",
     v1::DEPENDENCY_UNAVAILABLE, v1::Diagnosis::MEDIUM},
    {"WaitingReasonBeforeAnOlderCrash",
     R"pb(pods {
            status {
              phase: "Pending"
              container_statuses {
                state {
                  waiting {
                    reason: "CreateContainerConfigError"
                    message: "secret \"s\" not found"
                  }
                }
                last_state { terminated { exit_code: 1 reason: "Error" } }
              }
            }
          })pb",
     v1::CONFIG_MISSING, v1::Diagnosis::HIGH},
    {"UnhealthyDevice",
     R"pb(pods {
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 1 reason: "Error" } }
                allocated_resources_status {
                  name: "nvidia.com/gpu"
                  resources { resource_id: "GPU-1" health: "Unhealthy" }
                }
              }
            }
          })pb",
     v1::GPU_FAULT, v1::Diagnosis::MEDIUM},
    {"HealthyDevice",
     R"pb(pods {
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 1 reason: "Error" } }
                allocated_resources_status {
                  name: "nvidia.com/gpu"
                  resources { resource_id: "GPU-1" health: "Healthy" }
                }
              }
            }
          })pb",
     v1::APP_ERROR, v1::Diagnosis::MEDIUM},
    {"FailedWithoutAnything", R"pb(pods { status { phase: "Failed" } })pb",
     v1::UNKNOWN, v1::Diagnosis::LOW},
};
INSTANTIATE_TEST_SUITE_P(Containers, PodEnd, ::testing::ValuesIn(kContainers),
                         NameOf);

constexpr PodCase kSurroundings[] = {
    {"DeletedByHand", R"pb(pods {
                             metadata {
                               deletion_timestamp { seconds: 130 }
                               deletion_grace_period_seconds: 30
                             }
                             status {
                               phase: "Failed"
                               container_statuses {
                                 state {
                                   terminated {
                                     exit_code: 143
                                     reason: "Error"
                                     finished_at { seconds: 101 }
                                   }
                                 }
                               }
                             }
                           })pb",
     v1::CANCELLED, v1::Diagnosis::MEDIUM},
    {"FailedBeforeItWasDeleted", R"pb(pods {
                                        metadata {
                                          deletion_timestamp { seconds: 130 }
                                          deletion_grace_period_seconds: 30
                                        }
                                        status {
                                          phase: "Failed"
                                          container_statuses {
                                            state {
                                              terminated {
                                                exit_code: 143
                                                reason: "Error"
                                                finished_at { seconds: 90 }
                                              }
                                            }
                                          }
                                        }
                                      })pb",
     v1::SIGTERM_UNEXPLAINED, v1::Diagnosis::LOW},
    {"OwnErrorOfADeletedPod",
     R"pb(pods {
            metadata { deletion_timestamp { seconds: 130 } }
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 1 reason: "Error" } }
              }
            }
          })pb",
     v1::APP_ERROR, v1::Diagnosis::MEDIUM},
    {"LivenessProbeKilled",
     R"pb(pods {
            metadata { name: "p" }
            status {
              phase: "Running"
              container_statuses {
                state { waiting { reason: "CrashLoopBackOff" } }
                last_state { terminated { exit_code: 137 reason: "Error" } }
              }
            }
          }
          events {
            reason: "Killing"
            message: "Container main failed liveness probe, will be restarted"
            involved_object { kind: "Pod" name: "p" }
          })pb",
     v1::PROBE_KILLED, v1::Diagnosis::HIGH},
    {"ProbeDoesNotExplainAnOwnExit",
     R"pb(pods {
            metadata { name: "p" }
            status {
              phase: "Running"
              container_statuses {
                state { waiting { reason: "CrashLoopBackOff" } }
                last_state { terminated { exit_code: 1 reason: "Error" } }
              }
            }
          }
          events {
            reason: "Unhealthy"
            type: "Warning"
            message: "Liveness probe failed: connection refused"
            involved_object { kind: "Pod" name: "p" }
          })pb",
     v1::APP_ERROR, v1::Diagnosis::MEDIUM},
    {"ReadinessProbeKillsNothing",
     R"pb(pods {
            metadata { name: "p" }
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 137 reason: "Error" } }
              }
            }
          }
          events {
            reason: "Unhealthy"
            type: "Warning"
            message: "Readiness probe failed: HTTP probe failed"
            involved_object { kind: "Pod" name: "p" }
          })pb",
     v1::SIGKILL_UNEXPLAINED, v1::Diagnosis::LOW},
    {"NodeUnreachable",
     R"pb(pods {
            spec { node_name: "n" }
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 137 reason: "Error" } }
              }
            }
          }
          nodes {
            metadata { name: "n" }
            spec {
              taints {
                key: "node.kubernetes.io/unreachable"
                effect: "NoExecute"
              }
            }
          })pb",
     v1::NODE_LOST, v1::Diagnosis::HIGH},
    {"AnotherNodesTrouble",
     R"pb(pods {
            spec { node_name: "n" }
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 137 reason: "Error" } }
              }
            }
          }
          nodes {
            metadata { name: "m" }
            spec { taints { key: "node.kubernetes.io/unreachable" } }
          })pb",
     v1::SIGKILL_UNEXPLAINED, v1::Diagnosis::LOW},
    {"NodeTroubleLongAfterTheEnd",
     R"pb(pods {
            spec { node_name: "n" }
            status {
              phase: "Failed"
              container_statuses {
                state {
                  terminated {
                    exit_code: 137
                    reason: "Error"
                    finished_at { seconds: 100 }
                  }
                }
              }
            }
          }
          nodes {
            metadata { name: "n" }
            status {
              conditions {
                type: "Ready"
                status: "Unknown"
                last_transition_time { seconds: 4000 }
              }
            }
          })pb",
     v1::SIGKILL_UNEXPLAINED, v1::Diagnosis::LOW},
    {"NodeTroubleDoesNotExplainAnOwnExit",
     R"pb(pods {
            spec { node_name: "n" }
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 1 reason: "Error" } }
              }
            }
          }
          nodes {
            metadata { name: "n" }
            status { conditions { type: "Ready" status: "Unknown" } }
          })pb",
     v1::APP_ERROR, v1::Diagnosis::MEDIUM},
    {"SpotNoticeOnTheNode",
     R"pb(pods {
            spec { node_name: "n" }
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 143 reason: "Error" } }
              }
            }
          }
          nodes {
            metadata { name: "n" }
            spec { taints { key: "aws-node-termination-handler/spot-itn" } }
          })pb",
     v1::SPOT_RECLAIMED, v1::Diagnosis::HIGH},
    {"DrainAfterASpotNoticeIsTheReclaim",
     R"pb(pods {
            spec { node_name: "n" }
            status {
              phase: "Failed"
              conditions {
                type: "DisruptionTarget"
                status: "True"
                reason: "EvictionByEvictionAPI"
              }
              container_statuses {
                state { terminated { exit_code: 143 reason: "Error" } }
              }
            }
          }
          nodes {
            metadata { name: "n" }
            spec {
              taints { key: "cloud.google.com/impending-node-termination" }
            }
          })pb",
     v1::SPOT_RECLAIMED, v1::Diagnosis::HIGH},
    {"ShutdownOfASpotNode",
     R"pb(pods {
            spec { node_name: "n" }
            status { phase: "Failed" reason: "Terminated" }
          }
          nodes {
            metadata {
              name: "n"
              labels { key: "cloud.google.com/gke-spot" value: "true" }
            }
          })pb",
     v1::SPOT_RECLAIMED, v1::Diagnosis::MEDIUM},
    {"TaintOfASpotNodeThatWasLost",
     R"pb(pods {
            spec { node_name: "n" }
            status {
              phase: "Failed"
              conditions {
                type: "DisruptionTarget"
                status: "True"
                reason: "DeletionByTaintManager"
              }
            }
          }
          nodes {
            metadata {
              name: "n"
              labels { key: "cloud.google.com/gke-spot" value: "true" }
            }
            status { conditions { type: "Ready" status: "Unknown" } }
          })pb",
     v1::SPOT_RECLAIMED, v1::Diagnosis::MEDIUM},
    // The node is back before the report, and only the pod still shows it.
    {"TaintOfANodeThatWasNotReady",
     R"pb(pods {
            status {
              phase: "Running"
              conditions { type: "Ready" status: "False" }
              conditions { type: "ContainersReady" status: "True" }
              conditions {
                type: "DisruptionTarget"
                status: "True"
                reason: "DeletionByTaintManager"
              }
            }
          })pb",
     v1::NODE_LOST, v1::Diagnosis::HIGH},
    {"TaintOfANodeThatIsBack",
     R"pb(pods {
            spec { node_name: "n" }
            status {
              phase: "Running"
              conditions {
                type: "DisruptionTarget"
                status: "True"
                reason: "DeletionByTaintManager"
                last_transition_time { seconds: 1000 }
              }
            }
          }
          nodes {
            metadata {
              name: "n"
              creation_timestamp { seconds: 100 }
            }
            status {
              conditions {
                type: "Ready"
                status: "True"
                last_transition_time { seconds: 1060 }
              }
            }
          })pb",
     v1::NODE_LOST, v1::Diagnosis::HIGH},
    {"TaintOfAReadyNode",
     R"pb(pods {
            status {
              phase: "Running"
              conditions {
                type: "Ready"
                status: "False"
                reason: "ContainersNotReady"
              }
              conditions { type: "ContainersReady" status: "False" }
              conditions {
                type: "DisruptionTarget"
                status: "True"
                reason: "DeletionByTaintManager"
              }
            }
          })pb",
     v1::TAINT_EVICTED, v1::Diagnosis::HIGH},
    {"ShutdownOfAnOrdinaryNode",
     R"pb(pods {
            spec { node_name: "n" }
            status { phase: "Failed" reason: "Terminated" }
          }
          nodes {
            metadata {
              name: "n"
              labels { key: "karpenter.sh/capacity-type" value: "on-demand" }
            }
          })pb",
     v1::NODE_SHUTDOWN, v1::Diagnosis::HIGH},
    {"LostMachineOfAnInterruptibleWorkload",
     R"pb(workload { interruptible: true }
          pods {
            status {
              phase: "Failed"
              conditions {
                type: "DisruptionTarget"
                status: "True"
                reason: "DeletionByPodGC"
              }
            }
          })pb",
     v1::SPOT_RECLAIMED, v1::Diagnosis::MEDIUM},
    {"SystemOomOnTheNode",
     R"pb(pods {
            spec { node_name: "n" }
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 137 reason: "Error" } }
              }
            }
          }
          events {
            reason: "SystemOOM"
            message: "System OOM encountered, victim process: python"
            involved_object { kind: "Node" name: "n" }
          })pb",
     v1::HOST_OOM, v1::Diagnosis::MEDIUM},
    {"MemoryPeakAtTheLimit",
     R"pb(pods {
            status {
              phase: "Failed"
              container_statuses {
                name: "main"
                state { terminated { exit_code: 137 reason: "Error" } }
              }
            }
          }
          usage { memory_peak_bytes: 990 memory_limit_bytes: 1000 })pb",
     v1::CONTAINER_OOM, v1::Diagnosis::MEDIUM},
    {"MemoryPeakBelowTheLimit",
     R"pb(pods {
            status {
              phase: "Failed"
              container_statuses {
                name: "main"
                state { terminated { exit_code: 137 reason: "Error" } }
              }
            }
          }
          usage { memory_peak_bytes: 500 memory_limit_bytes: 1000 })pb",
     v1::SIGKILL_UNEXPLAINED, v1::Diagnosis::LOW},
    {"SchedulingTroubleOfAPodThatRan",
     R"pb(pods {
            metadata { name: "p" }
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 1 reason: "Error" } }
              }
            }
          }
          events {
            reason: "FailedScheduling"
            type: "Warning"
            message: "0/3 nodes are available: 3 Insufficient cpu."
            involved_object { kind: "Pod" name: "p" }
          })pb",
     v1::APP_ERROR, v1::Diagnosis::MEDIUM},
    {"PullTroubleOfAPodThatRan",
     R"pb(pods {
            metadata { name: "p" }
            status {
              phase: "Failed"
              container_statuses {
                state { terminated { exit_code: 1 reason: "Error" } }
              }
            }
          }
          events {
            reason: "Failed"
            type: "Warning"
            message: "Failed to pull image \"x\": 503 Service Unavailable"
            involved_object { kind: "Pod" name: "p" }
          })pb",
     v1::APP_ERROR, v1::Diagnosis::MEDIUM},
    {"EventSaysWhyThePullFails",
     R"pb(pods {
            metadata { name: "p" }
            status {
              phase: "Pending"
              container_statuses {
                state {
                  waiting {
                    reason: "ImagePullBackOff"
                    message: "Back-off pulling image \"x\""
                  }
                }
              }
            }
          }
          events {
            reason: "Failed"
            type: "Warning"
            message: "Failed to pull image \"x\": toomanyrequests: limit reached"
            involved_object { kind: "Pod" name: "p" }
          })pb",
     v1::IMAGE_PULL_TRANSIENT, v1::Diagnosis::MEDIUM},
    {"UnknownPullTroubleOfAYoungPodMayPass",
     R"pb(observed_at { seconds: 1060 }
          pods {
            status {
              phase: "Pending"
              start_time { seconds: 1000 }
              container_statuses {
                state { waiting { reason: "ErrImagePull" } }
              }
            }
          })pb",
     v1::IMAGE_PULL_TRANSIENT, v1::Diagnosis::LOW},
    {"UnknownPullTroubleOfAnOldPod",
     R"pb(observed_at { seconds: 2000 }
          pods {
            status {
              phase: "Pending"
              start_time { seconds: 1000 }
              container_statuses {
                state { waiting { reason: "ErrImagePull" } }
              }
            }
          })pb",
     v1::IMAGE_INVALID, v1::Diagnosis::LOW},
    {"Unschedulable", R"pb(pods {
                             status {
                               phase: "Pending"
                               conditions {
                                 type: "PodScheduled"
                                 status: "False"
                                 reason: "Unschedulable"
                                 message: "0/5 nodes are available"
                               }
                             }
                           })pb",
     v1::UNSCHEDULABLE, v1::Diagnosis::HIGH},
    {"HeldByASchedulingGate", R"pb(pods {
                                     status {
                                       phase: "Pending"
                                       conditions {
                                         type: "PodScheduled"
                                         status: "False"
                                         reason: "SchedulingGated"
                                       }
                                     }
                                   })pb",
     v1::SUSPENDED, v1::Diagnosis::MEDIUM},
    {"StartingForALongTime",
     R"pb(observed_at { seconds: 5000 }
          pods {
            status {
              phase: "Pending"
              start_time { seconds: 1000 }
              container_statuses {
                state { waiting { reason: "ContainerCreating" } }
              }
            }
          })pb",
     v1::START_TIMEOUT, v1::Diagnosis::LOW},
    {"StillStarting",
     R"pb(observed_at { seconds: 1010 }
          pods {
            status {
              phase: "Pending"
              start_time { seconds: 1000 }
              container_statuses {
                state { waiting { reason: "ContainerCreating" } }
              }
            }
          })pb",
     v1::NOT_FAILED, v1::Diagnosis::HIGH},
    {"QueueMarkOnAPlainPod",
     R"pb(pods {
            status {
              phase: "Failed"
              conditions {
                type: "TerminationTarget"
                status: "True"
                reason: "WorkloadEvictedDueToPreempted"
              }
              container_statuses {
                state { terminated { exit_code: 143 reason: "Error" } }
              }
            }
          })pb",
     v1::PREEMPTED_QUEUE, v1::Diagnosis::HIGH},
    {"StuckTerminating",
     R"pb(observed_at { seconds: 9000 }
          pods {
            metadata { deletion_timestamp { seconds: 1000 } }
            status {
              phase: "Running"
              container_statuses { state { running {} } }
            }
          })pb",
     v1::HANG, v1::Diagnosis::MEDIUM},
    {"HealthyPodIsNotAFailure",
     R"pb(pods {
            status {
              phase: "Running"
              container_statuses { state { running {} } }
            }
          })pb",
     v1::NOT_FAILED, v1::Diagnosis::HIGH},
};
INSTANTIATE_TEST_SUITE_P(Surroundings, PodEnd,
                         ::testing::ValuesIn(kSurroundings), NameOf);

struct CodeCase {
  int code;
  v1::Cause cause;

  friend std::ostream& operator<<(std::ostream& out, const CodeCase& row) {
    return out << row.code;
  }
};
class ExitCodeAlone : public ::testing::TestWithParam<CodeCase> {};

TEST_P(ExitCodeAlone, MeansTheSameInPodAndBareExit) {
  const auto pod = Diagnose(FailedPod(GetParam().code, "Error"));
  v1::FailureReport bare;
  bare.mutable_exit()->set_exit_code(GetParam().code);
  EXPECT_EQ(v1::Cause_Name(pod.cause()), v1::Cause_Name(GetParam().cause));
  EXPECT_EQ(Diagnose(bare).cause(), pod.cause());
  EXPECT_EQ(Diagnose(bare).exit_code(), GetParam().code);
}

INSTANTIATE_TEST_SUITE_P(
    , ExitCodeAlone,
    ::testing::Values(
        CodeCase{1, v1::APP_ERROR}, CodeCase{3, v1::APP_ERROR},
        CodeCase{2, v1::CONFIG_USER_ERROR}, CodeCase{52, v1::APP_ERROR},
        CodeCase{64, v1::CONFIG_USER_ERROR}, CodeCase{65, v1::DECLARED_FATAL},
        CodeCase{69, v1::DEPENDENCY_UNAVAILABLE},
        CodeCase{75, v1::DECLARED_RETRYABLE}, CodeCase{77, v1::DECLARED_FATAL},
        CodeCase{78, v1::CONFIG_USER_ERROR},
        CodeCase{125, v1::SANDBOX_OR_MOUNT}, CodeCase{126, v1::CONFIG_MISSING},
        CodeCase{127, v1::CONFIG_MISSING}, CodeCase{128, v1::APP_ERROR},
        CodeCase{130, v1::APP_ERROR}, CodeCase{132, v1::CRASH_SIGNAL},
        CodeCase{134, v1::CRASH_SIGNAL}, CodeCase{135, v1::CRASH_SIGNAL},
        CodeCase{137, v1::SIGKILL_UNEXPLAINED},
        CodeCase{138, v1::DECLARED_RETRYABLE}, CodeCase{139, v1::CRASH_SIGNAL},
        CodeCase{140, v1::DEADLINE_POD}, CodeCase{143, v1::SIGTERM_UNEXPLAINED},
        CodeCase{159, v1::CRASH_SIGNAL}, CodeCase{241, v1::SIGTERM_UNEXPLAINED},
        CodeCase{245, v1::CRASH_SIGNAL}, CodeCase{249, v1::CRASH_SIGNAL},
        CodeCase{250, v1::CRASH_SIGNAL}, CodeCase{247, v1::SIGKILL_UNEXPLAINED},
        CodeCase{255, v1::APP_ERROR}, CodeCase{-1, v1::NODE_LOST},
        CodeCase{-6, v1::CRASH_SIGNAL}, CodeCase{-9, v1::SIGKILL_UNEXPLAINED},
        CodeCase{-15, v1::SIGTERM_UNEXPLAINED}, CodeCase{300, v1::APP_ERROR},
        CodeCase{50001, v1::SPOT_RECLAIMED}, CodeCase{50002, v1::NODE_LOST},
        CodeCase{50003, v1::NODE_LOST}, CodeCase{50004, v1::HANG},
        CodeCase{50005, v1::DEADLINE_POD}, CodeCase{50006, v1::NODE_LOST},
        CodeCase{-1073741819, v1::CRASH_SIGNAL},
        CodeCase{-1073741801, v1::CONTAINER_OOM},
        CodeCase{-1073741510, v1::SIGTERM_UNEXPLAINED},
        CodeCase{2147483647, v1::APP_ERROR},
        CodeCase{-2147483647 - 1, v1::APP_ERROR}),
    [](const auto& test) {
      std::string name = std::to_string(test.param.code);
      if (name[0] == '-') name[0] = 'm';
      return name;
    });

TEST(SparkExitCode, IsReadWithSparkEvidenceOnly) {
  v1::FailureReport report = FailedPod(52, "Error");
  EXPECT_EQ(Diagnose(report).cause(), v1::APP_ERROR);
  (*report.mutable_pods(0)
        ->mutable_metadata()
        ->mutable_labels())["spark-role"] = "executor";
  EXPECT_EQ(Diagnose(report).cause(), v1::CONTAINER_OOM);
}

TEST(BareExit, ReasonDecidesAsForAPod) {
  v1::FailureReport report;
  report.mutable_exit()->set_reason("Evicted");
  report.mutable_exit()->set_message("The node was low on resource: inodes.");
  EXPECT_EQ(Diagnose(report).cause(), v1::NODE_PRESSURE_EVICTED);
  report.mutable_exit()->set_reason("OOMKilled");
  report.mutable_exit()->set_exit_code(137);
  EXPECT_EQ(Diagnose(report).cause(), v1::CONTAINER_OOM);
}

TEST(HealthyReport, SaysThatNothingFailed) {
  Findings findings;
  const auto diagnosis =
      Diagnose(Report(R"pb(pods {
                             status {
                               phase: "Running"
                               container_statuses { state { running {} } }
                             }
                           })pb"),
               {}, &findings);
  EXPECT_EQ(diagnosis.cause(), v1::NOT_FAILED);
  EXPECT_EQ(diagnosis.situation(), v1::Diagnosis::ALIVE);
  EXPECT_THAT(diagnosis.summary(), ::testing::HasSubstr("Nothing has failed"));
  EXPECT_THAT(findings.warnings, ::testing::IsEmpty());
}

}  // namespace
}  // namespace mulligan::demystify
