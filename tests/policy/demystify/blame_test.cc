// Who has to act, and whether the work can recover unchanged.
#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"
#include "tests/policy/demystify/report_text.h"

namespace mulligan::demystify {
namespace {

using D = v1::Diagnosis;

struct BlameCase {
  const char* name;
  // A FailureReport in text format.
  const char* report;
  v1::Cause cause;
  D::FaultDomain domain;
  D::Outlook outlook;
};

constexpr BlameCase kBlameCases[] = {
    {"ADependencyThatDoesNotAnswer",
     R"(exit { exit_code: 1 message: "connect: connection refused" })",
     v1::DEPENDENCY_UNAVAILABLE, D::INFRASTRUCTURE, D::RECOVERS},
    {"ADependencyAskedTooMuch",
     R"(exit { exit_code: 1 message: "429 Too Many Requests" })",
     v1::DEPENDENCY_UNAVAILABLE, D::APPLICATION, D::RECOVERS},
    {"AMistakeInTheProgram",
     R"(exit { exit_code: 1 message: "NameError: name 'x' is not defined" })",
     v1::APP_ERROR, D::APPLICATION, D::CANNOT_RECOVER},
    {"AMistakeAndABrokenTransfer",
     R"(exit { exit_code: 1 message: "Could not transfer artifact a:b:pom:2 from central\nstatus code: 403, reason phrase: Forbidden" })",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION, D::MAY_RECOVER},
    {"ARefusalAndAWarning",
     R"(exit { exit_code: 1 message: "WARNING connection reset by peer\nstatus code: 403, reason phrase: Forbidden" })",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION, D::CANNOT_RECOVER},
    {"DataCutOffOnItsWay",
     R"(exit { exit_code: 1 message: "ReadError: unexpected end of data in shard-12 of pipe:aws s3 cp" })",
     v1::DATA_OR_NUMERIC, D::APPLICATION, D::MAY_RECOVER},
    {"DataCutOffInItsFile",
     R"(exit { exit_code: 1 message: "reads.fastq.gz: unexpected end of file" })",
     v1::DATA_OR_NUMERIC, D::APPLICATION, D::CANNOT_RECOVER},
    {"AFileThatAnotherProcessHolds",
     R"(exit { exit_code: 1 message: "OSError: Unable to open file: unable to lock file, errno = 11" })",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION, D::MAY_RECOVER},
    {"ACodeThatIsAConvention", R"(exit { exit_code: 2 })",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION, D::MAY_RECOVER},
    {"ACodeThatMayBeOfATimeout", R"(exit { exit_code: 124 })", v1::DEADLINE_POD,
     D::DEADLINE, D::MAY_RECOVER},
    {"ACodeThatWasChosen", R"(exit { exit_code: 64 })", v1::CONFIG_USER_ERROR,
     D::CONFIGURATION, D::CANNOT_RECOVER},
    {"AFatalErrorOfGit", R"(exit { exit_code: 128 })", v1::APP_ERROR,
     D::APPLICATION, D::OUTLOOK_UNKNOWN},
    {"AnErrorThatMayBeAnything", R"(exit { exit_code: 1 })", v1::APP_ERROR,
     D::APPLICATION, D::OUTLOOK_UNKNOWN},
    {"AProcessWithoutFileHandles",
     R"(exit { exit_code: 1 message: "OSError: [Errno 24] Too many open files" })",
     v1::APP_ERROR, D::RESOURCE_LIMIT, D::CANNOT_RECOVER},
    {"ANodeWithoutFileWatches",
     R"(exit { exit_code: 1 message: "failed to create fsnotify watcher: too many open files" })",
     v1::APP_ERROR, D::INFRASTRUCTURE, D::MAY_RECOVER},
    {"ALicenceOfAnotherHost",
     R"(exit { exit_code: 1 message: "GurobiError: HostID mismatch: licensed to 1" })",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION, D::MAY_RECOVER},
    {"LoopbackKeepsMembersApart",
     R"(exit { exit_code: 1 message: "Gloo connectFullMesh failed: SO_ERROR: Connection refused, remote=[127.0.1.1]:17308" })",
     v1::RENDEZVOUS_FAILED, D::CONFIGURATION, D::CANNOT_RECOVER},
    {"AnInitContainerOfTheUsersOwn",
     R"(pods { metadata { name: "p" } status { phase: "Failed"
          init_container_statuses { name: "prepare" state { terminated { exit_code: 1 reason: "Error" } } } } })",
     v1::LAUNCHER_FAILED, D::APPLICATION, D::MAY_RECOVER},
    {"AnInitContainerWithoutItsCommand",
     R"(pods { metadata { name: "p" } status { phase: "Failed"
          init_container_statuses { name: "prepare" state { terminated { exit_code: 127 reason: "Error" } } } } })",
     v1::CONFIG_MISSING, D::CONFIGURATION, D::CANNOT_RECOVER},
    {"ASidecarWhoseServiceDoesNotAnswer",
     R"(pods { metadata { name: "p" } status { phase: "Failed"
          container_statuses { name: "main" state { terminated { exit_code: 65 reason: "Error" } } }
          container_statuses { name: "supervisor" state { terminated { exit_code: 1 reason: "Error" message: "s3: connection refused" } } } } })",
     v1::LAUNCHER_FAILED, D::INFRASTRUCTURE, D::MAY_RECOVER},
    {"ASidecarWithAWrongSetting",
     R"(pods { metadata { name: "p" } status { phase: "Failed"
          container_statuses { name: "main" state { terminated { exit_code: 0 reason: "Completed" } } }
          container_statuses { name: "wait" state { terminated { exit_code: 64 reason: "Error" message: "failed to save outputs: path /out.json does not exist" } } } } })",
     v1::LAUNCHER_FAILED, D::CONFIGURATION, D::CANNOT_RECOVER},
    {"NoRoom",
     R"(events { reason: "FailedScheduling" type: "Warning" message: "0/3 nodes are available: 3 Insufficient cpu." involved_object { kind: "Pod" name: "p" } })",
     v1::UNSCHEDULABLE, D::QUEUE, D::MAY_RECOVER},
    {"NodesThatAreDown",
     R"(events { reason: "FailedScheduling" type: "Warning" message: "0/3 nodes are available: 3 node(s) had untolerated taint {node.kubernetes.io/unreachable: }." involved_object { kind: "Pod" name: "p" } })",
     v1::UNSCHEDULABLE, D::INFRASTRUCTURE, D::MAY_RECOVER},
    {"NoNodeCanEverMatch",
     R"(events { reason: "FailedScheduling" type: "Warning" message: "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector." involved_object { kind: "Pod" name: "p" } })",
     v1::UNSCHEDULABLE, D::CONFIGURATION, D::CANNOT_RECOVER},
    {"NoNodeCanEverMatchThePod",
     R"(pods { metadata { name: "p" } status { phase: "Pending" conditions {
          type: "PodScheduled" status: "False" reason: "Unschedulable"
          message: "0/7 nodes are available: 7 node(s) didn't match Pod's node affinity/selector." } } })",
     v1::UNSCHEDULABLE, D::CONFIGURATION, D::CANNOT_RECOVER},
    {"MoreMemoryThanItRequested",
     R"(pods { metadata { name: "p" } status { phase: "Failed" reason: "Evicted"
          message: "The node was low on resource: memory. Container main was using 9Gi, request is 4Gi, has larger consumption of memory."
          conditions { type: "DisruptionTarget" status: "True" reason: "TerminationByKubelet"
          message: "The node was low on resource: memory. Container main was using 9Gi, request is 4Gi, has larger consumption of memory." } } })",
     v1::NODE_PRESSURE_EVICTED, D::RESOURCE_LIMIT, D::MAY_RECOVER},
    {"MemoryThatWasNotRequested",
     R"(pods { metadata { name: "p" } status { phase: "Failed" reason: "Evicted"
          message: "The node was low on resource: memory. Container main was using 9Mi, which exceeds its request of 0." } })",
     v1::NODE_PRESSURE_EVICTED, D::INFRASTRUCTURE, D::MAY_RECOVER},
    {"AProbeForSomethingThatIsNotThere",
     R"(events { reason: "Unhealthy" type: "Warning" message: "Startup probe failed: sh: /ready: Permission denied" involved_object { kind: "Pod" name: "p" } }
        events { reason: "Killing" message: "Container main failed startup probe, will be restarted" involved_object { kind: "Pod" name: "p" } })",
     v1::PROBE_KILLED, D::CONFIGURATION, D::CANNOT_RECOVER},
    {"AProbeTheProgramAnswersBadly",
     R"(events { reason: "Unhealthy" type: "Warning" message: "Liveness probe failed: HTTP probe failed with statuscode: 503" involved_object { kind: "Pod" name: "p" } }
        events { reason: "Killing" message: "Container main failed liveness probe, will be restarted" involved_object { kind: "Pod" name: "p" } })",
     v1::PROBE_KILLED, D::APPLICATION, D::MAY_RECOVER},
    {"ATaintOfANodeThatFellSilent",
     R"(events { reason: "NodeNotReady" type: "Warning" message: "Node is not ready" involved_object { kind: "Pod" name: "p" } }
        events { reason: "TaintManagerEviction" message: "Marking for deletion Pod default/p" involved_object { kind: "Pod" name: "p" } })",
     v1::NODE_LOST, D::INFRASTRUCTURE, D::RECOVERS},
    {"ATaintOfANodeThatNoLongerReports",
     R"(pods { metadata { name: "p" } spec { node_name: "n" } status { phase: "Failed" conditions { type: "DisruptionTarget" status: "True" reason: "DeletionByTaintManager" } } }
        nodes { metadata { name: "n" } status { conditions { type: "Ready" status: "Unknown" reason: "NodeStatusUnknown" } } })",
     v1::NODE_LOST, D::INFRASTRUCTURE, D::RECOVERS},
    {"ATaintThatAUserSet",
     R"(pods { metadata { name: "p" } spec { node_name: "n" } status { phase: "Failed" conditions { type: "DisruptionTarget" status: "True" reason: "DeletionByTaintManager" } } }
        nodes { metadata { name: "n" } spec { taints { key: "team/maintenance" effect: "NoExecute" } } status { conditions { type: "Ready" status: "True" reason: "KubeletReady" } } })",
     v1::TAINT_EVICTED, D::DISRUPTION, D::RECOVERS},
    {"ADeviceRefusedToAPodThatHadEndedWell",
     R"(pods { metadata { name: "p" } status { phase: "Failed" reason: "UnexpectedAdmissionError" message: "Allocate failed due to requested number of devices unavailable"
          container_statuses { name: "main" state { terminated { exit_code: 0 reason: "Completed" } } } } })",
     v1::SUCCEEDED, D::NONE, D::OUTLOOK_UNSPECIFIED},
    {"AChildThatWasKilledInAContainerThatLivedOn",
     R"(pods { metadata { name: "p" } status { phase: "Failed"
          container_statuses { name: "main" state { terminated { exit_code: 1 reason: "Error" message: "mpirun noticed that process rank 2 with PID 77 on node w1 exited on signal 9 (Killed)." } } } } })",
     v1::SIGKILL_UNEXPLAINED, D::RESOURCE_LIMIT, D::OUTLOOK_UNKNOWN},
    {"AContainerKilledWithoutAWord",
     R"(pods { metadata { name: "p" } status { phase: "Failed"
          container_statuses { name: "main" state { terminated { exit_code: 137 reason: "Error" } } } } })",
     v1::SIGKILL_UNEXPLAINED, D::INFRASTRUCTURE, D::OUTLOOK_UNKNOWN},
    {"AnAssertionOnTheDevice",
     R"(pods { metadata { name: "p" } status { phase: "Failed"
          container_statuses { name: "main" state { terminated { exit_code: 1 reason: "Error" message: "RuntimeError: CUDA error: device-side assert triggered" } } } } })",
     v1::APP_ERROR, D::APPLICATION, D::CANNOT_RECOVER},
    {"AVolumeThatMayNotBeMounted",
     R"(pods { metadata { name: "p" } status { phase: "Pending" } }
        events { type: "Warning" message: "MountVolume.SetUp failed for volume \"nfs\" : mount failed: exit status 32\nmount.nfs: access denied by server while mounting 10.0.0.1:/data" involved_object { kind: "Pod" name: "p" } })",
     v1::SANDBOX_OR_MOUNT, D::CONFIGURATION, D::CANNOT_RECOVER},
    {"APodThatWasDeletedWithItsNode",
     R"(pods { metadata { name: "p" deletion_timestamp { seconds: 1700000400 } deletion_grace_period_seconds: 30 }
          spec { node_name: "n" } status { phase: "Running" container_statuses { name: "c" state { running {} } } } }
        events { reason: "DeletingNode" last_timestamp { seconds: 1700000100 } involved_object { kind: "Node" name: "n" } })",
     v1::NODE_LOST, D::INFRASTRUCTURE, D::RECOVERS},
    {"APodThatWasDeletedLongAfterItsNodeWasUnwell",
     R"(pods { metadata { name: "p" deletion_timestamp { seconds: 1700009400 } deletion_grace_period_seconds: 30 }
          spec { node_name: "n" } status { phase: "Running" container_statuses { name: "c" state { running {} } } } }
        events { reason: "NodeNotReady" last_timestamp { seconds: 1700000100 } involved_object { kind: "Node" name: "n" } })",
     v1::CANCELLED, D::NONE, D::OUTLOOK_UNSPECIFIED},
    {"AMissingPullSecretAndAFailedPull",
     R"(pods { metadata { name: "p" uid: "u" } status { phase: "Pending" container_statuses { name: "c" state { waiting { reason: "ImagePullBackOff" message: "Back-off pulling image \"r/x\"" } } } } }
        events { type: "Warning" reason: "FailedToRetrieveImagePullSecret" message: "Unable to retrieve some image pull secrets (hub); attempting to pull the image may not succeed." involved_object { kind: "Pod" name: "p" uid: "u" } })",
     v1::IMAGE_DENIED, D::CONFIGURATION, D::CANNOT_RECOVER},
    {"NothingIsBroken",
     R"(pods { metadata { name: "p" } status { phase: "Succeeded" } })",
     v1::SUCCEEDED, D::NONE, D::OUTLOOK_UNSPECIFIED},
    {"AFullClaimAsJsonHasIt",
     R"(pods { metadata { name: "p" }
          spec { volumes { name: "v" persistent_volume_claim { claim_name: "c" } }
            containers { name: "main" volume_mounts { name: "v" mount_path: "/out/" } } }
          status { phase: "Failed"
            container_statuses { name: "main" state { terminated { exit_code: 1 message: "tar: /out/a: Cannot write: No space left on device" } } } } })",
     v1::STORAGE_EXHAUSTED, D::CONFIGURATION, D::CANNOT_RECOVER},
    {"AFullClaimAsBytesHaveIt",
     R"(pods { metadata { name: "p" }
          spec { volumes { name: "v" volume_source { persistent_volume_claim { claim_name: "c" } } }
            containers { name: "main" volume_mounts { name: "v" mount_path: "/" } } }
          status { phase: "Failed"
            container_statuses { name: "main" state { terminated { exit_code: 1 message: "write '/a': No space left on device" } } } } })",
     v1::STORAGE_EXHAUSTED, D::CONFIGURATION, D::CANNOT_RECOVER},
    {"AFullVolumeBelowAClaim",
     R"(pods { metadata { name: "p" }
          spec { volumes { name: "v" persistent_volume_claim { claim_name: "c" } } volumes { name: "tmp" }
            containers { name: "main" volume_mounts { name: "v" mount_path: "/out" } volume_mounts { name: "tmp" mount_path: "/out/tmp" } } }
          status { phase: "Failed"
            container_statuses { name: "main" state { terminated { exit_code: 1 message: "write /out/tmp/a: no space left on device" } } } } })",
     v1::STORAGE_EXHAUSTED, D::RESOURCE_LIMIT, D::CANNOT_RECOVER},
    {"AFullDiskAndAClaim",
     R"(pods { metadata { name: "p" }
          spec { volumes { name: "v" persistent_volume_claim { claim_name: "c" } }
            containers { name: "main" volume_mounts { name: "v" mount_path: "/out" } } }
          status { phase: "Failed"
            container_statuses { name: "main" state { terminated { exit_code: 1 message: "write /outer/a: no space left on device" } } } } })",
     v1::STORAGE_EXHAUSTED, D::RESOURCE_LIMIT, D::CANNOT_RECOVER},
    {"AFullClaimThatTheTextNames",
     R"(pods { metadata { name: "p" } status { phase: "Failed"
          container_statuses { name: "main" state { terminated { exit_code: 1 message: "PVC results: no space left on device" } } } } })",
     v1::STORAGE_EXHAUSTED, D::CONFIGURATION, D::CANNOT_RECOVER},
};

