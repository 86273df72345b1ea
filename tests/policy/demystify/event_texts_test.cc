// Events without their pods, as after the pods are deleted: those of which
// tests/testdata/field_samples.jsonl has no sample.
#include <string>

#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"
#include "tests/policy/demystify/report_text.h"

namespace mulligan::demystify {
namespace {

struct EventTextsEventCase {
  const char* name;
  const char* kind;
  const char* type;
  const char* reason;
  const char* message;
  v1::Cause cause;
};

constexpr EventTextsEventCase kEventTextsCases[] = {
    // A pod with events was created: its broken pipe is not an API call's.
    {"BrokenPipeOfAContainer", "Pod", "Warning", "Failed",
     "Error: container create failed: write init-p: broken pipe",
     v1::NOT_FAILED},
    {"BrokenPipeOfACall", "Job", "Warning", "FailedCreate",
     "Error creating: write tcp 10.0.0.1:6443: broken pipe", v1::API_TRANSIENT},
    {"AutoscalerWithoutQuota", "Pod", "Warning", "FailedScaleUp",
     "Node scale up in zones a associated with this pod failed: no luck",
     v1::UNSCHEDULABLE},
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
    {"PreemptedPreemptedToAccommodateAWorkloadUID", "Workload", "Normal",
     "Preempted",
     "Preempted to accommodate a workload (UID: a) due to reclamation within "
     "the cohort",
     v1::PREEMPTED_QUEUE},
    {"EvictedDueToPreemptedPreemptedToAccommodateAWorkloadUID", "Workload",
     "Normal", "EvictedDueToPreempted",
     "Preempted to accommodate a workload (UID: a)", v1::PREEMPTED_QUEUE},
    {"SpotInterruptedSpotInterruptionWarningWasTriggered", "Node", "Warning",
     "SpotInterrupted", "Spot interruption warning was triggered",
     v1::SPOT_RECLAIMED},
    {"TaintManagerEvictionMarkingForDeletionPodNsX", "Pod", "Warning",
     "TaintManagerEviction", "Marking for deletion Pod ns/x",
     v1::TAINT_EVICTED},
    {"EvictedContainerAppExceededItsLocalEphemeral", "Pod", "Warning",
     "Evicted",
     "Container app exceeded its local ephemeral storage limit \"1Gi\".",
     v1::STORAGE_EXHAUSTED},
    {"DeadlineExceededJobWasActiveLongerThanSpecified", "Job", "Warning",
     "DeadlineExceeded", "Job was active longer than specified deadline",
     v1::DEADLINE_JOB},
    {"EvictedForASpotInterruption", "Pod", "Normal", "Evicted",
     "Evicted pod: Spot interruption warning was triggered",
     v1::SPOT_RECLAIMED},
    {"ByAGang", "Pod", "Normal", "Preempted",
     "Preempted by podgroup 12ab on node n1", v1::PREEMPTED_SCHEDULER},
    {"GangThatCannotBeCreated", "Job", "Warning", "FailedWorkloadCreate",
     "Failed to create Workload for Job j: etcdserver: request timed out",
     v1::API_TRANSIENT},
    {"GangBeyondItsQuota", "Job", "Warning", "FailedWorkloadCreate",
     "Failed to create Workload for Job j: workloads.scheduling.k8s.io \"j-1\" "
     "is forbidden: exceeded quota: q, requested: "
     "count/workloads.scheduling.k8s.io=1",
     v1::QUOTA_EXCEEDED},
    {"JobThatMakesNoGang", "Job", "Warning", "FailedWorkloadCompilation",
     "Failed to compile Workload for Job j: gang scheduling requires minCount",
     v1::CREATE_REJECTED},
    {"RayWorkerThatCannotBeCreated", "RayCluster", "Warning",
     "FailedToCreateWorkerPod",
     "Failed to create worker Pod for the cluster ns/r, etcdserver: request "
     "timed out",
     v1::API_TRANSIENT},
    {"RayClaimBeyondItsQuota", "RayCluster", "Warning", "FailedToCreatePVC",
     "Failed to create GCS storage PVC ns/r-gcs-pvc, persistentvolumeclaims "
     "\"r-gcs-pvc\" is forbidden: exceeded quota: q, requested: "
     "persistentvolumeclaims=1",
     v1::QUOTA_EXCEEDED},
    {"RayWithoutCertManager", "RayCluster", "Warning", "MTLSFailedToReconcile",
     "Failed to reconcile mTLS CA issuer: no matches for kind \"Issuer\" in "
     "version \"cert-manager.io/v1\"",
     v1::CREATE_REJECTED},
    {"RayClusterOfAGateThatIsOff", "RayCluster", "Warning",
     "InvalidRayClusterSpec",
     "The RayCluster spec is invalid ns/r: tlsOptions requires the "
     "RayClusterMTLS feature gate",
     v1::CREATE_REJECTED},
    {"RayHeadWithoutItsServiceAccount", "RayCluster", "Warning",
     "AutoscalerServiceAccountNotFound",
     "Failed to reconcile RayCluster ns/r. ServiceAccount ns/ray must exist",
     v1::CONFIG_MISSING},
};

class EventAlone : public ::testing::TestWithParam<EventTextsEventCase> {};

TEST_P(EventAlone, NamesTheCause) {
  const EventTextsEventCase& param = GetParam();
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

// The reason of an eviction says more than the API it went through.
TEST(EventNextToAPod, SaysWhatTheEvictionWasFor) {
  EXPECT_EQ(
      Diagnose(Failed("metadata { name: 'p' }",
                      Disruption("EvictionByEvictionAPI"), Exited(143)) +
               "events { reason: 'Evicted' message: 'Evicted pod: Spot "
               "interruption warning was triggered' involved_object { kind: "
               "'Pod' name: 'p' } }")
          .cause(),
      v1::SPOT_RECLAIMED);
}

struct OvercomeCase {
  const char* name;
  // Seconds; 0: not reported.
  int trouble;
  int done;
  // The trouble is reported first.
  bool trouble_first;
  const char* reason;
  const char* message;
  const char* done_reason;
  // Containers of the two events; empty: the event is about the pod.
  const char* container;
  const char* done_container;
  bool is_past;
};

constexpr char kMount[] =
    "MountVolume.SetUp failed for volume \"certs\" : timed out waiting for the "
    "condition";
constexpr char kPull[] = "Failed to pull image \"r/i:2\": r/i:2: not found";
constexpr char kNodes[] = "0/3 nodes are available: 3 Insufficient memory.";

// Trouble that a pod has overcome is past, even if only its events are left.
TEST(EventsOfAGonePod, TroubleBeforeItStartedIsPast) {
  const OvercomeCase cases[] = {
      {"mounted and started", 100, 110, true, "FailedMount", kMount, "Started",
       "", "", true},
      {"without times, in order", 0, 0, true, "FailedMount", kMount, "Started",
       "", "", true},
      {"volumes are mounted once", 0, 0, false, "FailedMount", kMount,
       "Started", "", "", true},
      {"times come before the order", 100, 110, false, "FailedMount", kMount,
       "Started", "", "", true},
      {"a volume of a pod that runs", 420, 110, true, "FailedMount", kMount,
       "Started", "", "", true},
      {"the next start's pull", 120, 110, true, "Failed", kPull, "Started",
       "spec.containers{main}", "spec.containers{main}", false},
      {"pulled and started", 100, 110, true, "Failed", kPull, "Started",
       "spec.containers{main}", "spec.containers{main}", true},
      {"another container started", 100, 110, true, "Failed", kPull, "Started",
       "spec.containers{main}", "spec.containers{proxy}", false},
      {"the sandbox was made", 100, 110, true, "FailedCreatePodSandBox",
       "Failed to create pod sandbox: rpc error: code = Unknown desc = failed "
       "to setup network",
       "Started", "", "spec.containers{main}", true},
      {"scheduled in the end", 100, 110, true, "FailedScheduling", kNodes,
       "Scheduled", "", "", true},
      {"a pod is scheduled once", 0, 0, false, "FailedScheduling", kNodes,
       "Scheduled", "", "", true},
  };
  for (const OvercomeCase& test : cases) {
    v1::FailureReport report;
    const auto add = [&](const char* reason, const char* message, int at,
                         const char* container, const char* pod) {
      auto& event = *report.add_events();
      event.set_reason(reason);
      event.set_message(message);
      event.set_type(message == std::string() ? "Normal" : "Warning");
      event.mutable_involved_object()->set_kind("Pod");
      event.mutable_involved_object()->set_name(pod);
      event.mutable_involved_object()->set_field_path(container);
      if (at > 0) event.mutable_last_timestamp()->set_seconds(at);
    };
    const auto trouble = [&] {
      add(test.reason, test.message, test.trouble, test.container, "p-0");
    };
    const auto done = [&](const char* pod) {
      add(test.done_reason, "", test.done, test.done_container, pod);
    };
    if (test.trouble_first) trouble();
    done("p-0");
    if (!test.trouble_first) trouble();
    EXPECT_EQ(Diagnose(report).cause() == v1::NOT_FAILED, test.is_past)
        << test.name << ": " << Diagnose(report).DebugString();
    // An event of another pod overcomes nothing.
    report.clear_events();
    trouble();
    done("p-1");
    EXPECT_NE(Diagnose(report).cause(), v1::NOT_FAILED) << test.name;
  }
}

// A deadline ends the wait for something that is missing.
TEST(EventNextToADeadline, SaysWhyNothingStarted) {
  const std::string missing =
      Job("metadata { name: 'j' }", Condition("Failed", "DeadlineExceeded")) +
      Event("Failed", "Failed to pull image \"r/i:2\": r/i:2: not found", "Pod",
            "j-a") +
      Event("DeadlineExceeded", "Job was active longer than specified deadline",
            "Job", "j");
  EXPECT_EQ(Diagnose(missing).cause(), v1::IMAGE_INVALID);
  EXPECT_EQ(Diagnose(missing +
                     "events { reason: 'Started' message: 'Started container "
                     "main' involved_object { kind: 'Pod' name: 'j-b' } }")
                .cause(),
            v1::DEADLINE_JOB);
}

INSTANTIATE_TEST_SUITE_P(, EventAlone, ::testing::ValuesIn(kEventTextsCases),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace mulligan::demystify
