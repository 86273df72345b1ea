// Events alone, as when the pods are gone.
#include <string>

#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"

namespace mulligan::demystify {
namespace {

struct EventCase {
  const char* name;
  const char* kind;
  const char* type;
  const char* reason;
  const char* message;
  v1::Cause cause;
};

constexpr EventCase kCases[] = {
    {"FailedCreatePodSandBoxFailedToCreatePodSandboxRpc", "Pod", "Warning",
     "FailedCreatePodSandBox",
     "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to "
     "setup network for sandbox \"ab\": plugin type=\"calico\" failed (add): "
     "error getting ClusterInformation: connection is unauthorized",
     v1::SANDBOX_OR_MOUNT},
    {"FailedCreatePodSandBoxAddCmdFailedToAssignAn", "Pod", "Warning",
     "FailedCreatePodSandBox",
     "add cmd: failed to assign an IP address to container",
     v1::SANDBOX_OR_MOUNT},
    {"FailedMountMountVolumeSetUpFailedForVolumeCerts", "Pod", "Warning",
     "FailedMount",
     "MountVolume.SetUp failed for volume \"certs\" : secret \"tls-cert\" not "
     "found",
     v1::CONFIG_MISSING},
    {"FailedMountMountVolumeMountDeviceFailedForVolumePvc", "Pod", "Warning",
     "FailedMount",
     "MountVolume.MountDevice failed for volume \"pvc-1\" : rpc error: code = "
     "DeadlineExceeded desc = context deadline exceeded",
     v1::SANDBOX_OR_MOUNT},
    {"FailedAttachVolumeAttachVolumeAttachFailedForVolumePvc", "Pod", "Warning",
     "FailedAttachVolume",
     "AttachVolume.Attach failed for volume \"pvc-1\" : rpc error: code = "
     "Internal desc = Could not attach volume",
     v1::SANDBOX_OR_MOUNT},
    {"FailedScheduling03NodesAreAvailable3", "Pod", "Warning",
     "FailedScheduling",
     "0/3 nodes are available: 3 Insufficient memory. preemption: 0/3 nodes "
     "are available",
     v1::UNSCHEDULABLE},
    {"FailedSchedulingPersistentvolumeclaimDataNotFound", "Pod", "Warning",
     "FailedScheduling", "persistentvolumeclaim \"data\" not found",
     v1::CONFIG_MISSING},
    {"KillingContainerAppFailedStartupProbeWill", "Pod", "Warning", "Killing",
     "Container app failed startup probe, will be restarted", v1::PROBE_KILLED},
    {"PreemptedPreemptedByPod1234OnNode", "Pod", "Warning", "Preempted",
     "Preempted by pod 1234 on node n1", v1::PREEMPTED_SCHEDULER},
    {"PreemptedPreemptedToAccommodateAWorkloadUID", "Workload", "Normal",
     "Preempted",
     "Preempted to accommodate a workload (UID: a) due to reclamation within "
     "the cohort",
     v1::PREEMPTED_QUEUE},
    {"EvictedDueToPreemptedPreemptedToAccommodateAWorkloadUID", "Workload",
     "Normal", "EvictedDueToPreempted",
     "Preempted to accommodate a workload (UID: a)", v1::PREEMPTED_QUEUE},
    {"FailedCreateErrorCreatingPodsJIsForbidden", "Job", "Warning",
     "FailedCreate",
     "Error creating: pods \"j-\" is forbidden: exceeded quota: q, requested: "
     "pods=1, used: pods=10, limited: pods=10",
     v1::QUOTA_EXCEEDED},
    {"FailedCreateErrorCreatingPodJ1Is", "Job", "Warning", "FailedCreate",
     "Error creating: Pod \"j-1\" is invalid: spec.containers[0].image: "
     "Required value",
     v1::CREATE_REJECTED},
    {"FailedCreateErrorCreatingPodsJIsForbidden2", "Job", "Warning",
     "FailedCreate",
     "Error creating: pods \"j-\" is forbidden: error looking up service "
     "account ns/sa: serviceaccount \"sa\" not found",
     v1::CREATE_REJECTED},
    {"SpotInterruptedSpotInterruptionWarningWasTriggered", "Node", "Warning",
     "SpotInterrupted", "Spot interruption warning was triggered",
     v1::SPOT_RECLAIMED},
    {"SystemOOMSystemOOMEncounteredVictimProcessPython", "Node", "Warning",
     "SystemOOM", "System OOM encountered, victim process: python, pid: 12",
     v1::HOST_OOM},
    {"OOMKillingMemoryCgroupOutOfMemoryKilled", "Node", "Warning", "OOMKilling",
     "Memory cgroup out of memory: Killed process 12 (python)",
     v1::CONTAINER_OOM},
    {"TaintManagerEvictionMarkingForDeletionPodNsX", "Pod", "Warning",
     "TaintManagerEviction", "Marking for deletion Pod ns/x",
     v1::TAINT_EVICTED},
    {"ScaleDownDeletingPodForNodeScaleDown", "Pod", "Warning", "ScaleDown",
     "deleting pod for node scale down", v1::DRAINED},
    {"EvictedContainerAppExceededItsLocalEphemeral", "Pod", "Warning",
     "Evicted",
     "Container app exceeded its local ephemeral storage limit \"1Gi\".",
     v1::STORAGE_EXHAUSTED},
    {"DeadlineExceededJobWasActiveLongerThanSpecified", "Job", "Warning",
     "DeadlineExceeded", "Job was active longer than specified deadline",
     v1::DEADLINE_JOB},
};

class EventAlone : public ::testing::TestWithParam<EventCase> {};

TEST_P(EventAlone, NamesTheCause) {
  const EventCase& param = GetParam();
  v1::FailureReport report;
  auto& event = *report.add_events();
  event.set_type(param.type);
  event.set_reason(param.reason);
  event.set_message(param.message);
  event.mutable_involved_object()->set_kind(param.kind);
  event.mutable_involved_object()->set_name("x");
  const v1::Diagnosis diagnosis = Diagnose(report);
  EXPECT_EQ(diagnosis.cause(), param.cause) << diagnosis.DebugString();
}

INSTANTIATE_TEST_SUITE_P(, EventAlone, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace mulligan::demystify
