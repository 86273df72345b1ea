// How one pod ended: reasons, conditions, containers, exit codes and times, and
// near misses.
#include <ostream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"
#include "tests/policy/demystify/report_text.h"

namespace mulligan::demystify {
namespace {

struct PodCase {
  const char* name;
  // Text format of FailureReport.
  std::string report;
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

const PodCase kReasons[] = {
    {"OomKilledIsTheContainersLimit", Failed(Exited(137, "OOMKilled")),
     v1::CONTAINER_OOM, kHigh},
    {"EvictedForNodePressureByItsMessage",
     Failed(Reason("Evicted", "The node was low on resource: memory.")),
     v1::NODE_PRESSURE_EVICTED, kHigh},
    {"EvictedForItsOwnStorageLimit",
     Failed(Reason("Evicted",
                   "Pod ephemeral local storage usage exceeds the total limit "
                   "of containers 2Gi.")),
     v1::STORAGE_EXHAUSTED, kHigh},
    {"EvictedEmptyDirLimit",
     Failed(Reason(
         "Evicted",
         "Usage of EmptyDir volume \"scratch\" exceeds the limit \"5Gi\".")),
     v1::STORAGE_EXHAUSTED, kHigh},
    {"EvictedWithConditionAndNoWordsIsNodePressure",
     Failed(Reason("Evicted"), Disruption("TerminationByKubelet")),
     v1::NODE_PRESSURE_EVICTED, kHigh},
    {"EvictedWithoutWordsOrConditionIsAGuess", Failed(Reason("Evicted")),
     v1::NODE_PRESSURE_EVICTED, kLow},
    {"EvictedAtAdmissionUnderPressure",
     Failed(Reason("Evicted", "The node had condition: [MemoryPressure]. ")),
     v1::NODE_PRESSURE_EVICTED, kHigh},
    {"PodDeadline", Failed(Reason("DeadlineExceeded"), Exited(143)),
     v1::DEADLINE_POD, kHigh},
    {"AdmissionRefusalNeverRan", Failed(Reason("OutOfephemeral-storage")),
     v1::DEVICE_ADMISSION, kHigh},
    {"KubeletPreemptsForACriticalPod",
     Failed(Reason("Preempting", "Preempted in order to admit critical pod")),
     v1::PREEMPTED_SCHEDULER, kHigh},
    {"NodeLostWhileStillRunning",
     Pod("Running", "metadata { deletion_timestamp { seconds: 100 } }",
         Reason("NodeLost")),
     v1::NODE_LOST, kHigh},
    {"ReasonOfAnEarlierShutdownOnARunningPodIsLessSure",
     Pod("Running", Reason("Terminated")), v1::NODE_SHUTDOWN, kMedium},
};
INSTANTIATE_TEST_SUITE_P(Reasons, PodEnd, ::testing::ValuesIn(kReasons),
                         NameOf);

const PodCase kDisruptions[] = {
    {"SigtermHonouredInTime",
     Failed(Disruption("EvictionByEvictionAPI", 100),
            Exited(143, "Error", 110)),
     v1::DRAINED, kHigh},
    {"GracePeriodRanOut",
     Failed(Disruption("PreemptionByScheduler", 100),
            Exited(137, "Error", 130)),
     v1::PREEMPTED_SCHEDULER, kHigh},
    {"FailedOnItsOwnBeforeTheDisruption",
     Failed(Disruption("EvictionByEvictionAPI", 100), Exited(1, "Error", 99)),
     v1::APP_ERROR, kMedium},
    {"KilledBeforeTheDisruptionIsNotExplainedByIt",
     Failed(Disruption("EvictionByEvictionAPI", 100), Exited(137, "Error", 60)),
     v1::SIGKILL_UNEXPLAINED, kLow},
    {"TieIsADisruption",
     Failed(Disruption("EvictionByEvictionAPI", 100), Exited(1, "Error", 100)),
     v1::DRAINED, kHigh},
    {"EpochIsUnset",
     Failed(Disruption("EvictionByEvictionAPI", 100),
            Container("state { terminated { exit_code: 137 reason: 'Error' "
                      "finished_at {} } }")),
     v1::DRAINED, kHigh},
    {"StaleConditionSaysNothing",
     Failed(FalseCondition("DisruptionTarget", "PreemptionByScheduler"),
            Exited(143)),
     v1::SIGTERM_UNEXPLAINED, kLow},
    {"SucceededPodStaysASuccess",
     Pod("Succeeded", Reason("Terminated"),
         Disruption(
             "TerminationByKubelet",
             "Pod was terminated in response to imminent node shutdown."),
         Exited(0, "Completed")),
     v1::SUCCEEDED, kMedium},
    {"OomBeforeTheDisruption",
     Failed(Disruption("EvictionByEvictionAPI", 100),
            Exited(137, "OOMKilled", 90)),
     v1::CONTAINER_OOM, kHigh},
    {"OomWithoutTimesStands",
     Failed(Disruption("EvictionByEvictionAPI"), Exited(137, "OOMKilled")),
     v1::CONTAINER_OOM, kHigh},
    {"OomUnderNodePressureIsTheNodes",
     Failed(Reason("Evicted", "The node was low on resource: memory."),
            Exited(137, "OOMKilled")),
     v1::NODE_PRESSURE_EVICTED, kHigh},
    {"KubeletShutdownByItsMessage",
     Failed(Disruption(
         "TerminationByKubelet",
         "Pod was terminated in response to imminent node shutdown.")),
     v1::NODE_SHUTDOWN, kHigh},
    {"ReasonOfAThirdPartyByItsMessage",
     Failed(Disruption("VendorReclaim",
                       "vendor: preempting to accommodate a larger pod")),
     v1::PREEMPTED_SCHEDULER, kHigh},
    {"UnknownReasonIsSomeDisruption", Failed(Disruption("SomethingNew")),
     v1::DRAINED, kMedium},
    {"OwnLimitIsNeverTheNodesFault",
     Failed(Reason("Evicted",
                   "Container main exceeded its local ephemeral storage limit "
                   "\"1Gi\". "),
            Disruption("TerminationByKubelet")),
     v1::STORAGE_EXHAUSTED, kHigh},
};
INSTANTIATE_TEST_SUITE_P(Disruptions, PodEnd, ::testing::ValuesIn(kDisruptions),
                         NameOf);

const PodCase kContainers[] = {
    {"InventedCodeAlone",
     Failed(Exited(
         137, "ContainerStatusUnknown",
         "The container could not be located when the pod was terminated")),
     v1::NODE_LOST, kLow},
    {"InventedCodeYieldsToThePodsReason",
     Failed(
         Reason("Evicted", "The node was low on resource: ephemeral-storage."),
         Exited(137, "ContainerStatusUnknown")),
     v1::NODE_PRESSURE_EVICTED, kHigh},
    {"RestartInPlaceIsNotAFailure",
     Pod("Running", Exited(137, "RestartingAllContainers")), v1::NOT_FAILED,
     kHigh},
    {"DeletedByForceSinceItsNodeIsUnreachable",
     Failed(Condition("KueueFailureRecovery", "KueueForcefullyDeleted",
                      "Pod forcefully terminated after 1m0s grace period due "
                      "to unreachable node `n`"),
            Container(kRuns)),
     v1::NODE_LOST, kHigh},
    {"NothingLeftForSharedContainers",
     Failed(Reason("EmptyPodSharedPoolError",
                   "pod rejected, sum of exclusive container cpu requests "
                   "equals pod budget, leaving no cpus for shared containers")),
     v1::CONFIG_MISSING, kHigh},
    {"RuntimeLostTheContainer", Failed(Exited(255, "Unknown")), v1::NODE_LOST,
     kMedium},
    {"CrashLoopIsReadInTheLastState",
     Pod("Running",
         Container(WaitState("CrashLoopBackOff"), LastExit(137, "OOMKilled"))),
     v1::CONTAINER_OOM, kHigh},
    {"CrashLoopWithoutALastState", Pod("Running", Waits("CrashLoopBackOff")),
     v1::APP_ERROR, kLow},
    {"StateBeforeLastState",
     Failed(Container(ExitState(1), LastExit(137, "OOMKilled"))), v1::APP_ERROR,
     kMedium},
    {"RunningAgainIsAsSureOfThePreviousRun",
     Pod("Running", Container(kRuns, LastExit(137, "OOMKilled"))),
     v1::CONTAINER_OOM, kHigh},
    {"ChildKilledForMemoryParentExitsOne", Failed(Exited(1, "OOMKilled")),
     v1::CONTAINER_OOM, kHigh},
    {"SecondContainerDecides",
     Failed("spec { containers { name: 'a' } containers { name: 'b' } }",
            Container("name: 'a'", ExitState(0, "Completed")),
            Container("name: 'b'", ExitState(139))),
     v1::CRASH_SIGNAL, kMedium},
    {"OwnEndBeforeKilledSibling",
     Failed(Container("name: 'a'", ExitState(143, "Error", 90)),
            Container("name: 'b'", ExitState(1, "Error", 100))),
     v1::APP_ERROR, kMedium},
    {"KilledSidecarDoesNotFailThePod",
     Failed("spec { containers { name: 'main' } }",
            Container("name: 'main'", ExitState(0, "Completed")),
            Container("name: 'istio-proxy'", ExitState(137))),
     v1::SUCCEEDED, kMedium},
    {"RestartableInitContainerNeverFailsThePod",
     Pod("Succeeded",
         "spec { init_containers { name: 'log' restart_policy: 'Always' } "
         "containers { name: 'main' } }",
         InitContainer("name: 'log'", ExitState(1)),
         Container("name: 'main'", ExitState(0, "Completed"))),
     v1::SUCCEEDED, kHigh},
    {"HelperThatFailsByItselfWhenTheWorkHasCompleted",
     Failed("spec { containers { name: 'main' } }",
            Container("name: 'main'", ExitState(0, "Completed")),
            Container("name: 'vault-agent'", ExitState(1))),
     v1::SUCCEEDED, kMedium},
    {"ContainerSavingTheOutputsFails",
     Failed("spec { containers { name: 'main' } }",
            Container("name: 'main'", ExitState(0, "Completed")),
            Container("name: 'wait'", ExitState(1))),
     v1::LAUNCHER_FAILED, kMedium},
    {"EphemeralContainerNeverMatters",
     Pod("Running",
         "status { ephemeral_container_statuses { name: 'debug' state { "
         "terminated { exit_code: 1 reason: 'Error' } } } }",
         Container("name: 'main'", kRuns)),
     v1::NOT_FAILED, kHigh},
    {"InitContainerFailsThePod",
     Failed(InitContainer("name: 'prepare'", ExitState(1)),
            Container("name: 'main'", WaitState("PodInitializing"))),
     v1::LAUNCHER_FAILED, kMedium},
    {"InitContainerOutOfMemoryIsMoreSpecific",
     Failed(InitContainer("name: 'prepare'", ExitState(137, "OOMKilled"))),
     v1::CONTAINER_OOM, kHigh},
    {"InitContainerWithAnExplainingLog",
     Failed(InitContainer(
         "name: 'prepare'",
         ExitState(1, "Error",
                   "curl: (7) Failed to connect to models.example port 443: "
                   "Connection refused"))),
     v1::DEPENDENCY_UNAVAILABLE, kMedium},
    {"WaitingReasonBeforeAnOlderCrash",
     Pending(Container(
         WaitState("CreateContainerConfigError", "secret \"s\" not found"),
         LastExit(1))),
     v1::CONFIG_MISSING, kHigh},
    {"UnhealthyDevice",
     Failed(
         Container(ExitState(1),
                   "allocated_resources_status { name: 'nvidia.com/gpu' "
                   "resources { resource_id: 'GPU-1' health: 'Unhealthy' } }")),
     v1::GPU_FAULT, kMedium},
    {"HealthyDevice",
     Failed(
         Container(ExitState(1),
                   "allocated_resources_status { name: 'nvidia.com/gpu' "
                   "resources { resource_id: 'GPU-1' health: 'Healthy' } }")),
     v1::APP_ERROR, kMedium},
    {"FailedWithoutAnything", Failed(), v1::UNKNOWN, kLow},
};
INSTANTIATE_TEST_SUITE_P(Containers, PodEnd, ::testing::ValuesIn(kContainers),
                         NameOf);

const PodCase kSurroundings[] = {
    {"DeletedByHand",
     Failed("metadata { deletion_timestamp { seconds: 130 } "
            "deletion_grace_period_seconds: 30 }",
            Exited(143, "Error", 101)),
     v1::CANCELLED, kMedium},
    {"FailedBeforeItWasDeleted",
     Failed("metadata { deletion_timestamp { seconds: 130 } "
            "deletion_grace_period_seconds: 30 }",
            Exited(143, "Error", 90)),
     v1::SIGTERM_UNEXPLAINED, kLow},
    {"OwnErrorOfADeletedPod",
     Failed("metadata { deletion_timestamp { seconds: 130 } }", Exited(1)),
     v1::APP_ERROR, kMedium},
    {"LivenessProbeKilled",
     Pod("Running", "metadata { name: 'p' }",
         Container(WaitState("CrashLoopBackOff"), LastExit(137))) +
         "events { reason: 'Killing' message: 'Container main failed liveness "
         "probe, will be restarted' involved_object { kind: 'Pod' name: 'p' } "
         "}",
     v1::PROBE_KILLED, kHigh},
    {"ProbeDoesNotExplainAnOwnExit",
     Pod("Running", "metadata { name: 'p' }",
         Container(WaitState("CrashLoopBackOff"), LastExit(1))) +
         Event("Unhealthy", "Liveness probe failed: connection refused"),
     v1::APP_ERROR, kMedium},
    {"ReadinessProbeKillsNothing",
     Failed("metadata { name: 'p' }", Exited(137)) +
         Event("Unhealthy", "Readiness probe failed: HTTP probe failed"),
     v1::SIGKILL_UNEXPLAINED, kLow},
    {"NodeUnreachable",
     Failed(kOnNode, Exited(137)) +
         Node("spec { taints { key: 'node.kubernetes.io/unreachable' effect: "
              "'NoExecute' } }"),
     v1::NODE_LOST, kHigh},
    {"AnotherNodesTrouble",
     Failed(kOnNode, Exited(137)) +
         Object("nodes",
                "metadata { name: 'm' } spec { taints { key: "
                "'node.kubernetes.io/unreachable' } }"),
     v1::SIGKILL_UNEXPLAINED, kLow},
    {"NodeTroubleLongAfterTheEnd",
     Failed(kOnNode, Exited(137, "Error", 100)) +
         Node("status { conditions { type: 'Ready' status: 'Unknown' "
              "last_transition_time { seconds: 4000 } } }"),
     v1::SIGKILL_UNEXPLAINED, kLow},
    {"NodeTroubleDoesNotExplainAnOwnExit",
     Failed(kOnNode, Exited(1)) +
         Node("status { conditions { type: 'Ready' status: 'Unknown' } }"),
     v1::APP_ERROR, kMedium},
    {"SpotNoticeOnTheNode",
     Failed(kOnNode, Exited(143)) +
         Node("spec { taints { key: 'aws-node-termination-handler/spot-itn' } "
              "}"),
     v1::SPOT_RECLAIMED, kHigh},
    {"DrainAfterASpotNoticeIsTheReclaim",
     Failed(kOnNode, Disruption("EvictionByEvictionAPI"), Exited(143)) +
         Node("spec { taints { key: "
              "'cloud.google.com/impending-node-termination' } }"),
     v1::SPOT_RECLAIMED, kHigh},
    {"ShutdownOfASpotNode",
     Failed(kOnNode, Reason("Terminated")) +
         Object("nodes",
                "metadata { name: 'n' labels { key: "
                "'cloud.google.com/gke-spot' value: 'true' } }"),
     v1::SPOT_RECLAIMED, kMedium},
    {"TaintOfASpotNodeThatWasLost",
     Failed(kOnNode, Disruption("DeletionByTaintManager")) +
         Object("nodes",
                "metadata { name: 'n' labels { key: "
                "'cloud.google.com/gke-spot' value: 'true' } } status { "
                "conditions { type: 'Ready' status: 'Unknown' } }"),
     v1::SPOT_RECLAIMED, kMedium},
    // The node is back before the report, and only the pod still shows it.
    {"TaintOfANodeThatWasNotReady",
     Pod("Running", Disruption("DeletionByTaintManager"),
         "status { conditions { type: 'Ready' status: 'False' } conditions { "
         "type: 'ContainersReady' status: 'True' } }"),
     v1::NODE_LOST, kHigh},
    {"TaintOfANodeThatIsBack",
     Pod("Running", kOnNode, Disruption("DeletionByTaintManager", 1000)) +
         Node("metadata { creation_timestamp { seconds: 100 } } status { "
              "conditions { type: 'Ready' status: 'True' last_transition_time "
              "{ seconds: 1060 } } }"),
     v1::NODE_LOST, kHigh},
    {"TaintOfAReadyNode",
     Pod("Running", Disruption("DeletionByTaintManager"),
         "status { conditions { type: 'Ready' status: 'False' reason: "
         "'ContainersNotReady' } conditions { type: 'ContainersReady' status: "
         "'False' } }"),
     v1::TAINT_EVICTED, kHigh},
    {"ShutdownOfAnOrdinaryNode",
     Failed(kOnNode, Reason("Terminated")) +
         Object("nodes",
                "metadata { name: 'n' labels { key: "
                "'karpenter.sh/capacity-type' value: 'on-demand' } }"),
     v1::NODE_SHUTDOWN, kHigh},
    {"LostMachineOfAnInterruptibleWorkload",
     "workload { interruptible: true }" + Failed(Disruption("DeletionByPodGC")),
     v1::SPOT_RECLAIMED, kMedium},
    {"SystemOomOnTheNode",
     Failed(kOnNode, Exited(137)) +
         Event("SystemOOM", "System OOM encountered, victim process: python",
               "Node", "n"),
     v1::HOST_OOM, kMedium},
    {"MemoryPeakAtTheLimit",
     Failed(Container("name: 'main'", ExitState(137))) +
         "usage { memory_peak_bytes: 990 memory_limit_bytes: 1000 }",
     v1::CONTAINER_OOM, kMedium},
    {"MemoryPeakBelowTheLimit",
     Failed(Container("name: 'main'", ExitState(137))) +
         "usage { memory_peak_bytes: 500 memory_limit_bytes: 1000 }",
     v1::SIGKILL_UNEXPLAINED, kLow},
    {"SchedulingTroubleOfAPodThatRan",
     Failed("metadata { name: 'p' }", Exited(1)) +
         Event("FailedScheduling",
               "0/3 nodes are available: 3 Insufficient cpu."),
     v1::APP_ERROR, kMedium},
    {"PullTroubleOfAPodThatRan",
     Failed("metadata { name: 'p' }", Exited(1)) +
         Event("Failed", "Failed to pull image \"x\": 503 Service Unavailable"),
     v1::APP_ERROR, kMedium},
    {"EventSaysWhyThePullFails",
     Pending("metadata { name: 'p' }",
             Waits("ImagePullBackOff", "Back-off pulling image \"x\"")) +
         Event("Failed",
               "Failed to pull image \"x\": toomanyrequests: limit reached"),
     v1::IMAGE_PULL_TRANSIENT, kMedium},
    {"UnknownPullTroubleOfAYoungPodMayPass",
     ObservedAt(1060) + Pending("status { start_time { seconds: 1000 } }",
                                Waits("ErrImagePull")),
     v1::IMAGE_PULL_TRANSIENT, kLow},
    {"UnknownPullTroubleOfAnOldPod",
     ObservedAt(2000) + Pending("status { start_time { seconds: 1000 } }",
                                Waits("ErrImagePull")),
     v1::IMAGE_INVALID, kLow},
    {"Unschedulable",
     Pending(FalseCondition("PodScheduled", "Unschedulable",
                            "0/5 nodes are available")),
     v1::UNSCHEDULABLE, kHigh},
    {"HeldByASchedulingGate",
     Pending(FalseCondition("PodScheduled", "SchedulingGated")), v1::SUSPENDED,
     kMedium},
    {"StartingForALongTime",
     ObservedAt(5000) + Pending("status { start_time { seconds: 1000 } }",
                                Waits("ContainerCreating")),
     v1::START_TIMEOUT, kLow},
    {"StillStarting",
     ObservedAt(1010) + Pending("status { start_time { seconds: 1000 } }",
                                Waits("ContainerCreating")),
     v1::NOT_FAILED, kHigh},
    {"QueueMarkOnAPlainPod",
     Failed(Condition("TerminationTarget", "WorkloadEvictedDueToPreempted"),
            Exited(143)),
     v1::PREEMPTED_QUEUE, kHigh},
    {"StuckTerminating",
     ObservedAt(9000) + Pod("Running",
                            "metadata { deletion_timestamp { seconds: 1000 } }",
                            Container(kRuns)),
     v1::HANG, kMedium},
    {"HealthyPodIsNotAFailure", Pod("Running", Container(kRuns)),
     v1::NOT_FAILED, kHigh},
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
      Diagnose(Report(Pod("Running", Container(kRuns))), {}, &findings);
  EXPECT_EQ(diagnosis.cause(), v1::NOT_FAILED);
  EXPECT_EQ(diagnosis.situation(), v1::Diagnosis::ALIVE);
  EXPECT_THAT(diagnosis.summary(), ::testing::HasSubstr("Nothing has failed"));
  EXPECT_THAT(findings.warnings, ::testing::IsEmpty());
}

}  // namespace
}  // namespace mulligan::demystify