class Blame : public testing::TestWithParam<BlameCase> {};

TEST_P(Blame, FollowsTheEvidence) {
  const BlameCase& test = GetParam();
  const D diagnosis = Diagnose(test.report);
  EXPECT_EQ(v1::Cause_Name(diagnosis.cause()), v1::Cause_Name(test.cause))
      << diagnosis.signature();
  EXPECT_EQ(D::FaultDomain_Name(diagnosis.fault_domain()),
            D::FaultDomain_Name(test.domain))
      << diagnosis.signature();
  EXPECT_EQ(D::Outlook_Name(diagnosis.outlook()),
            D::Outlook_Name(test.outlook));
  EXPECT_EQ(diagnosis.outlook_reason().empty(),
            test.outlook == D::OUTLOOK_UNSPECIFIED);
}

INSTANTIATE_TEST_SUITE_P(All, Blame, testing::ValuesIn(kBlameCases),
                         [](const auto& row) { return row.param.name; });

constexpr BlameCase kMoreBlameCases[] = {
    {"AProbeBeforeTheProgramListens",
     R"(events { reason: "Unhealthy" type: "Warning" message: "Liveness probe failed: dial tcp 10.0.0.7:8080: connect: connection refused" involved_object { kind: "Pod" name: "p" } }
     events { reason: "Killing" message: "Container main failed liveness probe, will be restarted" involved_object { kind: "Pod" name: "p" } })",
     v1::PROBE_KILLED, D::APPLICATION, D::MAY_RECOVER},
    {"AProbeThatFoundNoListenerThreeTimes",
     R"(pods { metadata { name: "p" } status { phase: "Failed"
     container_statuses { name: "main" restart_count: 3 state { terminated { exit_code: 137 reason: "Error" } } } } }
     events { reason: "Unhealthy" type: "Warning" message: "Liveness probe failed: dial tcp 10.0.0.7:8080: connect: connection refused" involved_object { kind: "Pod" name: "p" } }
     events { reason: "Killing" message: "Container main failed liveness probe, will be restarted" involved_object { kind: "Pod" name: "p" } })",
     v1::PROBE_KILLED, D::CONFIGURATION, D::CANNOT_RECOVER},
    {"AServiceTheProgramFloods",
     R"(exit { exit_code: 1 message: "no available connection and the queue has reached its max size 64" })",
     v1::DEPENDENCY_UNAVAILABLE, D::APPLICATION, D::RECOVERS},
    {"TheClustersApiAskedByTheWork",
     R"(exit { exit_code: 1 message: "io.fabric8.kubernetes.client.KubernetesClientException: Operation: [create] for kind: [Pod] failed. java.net.SocketTimeoutException: timeout" })",
     v1::API_TRANSIENT, D::CONTROL_PLANE, D::RECOVERS},
    {"AGoPanicPrintsItsSignal",
     R"(exit { exit_code: 2 message: "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x47]" })",
     v1::APP_ERROR, D::APPLICATION, D::CANNOT_RECOVER},
    {"AnOwnerThatWasScaledToZero",
     R"(pods { metadata { name: "worker-5d9-x" owner_references { kind: "ReplicaSet" name: "worker-5d9" controller: true } } status { phase: "Failed"
     container_statuses { name: "main" state { terminated { exit_code: 143 reason: "Error" } } } } }
     events { reason: "ScalingReplicaSet" message: "Scaled down replica set worker-5d9 to 0 from 1" involved_object { kind: "Deployment" name: "worker" } })",
     v1::CANCELLED, D::NONE, D::OUTLOOK_UNSPECIFIED},
    {"AMachineThatAzureAnnouncedToTakeBack",
     R"(pods { metadata { name: "p" } spec { node_name: "n" } status { phase: "Failed"
     conditions { type: "DisruptionTarget" status: "True" reason: "DeletionByTaintManager" } } }
     nodes { metadata { name: "n" } status {
     conditions { type: "Ready" status: "Unknown" reason: "NodeStatusUnknown" }
     conditions { type: "VMEventScheduled" status: "True" reason: "VMEventScheduled" message: "Preempt Scheduled: Fri, 06 Nov 2026 08:10:00 GMT" } } })",
     v1::SPOT_RECLAIMED, D::DISRUPTION, D::RECOVERS},
};

