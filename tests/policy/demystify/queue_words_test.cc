// A suspended Job and the messages of its queue.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"
#include "tests/policy/demystify/report_text.h"

namespace mulligan::demystify {
namespace {

using D = v1::Diagnosis;

struct WaitCase {
  const char* name;
  // Conditions of the Workload, in text format.
  const char* conditions;
  v1::Cause cause;
  D::FaultDomain domain;
  const char* signature;
};

constexpr WaitCase kQueueMessageCases[] = {
    {"NeverFits",
     R"text(conditions { type: "QuotaReserved" status: "False" reason: "Pending"
          message: "insufficient quota for cpu in flavor f, request > maximum
 capacity (64 > 32)" })text",
     v1::QUOTA_EXCEEDED, D::CONFIGURATION, "queue-wait/never-fits"},
    {"AnotherFlavorCouldHoldIt",
     R"text(conditions { type: "QuotaReserved" status: "False" reason: "Pending"
          message: "insufficient quota for cpu in flavor f, request > maximum
 capacity (64 > 32), insufficient unused quota for cpu in flavor g, 4 more
 needed" })text",
     v1::SUSPENDED, D::QUEUE, "queue-wait/no-quota"},
    {"ExceedsMaxQuota",
     R"text(conditions { type: "QuotaReserved" status: "False"
          reason: "ExceedsMaxQuota" })text",
     v1::QUOTA_EXCEEDED, D::CONFIGURATION, "operator/Workload/ExceedsMaxQuota"},
    {"NoSuchQueue",
     R"text(conditions { type: "QuotaReserved" status: "False"
          reason: "Inadmissible" message: "LocalQueue blue doesn't exist" })text",
     v1::SUSPENDED, D::CONFIGURATION, "queue-wait/no-queue"},
    {"NoQuotaLeft",
     R"text(conditions { type: "QuotaReserved" status: "False" reason: "Pending"
          message: "insufficient unused quota for cpu in flavor f, 4 more
 needed" })text",
     v1::SUSPENDED, D::QUEUE, "queue-wait/no-quota"},
    {"WaitsForAReasonOfItsOwn",
     R"text(conditions { type: "QuotaReserved" status: "False" reason: "Pending"
          message: "something new" })text",
     v1::SUSPENDED, D::QUEUE, "operator/Workload/Pending"},
    {"NoFlavorHasNodesThatItAccepts",
     R"text(conditions { type: "QuotaReserved" status: "False"
          reason: "NoMatchingFlavor" message: "couldn't assign flavors to pod
 set main: untolerated taint {gpu yes NoSchedule} in flavor f" })text",
     v1::SUSPENDED, D::CONFIGURATION, "queue-wait/no-matching-flavor"},
    {"OneFlavorDoesNotMatchTheOtherIsInUse",
     R"text(conditions { type: "QuotaReserved" status: "False"
          reason: "WaitingForQuota" message: "flavor f doesn't match node
 affinity, insufficient unused quota for cpu in flavor g, 4 more needed" })text",
     v1::SUSPENDED, D::QUEUE, "queue-wait/no-quota"},
    {"FlavorsByReasonAlone",
     R"text(conditions { type: "QuotaReserved" status: "False"
          reason: "NoMatchingFlavor" message: "Bypassed scheduling evaluation
 because an equivalent workload recently failed" })text",
     v1::SUSPENDED, D::CONFIGURATION, "operator/Workload/NoMatchingFlavor"},
    {"HeldByAGate",
     R"text(conditions { type: "QuotaReserved" status: "False"
          reason: "AdmissionGated"
          message: "Admission is gated by: example.com/budget" })text",
     v1::SUSPENDED, D::QUEUE, "queue-wait/admission-gated"},
    {"ReleasedByItsGate",
     R"text(conditions { type: "QuotaReserved" status: "False"
          reason: "PendingEvaluation"
          message: "AdmissionGatedBy cleared, waiting for quota" })text",
     v1::SUSPENDED, D::QUEUE, "operator/Workload/PendingEvaluation"},
    {"Misconfigured",
     R"text(conditions { type: "QuotaReserved" status: "False"
          reason: "Misconfigured" message: "invalid namespace selector" })text",
     v1::SUSPENDED, D::CONFIGURATION, "operator/Workload/Misconfigured"},
    {"TheQueueIsStopped",
     R"text(conditions { type: "QuotaReserved" status: "False"
          reason: "Suspended" message: "ClusterQueue blue is inactive" })text",
     v1::SUSPENDED, D::QUEUE, "queue-wait/queue-inactive"},
    {"NoRoomInTheTopology",
     R"text(conditions { type: "QuotaReserved" status: "False"
          reason: "TopologyPlacementFailed" message: "no fit" })text",
     v1::SUSPENDED, D::QUEUE, "operator/Workload/TopologyPlacementFailed"},
    {"EvictedForItsPodsThoughItWaitsAgain",
     R"text(conditions { type: "QuotaReserved" status: "False" reason: "Pending"
          message: "The workload has exceeded the PodsReady timeout" }
        conditions { type: "Evicted" status: "True" reason: "PodsReadyTimeout"
          message: "Exceeded the PodsReady timeout" })text",
     v1::START_TIMEOUT, D::QUEUE, "queue/PodsReadyTimeout"},
    {"DeactivatedForTooManyRequeues",
     R"text(conditions { type: "Evicted" status: "True" reason: "Deactivated" }
        conditions { type: "DeactivationTarget" status: "True"
          reason: "RequeuingLimitExceeded" })text",
     v1::SUSPENDED, D::QUEUE, "queue/DeactivatedDueToRequeuingLimitExceeded"},
};

