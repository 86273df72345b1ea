// Objects of which only events are left: trouble that they overcame is past.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"

namespace mulligan::demystify {
namespace {

struct EventSent {
  const char* reason;
  const char* message;
};

// An event about trouble of an object, and the event that ends it.
struct OvercomeRow {
  const char* name;
  const char* kind;
  EventSent trouble;
  EventSent after;
};

constexpr OvercomeRow kOvercomeRows[] = {
    {"Scheduling",
     "Pod",
     {"FailedScheduling", "0/5 nodes are available: 5 Insufficient cpu."},
     {"Scheduled", "Successfully assigned ml/x to n1"}},
    {"SchedulingThenPulling",
     "Pod",
     {"FailedScheduling", "0/5 nodes are available: 5 Insufficient cpu."},
     {"Pulling", "Pulling image \"a:b\""}},
    {"Mount",
     "Pod",
     {"FailedMount", "MountVolume.SetUp failed for volume \"v\" : timed out"},
     {"Pulling", "Pulling image \"a:b\""}},
    {"MissingConfigMap",
     "Pod",
     {"FailedMount",
      "MountVolume.SetUp failed for volume \"c\" : configmap \"c\" not found"},
     {"Started", "Started container main"}},
    {"Sandbox",
     "Pod",
     {"FailedCreatePodSandBox", "Failed to create pod sandbox: no IP"},
     {"Pulled", "Container image already present"}},
    {"Pull",
     "Pod",
     {"Failed", "Failed to pull image \"a:b\": rpc error: code = NotFound"},
     {"Pulled", "Successfully pulled image \"a:b\" in 5s"}},
    {"Probe",
     "Pod",
     {"Killing", "Container main failed liveness probe, will be restarted"},
     {"Started", "Started container main"}},
    {"NodeNotReady",
     "Pod",
     {"NodeNotReady", "Node is not ready"},
     {"TaintManagerEviction", "Cancelling deletion of Pod ml/x"}},
    {"TaintEviction",
     "Pod",
     {"TaintManagerEviction", "Marking for deletion Pod ml/x"},
     {"TaintManagerEviction", "Cancelling deletion of Pod ml/x"}},
    {"Creation",
     "Job",
     {"FailedCreate",
      "Error creating: pods \"x-\" is forbidden: exceeded quota: q"},
     {"SuccessfulCreate", "Created pod: x-1"}},
    {"CreationThenCompletion",
     "Job",
     {"FailedCreate",
      "Error creating: pods \"x-\" is forbidden: exceeded quota: q"},
     {"Completed", "Job completed"}},
    {"Preemption",
     "Workload",
     {"EvictedDueToPreempted", "Preempted to accommodate a workload"},
     {"Admitted", "Admitted by ClusterQueue q"}},
};

std::string EventAt(const OvercomeRow& row, const EventSent& sent, int at) {
  return absl::StrCat("events { involved_object { kind: '", row.kind,
                      "' name: 'x' uid: 'X' } type: 'Warning' reason: '",
                      sent.reason, "' message: '", sent.message,
                      "' last_timestamp { seconds: ", at, " } } ");
}

class OvercomeTest : public ::testing::TestWithParam<OvercomeRow> {};

TEST_P(OvercomeTest, IsPastAfterProgress) {
  const OvercomeRow& row = GetParam();
  const std::string trouble = EventAt(row, row.trouble, 1000);
  EXPECT_EQ(Diagnose(trouble).situation(), v1::Diagnosis::BROKEN);
  for (const int later : {1010, 2000}) {
    const std::string after = EventAt(row, row.after, later);
    for (const std::string& report : {trouble + after, after + trouble}) {
      const v1::Diagnosis diagnosis = Diagnose(report);
      EXPECT_EQ(diagnosis.situation(), v1::Diagnosis::ALIVE) << report;
      EXPECT_EQ(diagnosis.cause(), v1::NOT_FAILED) << report;
    }
  }
}

TEST_P(OvercomeTest, IsNotPastIfItCameAfterTheProgress) {
  const OvercomeRow& row = GetParam();
  // A pod is scheduled and gets its volumes once, so later trouble is not
  // expected.
  const bool once = row.trouble.reason == std::string("FailedScheduling") ||
                    row.after.reason == std::string("Started");
  if (once && row.name != std::string("Probe")) return;
  const std::string report =
      EventAt(row, row.after, 1000) + EventAt(row, row.trouble, 2000);
  EXPECT_EQ(Diagnose(report).situation(), v1::Diagnosis::BROKEN) << report;
}

TEST_P(OvercomeTest, IsNotPastForAnotherObject) {
  const OvercomeRow& row = GetParam();
  std::string other = EventAt(row, row.after, 2000);
  other.replace(other.find("'X'"), 3, "'Y'");
  other.replace(other.find("'x'"), 3, "'y'");
  const std::string report = EventAt(row, row.trouble, 1000) + other;
  EXPECT_EQ(Diagnose(report).situation(), v1::Diagnosis::BROKEN) << report;
}

INSTANTIATE_TEST_SUITE_P(Events, OvercomeTest,
                         ::testing::ValuesIn(kOvercomeRows),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace mulligan::demystify