INSTANTIATE_TEST_SUITE_P(More, Blame, testing::ValuesIn(kMoreBlameCases),
                         [](const auto& row) { return row.param.name; });

v1::FailureReport Looping(int restarts, const char* message) {
  return Report(Pod(
      "Running", "metadata { name: 'p' }",
      Container("name: 'main'", "restart_count: " + std::to_string(restarts),
                WaitState("CrashLoopBackOff"),
                Object("last_state",
                       "terminated { exit_code: 1 reason: "
                       "'Error' message: '" +
                           std::string(message) + "' }"))));
}

TEST(OutlookTest, RestartsByTheKubeletAreHistory) {
  EXPECT_EQ(Diagnose(Looping(2, "")).outlook(), D::OUTLOOK_UNKNOWN);
  EXPECT_EQ(Diagnose(Looping(6, "")).outlook(), D::CANNOT_RECOVER);
  // The peer it waits for may still appear.
  EXPECT_EQ(Diagnose(Looping(6, "connection refused")).outlook(), D::RECOVERS);
}

TEST(OutlookTest, AProbeThatKilledThreeTimesKillsAgain) {
  v1::FailureReport report = Looping(3, "");
  report.MergeFrom(Report(
      "events { reason: 'Killing' message: 'Container main failed liveness "
      "probe, will be restarted' involved_object { kind: 'Pod' name: 'p' } }"));
  const D killed = Diagnose(report);
  EXPECT_EQ(v1::Cause_Name(killed.cause()), "PROBE_KILLED");
  EXPECT_EQ(killed.outlook(), D::CANNOT_RECOVER);
  EXPECT_EQ(Diagnose(Looping(3, "")).outlook(), D::OUTLOOK_UNKNOWN);
}