class QueueMessages : public ::testing::TestWithParam<WaitCase> {};

TEST_P(QueueMessages, DecideBeforeTheSuspension) {
  const WaitCase& test = GetParam();
  std::string conditions = test.conditions;
  conditions.erase(std::remove(conditions.begin(), conditions.end(), '\n'),
                   conditions.end());
  const v1::Diagnosis diagnosis = Diagnose(absl::StrCat(
      R"(jobs { metadata { name: "j" } spec { suspend: true }
           status { conditions { type: "Suspended" status: "True"
                                 reason: "JobSuspended" } } }
         kueue_workload { status { )",
      conditions, "} }"));
  EXPECT_EQ(v1::Cause_Name(diagnosis.cause()), v1::Cause_Name(test.cause))
      << diagnosis.DebugString();
  EXPECT_EQ(D::FaultDomain_Name(diagnosis.fault_domain()),
            D::FaultDomain_Name(test.domain));
  EXPECT_EQ(diagnosis.signature(), test.signature);
}

INSTANTIATE_TEST_SUITE_P(, QueueMessages,
                         ::testing::ValuesIn(kQueueMessageCases),
                         [](const auto& test) { return test.param.name; });

// Elastic work (Kueue 0.19) gets another Workload when its size changes.
TEST(QueueMessageOfASlice, ReplacedIsNotAFailure) {
  constexpr const char* kReplaced =
      "kueue_workload { metadata { name: 'w' } status { conditions { type: "
      "'Finished' status: 'True' reason: 'WorkloadSliceReplaced' message: "
      "'Replaced to accommodate a workload' } } } ";
  EXPECT_EQ(Diagnose(kReplaced).situation(), D::ALIVE);
  // It hides no failure either.
  EXPECT_EQ(Diagnose(absl::StrCat(
                         kReplaced,
                         "pods { metadata { name: 'p' } status { phase: "
                         "'Failed' container_statuses { state { terminated { "
                         "exit_code: 137 reason: 'OOMKilled' } } } } }"))
                .cause(),
            v1::CONTAINER_OOM);
}

// Without the Workload, its controller's event on the Job says it.
TEST(QueueEvent, StoppedSaysWhy) {
  const v1::Diagnosis diagnosis = Diagnose(
      Job("metadata { name: 'j' } spec { suspend: true }",
          Condition("Suspended")) +
      "events { type: 'Normal' reason: 'Stopped' message: 'Preempted to "
      "accommodate a workload (UID: 1) due to prioritization' "
      "involved_object { kind: 'Job' name: 'j' } }");
  EXPECT_EQ(diagnosis.cause(), v1::PREEMPTED_QUEUE);
}

}  // namespace
}  // namespace mulligan::demystify