D::Outlook OutlookAfter(int seconds, const char* message) {
  v1::FailureReport report = FailedPod(1, "Error", message);
  auto& end = *report.mutable_pods(0)
                   ->mutable_status()
                   ->mutable_container_statuses(0)
                   ->mutable_state()
                   ->mutable_terminated();
  end.mutable_started_at()->set_seconds(1'700'000'000);
  end.mutable_finished_at()->set_seconds(1'700'000'000 + seconds);
  return Diagnose(report).outlook();
}

TEST(OutlookTest, AMistakeAfterALongRunMayNotRecur) {
  for (const char* message : {"TypeError: NoneType",
                              "FileNotFoundError: [Errno 2] No such file or "
                              "directory: '/scratch/part-7'"}) {
    EXPECT_EQ(OutlookAfter(60, message), D::CANNOT_RECOVER) << message;
    EXPECT_EQ(OutlookAfter(3600, message), D::MAY_RECOVER) << message;
  }
}

TEST(OutlookTest, AWrongSettingStaysWrongAfterALongRun) {
  for (const char* message : {"ModuleNotFoundError: No module named 'zstd'",
                              "botocore.exceptions.ClientError: An error "
                              "occurred (NoSuchBucket) when calling the "
                              "PutObject operation"}) {
    EXPECT_EQ(OutlookAfter(3600, message), D::CANNOT_RECOVER) << message;
  }
}

TEST(OutlookTest, PodsOfAJobThatRunsOneAtATimeAreHistory) {
  v1::FailureReport report = FailedPod(1, "Error", "");
  auto& job = *report.add_jobs();
  for (const int few : {std::numeric_limits<std::int32_t>::min(), -1, 0, 6}) {
    job.mutable_status()->set_failed(few);
    EXPECT_EQ(Diagnose(report).outlook(), D::OUTLOOK_UNKNOWN) << few;
  }
  job.mutable_status()->set_failed(7);
  const D often = Diagnose(report);
  EXPECT_EQ(often.outlook(), D::CANNOT_RECOVER);
  EXPECT_EQ(often.outlook_reason(),
            "the Job started a pod 6 times again, and it ended each time");
  // Seven of a hundred may have failed at once.
  job.mutable_spec()->set_parallelism(100);
  EXPECT_EQ(Diagnose(report).outlook(), D::OUTLOOK_UNKNOWN);
}

}  // namespace
}  // namespace mulligan::demystify
